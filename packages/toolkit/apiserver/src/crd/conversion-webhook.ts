import { randomUUID } from 'node:crypto';
import {
  asJson,
  cloneJson,
  isJsonObject,
  type JsonObject,
  jsonText,
  lazy,
  sortMembers,
  validateLabels,
} from '@keelson/structural-schema';
import { goKind } from '../json/json-syntax-error.ts';
import { builtinStruct } from '../schema/builtin-types.ts';
import { rawJson } from '../schema/schema-type.ts';
import { failure } from '../status-errors/status-errors.ts';
import type { ApiObject } from '../storage/api-object.ts';
import {
  checkRegistered,
  decodeResponse,
  mistyped,
  string,
  structOf,
} from '../webhooks/decode-response.ts';
import { typeOfReview } from '../webhooks/decode-review.ts';
import { WebhookCallError } from '../webhooks/webhook-call-error.ts';
import type { WebhookClient, WebhookClientConfig } from '../webhooks/webhook-client.ts';

/** `spec.conversion.webhook` of a definition. */
export interface ConversionWebhookSpec {
  readonly clientConfig?: WebhookClientConfig;
  readonly conversionReviewVersions?: readonly string[];
}

/** kube-apiserver's limit of a call. */
const TIMEOUT_SECONDS = 30;

/**
 * Converts custom resources between versions by a webhook. Source: `apiserver/conversion/webhook_converter.go` of
 * apiextensions-apiserver.
 */
export class ConversionWebhook {
  readonly #client: WebhookClient;
  readonly #spec: ConversionWebhookSpec;

  constructor(client: WebhookClient, spec: ConversionWebhookSpec) {
    this.#client = client;
    this.#spec = spec;
  }

  /**
   * Returns an object with `apiVersion` and `kind` in another version. Metadata other than labels and annotations stays.
   * Throws 500 with the words of kube-apiserver.
   */
  async convert(object: ApiObject, apiVersion: string): Promise<ApiObject> {
    const subject = `conversion webhook for ${typeOfObject(object)}`;
    const objects = await this.#convertedBy(object, apiVersion, subject);
    if (objects.length !== 1) {
      throw refused(`${subject} returned ${objects.length} objects, expected 1`);
    }
    return checked(object, objects[0], { apiVersion, subject });
  }

  async #convertedBy(
    object: ApiObject,
    apiVersion: string,
    subject: string,
  ): Promise<readonly unknown[]> {
    const { conversionReviewVersions = [], clientConfig = {} } = this.#spec;
    const version = conversionReviewVersions.find((each) => each === 'v1' || each === 'v1beta1');
    if (version === undefined) throw refused('no supported conversion review versions');
    const uid = randomUUID();
    const review = reviewOf(uid, version, { object, apiVersion });
    try {
      const call = { config: clientConfig, review, timeoutSeconds: TIMEOUT_SECONDS };
      return convertedObjects(await this.#client.call(call), uid, version);
    } catch (error) {
      if (!(error instanceof WebhookCallError)) throw error;
      throw refused(`${subject} failed: ${error.message}`);
    }
  }
}

function reviewOf(
  uid: string,
  version: string,
  { object, apiVersion }: { readonly object: ApiObject; readonly apiVersion: string },
): JsonObject {
  return {
    kind: 'ConversionReview',
    apiVersion: `apiextensions.k8s.io/${version}`,
    request: { uid, desiredAPIVersion: apiVersion, objects: [withoutVersion(object)] },
    response: { uid: '', convertedObjects: null, result: { metadata: {} } },
  };
}

/** kube-apiserver converts what it reads before it sets the resourceVersion, and what it writes after it has removed it. */
function withoutVersion(object: ApiObject): JsonObject {
  const { resourceVersion: _resourceVersion, ...metadata } = object.metadata;
  return asJson({ ...object, metadata });
}

/** Returns the objects of a response that indicates success. Throws `WebhookCallError`. */
function convertedObjects(review: JsonObject, uid: string, version: string): readonly unknown[] {
  checkRegistered(review, { group: 'apiextensions.k8s.io', version, kind: 'ConversionReview' });
  const { response = null } = review;
  if (version === 'v1') {
    const expected = 'apiextensions.k8s.io/v1, Kind=ConversionReview';
    const got = typeOfReview(review);
    if (got !== expected) {
      throw new WebhookCallError(`expected webhook response of ${expected}, got ${got}`);
    }
  }
  if (response === null) throw new WebhookCallError('no response provided');
  if (!isJsonObject(response))
    throw mistyped('ConversionReview.response', response, 'v1.ConversionResponse');
  decodeMembers(response);
  if (version === 'v1' && response['uid'] !== uid) {
    const got = JSON.stringify(response['uid'] ?? '');
    throw new WebhookCallError(`expected response.uid=${JSON.stringify(uid)}, got ${got}`);
  }
  const result = isJsonObject(response['result']) ? response['result'] : {};
  const { status = '', message } = result;
  if (status !== 'Success') {
    const why = `response.result.status was '${jsonText(status).replaceAll('"', '')}', not 'Success'`;
    throw new WebhookCallError(typeof message === 'string' && message !== '' ? message : why);
  }
  return Array.isArray(response['convertedObjects']) ? response['convertedObjects'] : [];
}

