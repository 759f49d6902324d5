import {
  type AccessReview,
  reviewAccess,
  reviewSelf,
  reviewSelfAccess,
  reviewToken,
  type TokenReview,
} from '../../auth/access-review.ts';
import type { Authenticator } from '../../auth/authenticator.ts';
import type { Authorizer } from '../../auth/authorizer.ts';
import type { RbacSource } from '../../auth/rbac/rbac-authorizer.ts';
import { reviewRules, type RulesReview } from '../../auth/rbac/rules-review.ts';
import type { ApiRequest } from '../../http/api-request.ts';
import { sendReview } from '../../presentation/object-response.ts';
import type { ResourceRequestInfo } from '../../http/request-info.ts';
import type { ServedResource } from '../../resources/served-resource.ts';
import { timestamp } from '../../schema/clock.ts';
import { methodNotAllowed } from '../../status-errors/status-errors.ts';
import type { ApiObject } from '../../storage/api-object.ts';
import type { AdmissionChain } from '../../admission/admission-chain.ts';
import { checkReview } from './check-review.ts';
import { type ReviewedSelectors, selectorErrors } from './selector-errors.ts';
import { admitBody } from '../writes/admit-body.ts';
import { decodeTargetOf, decodeWrite } from '../writes/decode-write.ts';
import { decodeObject } from '../writes/object-body.ts';
import { placeInNamespace } from '../writes/object-meta.ts';
import { recordOwnership } from '../writes/ownership.ts';
import { writeOptions } from '../writes/write-options.ts';

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
  placeInNamespace(resource, review, request.info.namespace);
  const { fieldManager } = options;
  const now = timestamp(context.now());
  recordOwnership({ resource, after: review, subresource: '', fieldManager, now });
  checkReview(resource, review);
  const reviewer = reviewers[resource.id];
  if (reviewer === undefined) throw methodNotAllowed();
  const form = { kind: resource.facts, value: review };
  const admitted = await admitBody(context.admission, request, resource, form);
  const completed = reviewer(admitted as ApiObject, request, context) as ApiObject;
  const { kind, apiVersion, ...rest } = withSelectorErrors(completed);
  await sendReview(request, 201, { kind, apiVersion, ...rest });
}

/** Adds the selectors that the decision of an access review ignores to its status. */
function withSelectorErrors(review: ApiObject): ApiObject {
  const { spec, status } = review as {
    spec?: { resourceAttributes?: ReviewedSelectors };
    status?: object;
  };
  const evaluationError = selectorErrors(spec?.resourceAttributes ?? {});
  return evaluationError === '' ? review : { ...review, status: { ...status, evaluationError } };
}
