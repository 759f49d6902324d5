import { isJsonObject, type JsonObject, lazy } from '@keelson/structural-schema';
import { builtinStruct } from '../../schema/builtin-types.ts';
import { typeOfReview } from '../../webhooks/decode-review.ts';
import {
  checkRegistered,
  decodeResponse,
  mistyped,
  string,
  structOf,
} from '../../webhooks/decode-response.ts';
import { WebhookCallError } from '../../webhooks/webhook-call-error.ts';
import type { AdmissionAttributes, GroupVersionKind } from './admission-attributes.ts';
import type { MatchedResource, VersionedAttributes } from './versioned-attributes.ts';

/** The response of a webhook. */
export interface AdmissionResponse {
  readonly allowed: boolean;
  readonly warnings: readonly string[];
  /** The JSON patch of a mutating webhook as text. */
  readonly patch: string | undefined;
  readonly patchType: string | undefined;
  /** The `Status` of a denial. */
  readonly status: JsonObject | undefined;
}

/** Returns the `request` of an AdmissionReview, without the objects and the uid. Expressions see it as `request`. */
export function requestFacts(
  attributes: AdmissionAttributes,
  matched: MatchedResource,
): JsonObject {
  const { resource, subresource, name, namespace, user, operation, dryRun, options } = attributes;
  const sub = (key: string): JsonObject => (subresource === '' ? {} : { [key]: subresource });
  return {
    kind: kindOf(matched.kind),
    resource: resourceOf(matched.resource.facts),
    ...sub('subResource'),
    requestKind: kindOf(attributes.kind),
    requestResource: resourceOf(resource.facts),
    ...sub('requestSubResource'),
    ...(name !== '' && { name }),
    ...(namespace !== '' && { namespace }),
    operation,
    userInfo: {
      username: user.name,
      ...(user.uid !== undefined && user.uid !== '' && { uid: user.uid }),
      ...(user.groups.length > 0 && { groups: [...user.groups] }),
      ...(user.extra !== undefined && {
        extra: Object.fromEntries(
          Object.entries(user.extra).map(([key, held]) => [key, [...held]]),
        ),
      }),
    },
    dryRun,
    // A connection has no other options than its object.
    options: operation === 'CONNECT' ? null : options,
  };
}

function kindOf({ group, version, kind }: GroupVersionKind): JsonObject {
  return { group, version, kind };
}

function resourceOf({ group, version, plural }: MatchedResource['resource']['facts']): JsonObject {
  return { group, version, resource: plural };
}

/** Returns the AdmissionReview for a webhook. */
export function admissionReview(
  uid: string,
  version: 'v1' | 'v1beta1',
  versioned: VersionedAttributes,
): JsonObject {
  const { options, dryRun, userInfo, operation, ...facts } = requestFacts(
    versioned.attributes,
    versioned,
  );
  return {
    kind: 'AdmissionReview',
    apiVersion: `admission.k8s.io/${version}`,
    request: {
      uid,
      ...facts,
      operation: operation ?? null,
      userInfo: userInfo ?? null,
      object: (versioned.object ?? null) as JsonObject | null,
      oldObject: (versioned.oldObject ?? null) as JsonObject | null,
      dryRun: dryRun ?? false,
      options: options ?? null,
    },
  };
}

/** The fields that the response to a review must repeat. */
export interface ExpectedResponse {
  readonly uid: string;
  readonly version: 'v1' | 'v1beta1';
  readonly mutating: boolean;
}

/**
 * Checks a response. Throws `WebhookCallError` with the words of kube-apiserver. As there, responses of v1beta1 need no
 * uid, kind and patch type.
 */
export function checkedResponse(review: JsonObject, expected: ExpectedResponse): AdmissionResponse {
  checkRegistered(review, { group, version: expected.version, kind });
  const { response } = review;
  if (response === undefined || response === null) throw invalid('webhook response was absent');
  if (!isJsonObject(response))
    throw mistyped('AdmissionReview.response', response, 'v1.AdmissionResponse');
  checkNames(response);
  decodeResponse(reviewType(), response);
  if (expected.version === 'v1') checkIdentity(review, response, expected);
  const patch = textOf(response, 'patch');
  const patchType = textOf(response, 'patchType');
  if (expected.version === 'v1') checkPatch(patch, patchType, expected.mutating);
  return {
    allowed: response['allowed'] === true,
    warnings: (response['warnings'] ?? []) as readonly string[],
    patch: expected.mutating && patch ? Buffer.from(patch, 'base64').toString() : undefined,
    patchType: expected.version === 'v1' ? patchType : 'JSONPatch',
    status: isJsonObject(response['status']) ? response['status'] : undefined,
  };
}

/** Checks the texts whose Go type is not `string`, because the errors name it. */
function checkNames({ uid, patchType, status }: JsonObject): void {
  const reason = isJsonObject(status) ? status['reason'] : undefined;
  const texts = [
    ['AdmissionResponse.response.uid', uid, 'types.UID'],
    ['AdmissionResponse.response.patchType', patchType, 'v1.PatchType'],
    ['Status.response.status.reason', reason, 'v1.StatusReason'],
  ] as const;
  for (const [field, value, type] of texts) {
    if (value === undefined || value === null || typeof value === 'string') continue;
    throw mistyped(field, value, type);
  }
}

const group = 'admission.k8s.io';
const kind = 'AdmissionReview';

/** The type of an AdmissionReview, as far as webhooks send it. */
const reviewType = lazy(() =>
  structOf('admission.v1.AdmissionReview', {
    response: structOf('admission.v1.AdmissionResponse', {
      uid: string,
      allowed: { kind: 'scalar', scalar: 'boolean' },
      status: builtinStruct('meta.v1.Status'),
      patch: { kind: 'scalar', scalar: 'bytes' },
      patchType: string,
      auditAnnotations: { kind: 'map', atomic: false, value: string },
      warnings: { kind: 'list', list: 'atomic', keys: [], item: string },
    }),
  }),
);

function checkIdentity(review: JsonObject, response: JsonObject, { uid }: ExpectedResponse): void {
  const got = textOf(response, 'uid') ?? '';
  if (got !== uid) {
    throw invalid(`expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(got)}`);
  }
  const expected = 'admission.k8s.io/v1, Kind=AdmissionReview';
  const found = typeOfReview(review);
  if (found !== expected) throw invalid(`expected webhook response of ${expected}, got ${found}`);
}

function checkPatch(patch: string | undefined, type: string | undefined, mutating: boolean): void {
  const hasPatch = patch !== undefined && patch !== '';
  if (!mutating) {
    if (hasPatch) throw invalid('validating webhook may not return response.patch');
    if (type !== undefined) throw invalid('validating webhook may not return response.patchType');
    return;
  }
  if (hasPatch && type === undefined) {
    throw invalid('webhook returned response.patch but not response.patchType');
  }
  if (!hasPatch && type !== undefined) {
    throw invalid('webhook returned response.patchType but not response.patch');
  }
  if (type === '') throw invalid('webhook returned invalid response.patchType of ""');
}

/** A response that is not a valid review. */
export class InvalidResponseError extends WebhookCallError {}

function invalid(why: string): InvalidResponseError {
  return new InvalidResponseError(why);
}

function textOf(object: JsonObject, member: string): string | undefined {
  const value = object[member];
  return typeof value === 'string' ? value : undefined;
}