/** Checks the members of a response. The objects are decoded one by one later. */
function decodeMembers(response: JsonObject): void {
  const { uid = null, convertedObjects: objects = null } = response;
  if (uid !== null && typeof uid !== 'string') {
    throw mistyped('ConversionResponse.response.uid', uid, 'types.UID');
  }
  if (objects !== null && !Array.isArray(objects)) {
    const field = 'ConversionResponse.response.convertedObjects';
    throw mistyped(field, objects, '[]runtime.RawExtension');
  }
  decodeResponse(reviewType(), response);
}

/** The type of a ConversionReview, as far as webhooks send it. */
const reviewType = lazy(() =>
  structOf('apiextensions.v1.ConversionReview', {
    response: structOf('apiextensions.v1.ConversionResponse', {
      uid: string,
      convertedObjects: { kind: 'list', list: 'atomic', keys: [], item: rawJson },
      result: builtinStruct('meta.v1.Status'),
    }),
  }),
);

/** Checks a converted object and restores its metadata. */
function checked(
  original: ApiObject,
  converted: unknown,
  { apiVersion, subject }: { readonly apiVersion: string; readonly subject: string },
): ApiObject {
  if (converted === null) throw refused('unexpected end of JSON input');
  if (!isJsonObject(converted)) {
    const type = 'map[string]interface {}';
    throw refused(`json: cannot unmarshal ${goKind(converted)} into Go value of type ${type}`);
  }
  if (typeof converted['kind'] !== 'string' || isUnreadable(converted['apiVersion'])) {
    throw refused(`Object 'Kind' is missing in '${jsonText(sortMembers(converted))}'`);
  }
  const object = converted as ApiObject;
  const invalid = `${subject} returned invalid object`;
  if (object.apiVersion !== apiVersion) {
    const got = object.apiVersion ?? '';
    throw refused(
      `${invalid} at index 0: invalid groupVersion (expected ${apiVersion}, received ${got})`,
    );
  }
  if (object.kind !== original.kind) {
    const [expected = '', got = ''] = [original.kind, object.kind];
    throw refused(`${invalid} at index 0: invalid kind (expected ${expected}, received ${got})`);
  }
  const metadata: unknown = object.metadata;
  const given = isJsonObject(metadata) ? metadata : {};
  for (const [member, what] of identity) {
    const [before, after] = [original.metadata[member] ?? '', given[member] ?? ''];
    if (before === after) continue;
    const got = typeof after === 'string' ? after : '';
    throw refused(`${invalid}: must have the same ${what}: ${before} != ${got}`);
  }
  const problem = restoreMetadata(original, object);
  if (problem !== undefined) throw refused(`${subject} returned invalid metadata: ${problem}`);
  return object;
}

/** True for an invalid version of a group: Go reads neither it nor the kind beside it. */
function isUnreadable(apiVersion: unknown): boolean {
  return typeof apiVersion === 'string' && apiVersion.split('/').length > 2;
}

const identity = [
  ['name', 'name'],
  ['namespace', 'namespace'],
  ['uid', 'UID'],
] as const;

/** A webhook may change labels and annotations alone. Returns the reason if they are invalid. */
function restoreMetadata(original: ApiObject, converted: ApiObject): string | undefined {
  const given: unknown = converted.metadata;
  if (given === undefined) return 'missing metadata in converted object';
  if (!isJsonObject(given))
    return `invalid metadata of type ${goTypeOf(given)} in converted object`;
  const metadata = cloneJson(original.metadata);
  for (const member of ['labels', 'annotations'] as const) {
    const values = given[member];
    delete metadata[member];
    if (values === undefined || values === null) continue;
    if (!isJsonObject(values)) {
      return `invalid metadata.${member} of type ${goTypeOf(values)} in converted object`;
    }
    const wrong = Object.entries(values).find(([, value]) => typeof value !== 'string');
    if (wrong !== undefined) {
      const [key, value] = wrong;
      return `metadata.${member}[${key}] must be a string, but is ${goTypeOf(value)} in converted object`;
    }
    metadata[member] = values as Record<string, string>;
  }
  converted.metadata = metadata;
  const annotations = Object.keys(metadata.annotations ?? {});
  const causes = [
    ...validateLabels(metadata.labels ?? {}, 'metadata.labels'),
    // The keys of annotations are those of labels in any case. kube-apiserver names the field so.
    ...annotations.flatMap((key) =>
      validateLabels({ [key.toLowerCase()]: '' }, 'metadata.annotation'),
    ),
  ];
  const shown = causes.map(({ field, message }) => `${field}: ${message}`);
  return shown.length > 1 ? `[${shown.join(', ')}]` : shown[0];
}

/** The Go type of a decoded JSON value. */
function goTypeOf(value: unknown): string {
  if (value === null) return '<nil>';
  if (Array.isArray(value)) return '[]interface {}';
  if (isJsonObject(value)) return 'map[string]interface {}';
  const kind = goKind(value);
  return kind === 'number' ? 'int64' : kind;
}

/** `example.com/v1, Kind=Widget`. */
function typeOfObject({ apiVersion = '', kind = '' }: ApiObject): string {
  return `${apiVersion}, Kind=${kind}`;
}

/** kube-apiserver has no reason for a failed conversion. */
function refused(message: string): Error {
  return failure(500, '', message);
}
