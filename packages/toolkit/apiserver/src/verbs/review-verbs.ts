import {
  type AccessReview,
  reviewAccess,
  reviewSelf,
  reviewSelfAccess,
  reviewToken,
  type TokenReview,
} from '../auth/access-review.ts';
import type { Authenticator } from '../auth/authenticator.ts';
import type { Authorizer } from '../auth/authorizer.ts';
import type { RbacSource } from '../auth/rbac/rbac-authorizer.ts';
import { reviewRules, type RulesReview } from '../auth/rbac/rules-review.ts';
import type { ApiRequest } from '../http/api-request.ts';
import { sendReview } from '../presentation/object-response.ts';
import type { ResourceRequestInfo } from '../http/request-info.ts';
import { isJsonObject, jsonText } from '@keelson/structural-schema';
import type { ServedResource } from '../resources/served-resource.ts';
import { timestamp } from '../schema/clock.ts';
import { badRequest, invalid, methodNotAllowed } from '../status-errors/status-errors.ts';
import type { ApiObject } from '../storage/api-object.ts';
import type { AdmissionChain } from '../admission/admission-chain.ts';
import { admitBody } from './writes/admit-body.ts';
import { decodeTargetOf, decodeWrite } from './writes/decode-write.ts';
import { decodeObject } from './writes/object-body.ts';
import { recordOwnership } from './writes/ownership.ts';
import { writeOptions } from './writes/write-options.ts';

/** The services that compute the status of reviews. */
export interface ReviewContext {
  readonly authenticator: Authenticator;
  readonly authorizer: Authorizer;
  /** `undefined` without RBAC. */
  readonly rbac: RbacSource | undefined;
  readonly now: () => number;
}

type Reviewer = (review: ApiObject, request: ApiRequest, context: ReviewContext) => object;

/** Functions that compute the status of a review, by resource id. Reviews are not stored. */
const reviewers: Readonly<Record<string, Reviewer>> = {
  'authentication.k8s.io/v1/selfsubjectreviews': (review, { user }, { now }) =>
    reviewSelf(review, user, now()),
  'authentication.k8s.io/v1/tokenreviews': (review, _request, { authenticator }) =>
    reviewToken(review as TokenReview, authenticator),
  'authorization.k8s.io/v1/localsubjectaccessreviews': (review, _request, { authorizer }) =>
    reviewAccess(review as AccessReview, authorizer),
  'authorization.k8s.io/v1/selfsubjectaccessreviews': (review, { user }, { authorizer }) =>
    reviewSelfAccess(review as AccessReview, user, authorizer),
  'authorization.k8s.io/v1/selfsubjectrulesreviews': (review, { user }, { rbac }) =>
    reviewRules(review as RulesReview, user, rbac),
  'authorization.k8s.io/v1/subjectaccessreviews': (review, _request, { authorizer }) =>
    reviewAccess(review as AccessReview, authorizer),
};

/** True for a resource whose objects are reviews. */
export function isReview(resource: ServedResource): boolean {
  return Object.hasOwn(reviewers, resource.id);
}

/** Responds to the create of a review. */
export async function createReview(
  request: ApiRequest<ResourceRequestInfo>,
  resource: ServedResource,
  context: ReviewContext & { readonly admission: AdmissionChain },
): Promise<void> {
  const options = writeOptions(request, 'CreateOptions');
  const contentType = request.headers['content-type'];
  const body = await decodeObject(await request.body(), contentType, resource.facts.kind);
  const review = decodeWrite(decodeTargetOf(resource), body, options, request.warnings);
  const { fieldManager } = options;
  const now = timestamp(context.now());
  recordOwnership({ resource, after: review, subresource: '', fieldManager, now });
  checkReview(resource, review);
  const reviewer = reviewers[resource.id];
  if (reviewer === undefined) throw methodNotAllowed();
  const form = { kind: resource.facts, value: review };
  const admitted = await admitBody(context.admission, request, resource, form);
  const { kind, apiVersion, ...rest } = reviewer(
    admitted as ApiObject,
    request,
    context,
  ) as ApiObject;
  await sendReview(request, 201, { kind, apiVersion, ...rest });
}

/** Refuses a review whose spec lacks its subject or token. */
function checkReview(resource: ServedResource, review: ApiObject): void {
  const { spec = {} } = review as { spec?: Record<string, unknown> };
  const { plural, group } = resource.facts;
  if (plural === 'tokenreviews' && !spec['token']) {
    throw badRequest('token is required for TokenReview in authentication');
  }
  if (plural === 'selfsubjectrulesreviews' && !spec['namespace']) {
    throw badRequest('no namespace on request');
  }
  if (!plural.endsWith('accessreviews')) return;
  const self = plural === 'selfsubjectaccessreviews';
  const groups = Array.isArray(spec['groups']) ? spec['groups'] : [];
  if (!self && !spec['user'] && groups.length === 0) {
    throw refused(group, 'spec.user', '""', 'at least one of user or group must be specified');
  }
  checkAttributes(group, spec);
  checkEmptyMetadata(resource, review);
  if (plural === 'localsubjectaccessreviews') checkSameNamespace(group, review);
}

/** An access review has no metadata but the namespace of a local one, and its owners. */
function checkEmptyMetadata({ facts }: ServedResource, { metadata }: ApiObject): void {
  const ignored = new Set(['managedFields', ...(facts.namespaced ? ['namespace'] : [])]);
  if (Object.keys(metadata).every((name) => ignored.has(name))) return;
  const why = facts.namespaced ? 'must be empty except for namespace' : 'must be empty';
  throw refused(facts.group, 'metadata', jsonText(metadata), why);
}

/** Requires either resource attributes or a path. */
function checkAttributes(group: string, spec: Record<string, unknown>): void {
  const { resourceAttributes, nonResourceAttributes } = spec;
  const isBoth = isJsonObject(resourceAttributes) && isJsonObject(nonResourceAttributes);
  if (isBoth) {
    const { path = '', verb = '' } = nonResourceAttributes;
    const value = JSON.stringify({ Path: path, Verb: verb });
    const why = 'cannot be specified in combination with resourceAttributes';
    throw refused(group, 'spec.nonResourceAttributes', value, why);
  }
  if (resourceAttributes || nonResourceAttributes) return;
  const why = 'exactly one of nonResourceAttributes or resourceAttributes must be specified';
  throw refused(group, 'spec.resourceAttributes', 'null', why);
}

/** The namespace of a review must be the namespace of its attributes. */
function checkSameNamespace(group: string, review: ApiObject): void {
  const { spec } = review as { spec?: { resourceAttributes?: { namespace?: string } } };
  const namespace = spec?.resourceAttributes?.namespace ?? '';
  if (namespace === (review.metadata.namespace ?? '')) return;
  const field = 'spec.resourceAttributes.namespace';
  throw refused(group, field, JSON.stringify(namespace), 'must match metadata.namespace');
}

function refused(group: string, field: string, value: string, why: string): Error {
  const message = `Invalid value: ${value}: ${why}`;
  return invalid({ group, kind: '', name: '' }, [{ reason: 'FieldValueInvalid', message, field }]);
}
