import { StatusError } from '@keelson/apimachinery';
import {
  asJson,
  isJsonObject,
  jsonEquals,
  type JsonObject,
  type JsonValue,
} from '@keelson/structural-schema';
import { parseJson } from '../../json/parse-json.ts';
import { jsonPatch } from '../../patch/json-patch.ts';
import { DecodeError } from '../../schema/decode-error.ts';
import { internalError } from '../../status-errors/status-errors.ts';
import type { ApiObject } from '../../storage/api-object.ts';
import type { KindSchema } from '../../schema/kind-schema.ts';
import { WebhookCallError } from '../../webhooks/webhook-call-error.ts';
import type { AdmissionResponse } from './admission-review.ts';
import type { VersionedAttributes } from './versioned-attributes.ts';
import type { WebhookSpec } from './webhook-source.ts';

/** Applies the patch of a webhook to the object. Returns true if the object has changed. */
export function applyWebhookPatch(
  { name }: WebhookSpec,
  { patch, patchType }: AdmissionResponse,
  versioned: VersionedAttributes,
): boolean {
  const operations = patch === undefined ? [] : parsedPatch(patch);
  if (Array.isArray(operations) && operations.length === 0) return false;
  const { object } = versioned;
  if (object === undefined) {
    throw internalError(
      `admission webhook ${JSON.stringify(name)} attempted to modify the object, which is not supported for this operation`,
    );
  }
  if (patchType !== 'JSONPatch') {
    throw new WebhookCallError(`unsupported patch type ${JSON.stringify(patchType ?? '')}`);
  }
  const patched = applied(object, operations);
  const { changed, result } = completed(object, patched, schemaOf(versioned));
  versioned.object = result;
  return changed;
}

function parsedPatch(text: string): JsonValue {
  try {
    const value = parseJson(text);
    if (Array.isArray(value)) return value;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw undecodable(error.message);
  }
  throw undecodable('json: cannot unmarshal object into Go value of type jsonpatch.Patch');
}

function undecodable(why: string): WebhookCallError {
  return new WebhookCallError(`received undecodable patch in webhook response: ${why}`);
}

function applied(object: ApiObject, operations: JsonValue): unknown {
  try {
    return jsonPatch(asJson(object), operations);
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    throw internalError(patchFailure(asJson(object), error.facts));
  }
}

/** The message of Go's patch library for an operation that does not apply. */
export function patchFailure(object: JsonObject, { op, path }: StatusError['facts']): string {
  const at = String(path);
  const keys = at.split('/').slice(1).map(unescaped);
  const key = keys.at(-1) ?? '';
  const isOrphan = at === '' || valueAt(object, keys.slice(0, -1)) === undefined;
  switch (op) {
    case 'add':
      if (isOrphan)
        return `add operation does not apply: doc is missing path: "${at}": missing value`;
      return `error in add for path: '${at}': Unable to access invalid index: ${key}: invalid index referenced`;
    case 'remove':
      if (isOrphan)
        return `remove operation does not apply: doc is missing path: "${at}": missing value`;
      return `error in remove for path: '${at}': Unable to remove nonexistent key: ${key}: missing value`;
    case 'replace':
      return `replace operation does not apply: doc is missing ${isOrphan ? 'path' : 'key'}: ${at}: missing value`;
    case 'test':
      return `testing value ${at} failed: test failed`;
    case 'move':
    case 'copy':
      return `${op} operation does not apply: doc is missing from path: ${at}: missing value`;
    default:
      return `Unexpected kind: ${String(op)}`;
  }
}

function unescaped(token: string): string {
  return token.replaceAll('~1', '/').replaceAll('~0', '~');
}

function valueAt(object: JsonValue | undefined, keys: readonly string[]): JsonValue | undefined {
  return keys.reduce<JsonValue | undefined>((value, key) => {
    if (Array.isArray(value)) return value.at(Number(key));
    return isJsonObject(value) ? value[key] : undefined;
  }, object);
}

/** The schema of the version that the webhook saw. */
export function schemaOf({
  attributes,
  resource,
  kind,
}: VersionedAttributes): KindSchema | undefined {
  return kind.kind === resource.facts.kind ? resource.schema : attributes.schema;
}

/** Decodes a patched object and sets its defaults. Throws 500 if a value does not fit its type. */
export function completed(
  before: ApiObject,
  patched: unknown,
  schema: KindSchema | undefined,
): { readonly changed: boolean; readonly result: ApiObject } {
  if (!isJsonObject(patched)) throw internalError('the object of the request is none any more');
  const result = patched as ApiObject;
  if (!isJsonObject(result.metadata)) result.metadata = {};
  try {
    schema?.prune(result);
    schema?.decode(result);
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    throw internalError(error.cause instanceof DecodeError ? error.cause.message : error.message);
  }
  const changed = !jsonEquals(before, result);
  schema?.setDefaults(result);
  return { changed, result };
}
