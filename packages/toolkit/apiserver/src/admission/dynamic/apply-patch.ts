import { StatusError } from '@keelson/apimachinery';
import {
  asJson,
  isJsonObject,
  jsonEquals,
  type JsonObject,
  type JsonValue,
} from '@keelson/structural-schema';
import { goKind } from '../../json/json-syntax-error.ts';
import { parseJson } from '../../json/parse-json.ts';
import { jsonPatch } from '../../patch/json-patch.ts';
import { DecodeError } from '../../schema/decode-error.ts';
import { internalError } from '../../status-errors/status-errors.ts';
import type { ApiObject } from '../../storage/api-object.ts';
import type { KindSchema } from '../../schema/kind-schema.ts';
import { WebhookCallError } from '../../webhooks/webhook-call-error.ts';
import type { AdmissionResponse } from './admission-review.ts';
import { patchFailure } from './patch-failure.ts';
import { checkPatchedKind } from './patched-kind.ts';
import type { VersionedAttributes } from './versioned-attributes.ts';
import type { WebhookSpec } from './webhook-source.ts';

/** Applies the patch of a webhook to the object. Returns true if the object has changed. */
export function applyWebhookPatch(
  { name }: WebhookSpec,
  { patch, patchType }: AdmissionResponse,
  versioned: VersionedAttributes,
): boolean {
  const operations = patch === undefined ? [] : parsedPatch(patch);
  if (operations.length === 0) return false;
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
  checkPatchedKind(versioned, patched);
  const { changed, result } = completed(object, patched, schemaOf(versioned));
  versioned.object = result;
  return changed;
}

/** Returns the operations of a patch. As in Go, null is an empty patch or operation. */
function parsedPatch(text: string): JsonObject[] {
  const value = parsed(text) ?? [];
  if (!Array.isArray(value)) throw mistyped(value, 'Patch');
  return value.map((given) => {
    const operation = given ?? {};
    if (!isJsonObject(operation)) throw mistyped(operation, 'Operation');
    return operation;
  });
}

function parsed(text: string): JsonValue {
  try {
    return parseJson(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw undecodable(error.message);
  }
}

function mistyped(value: JsonValue, type: string): WebhookCallError {
  return undecodable(
    `json: cannot unmarshal ${goKind(value)} into Go value of type jsonpatch.${type}`,
  );
}

function undecodable(why: string): WebhookCallError {
  return new WebhookCallError(`received undecodable patch in webhook response: ${why}`);
}

function applied(object: ApiObject, operations: readonly JsonObject[]): unknown {
  try {
    return jsonPatch(asJson(object), [...operations]);
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    throw internalError(failureOf(asJson(object), operations, error));
  }
}

/** Finds the operation that fails, and words its failure for the object as the operations before left it. */
function failureOf(
  object: JsonObject,
  operations: readonly JsonObject[],
  error: StatusError,
): string {
  let document: JsonValue = object;
  for (const operation of operations) {
    try {
      document = jsonPatch(document, [operation]);
    } catch (failure) {
      if (!(failure instanceof StatusError)) throw failure;
      return patchFailure(document, failure.facts);
    }
  }
  return patchFailure(document, error.facts);
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
  // A value of another type is refused when it is decoded.
  if ((result.metadata ?? null) === null) result.metadata = {};
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
