import { contentTypeOf } from '../http/media-type.ts';
import { jsonPatch } from '../patch/json-patch.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../patch/json-value.ts';
import { goKind } from '../patch/json-syntax-error.ts';
import { mergePatch } from '../patch/merge-patch.ts';
import { parseJson } from '../patch/parse-json.ts';
import { strategicMergePatch } from '../patch/strategic-merge-patch.ts';
import type { ServedResource } from '../resources/served-resource.ts';
import type { SchemaType } from '../schema/schema-type.ts';
import { badRequest, failure, unsupportedMediaType } from '../status-answers.ts';

export const applyType = 'application/apply-patch+yaml';

/** Makes the next object from the current one. */
export type PatchFunction = (object: JsonValue) => JsonValue;

const patches: Readonly<
  Record<string, (type: SchemaType, object: JsonValue, patch: JsonValue) => JsonValue>
> = {
  'application/json-patch+json': (_type, object, patch) => jsonPatch(object, patch),
  'application/merge-patch+json': (_type, object, patch) => mergePatch(object, patch),
  'application/strategic-merge-patch+json': (type, object, patch) =>
    strategicMergePatch(type, object as JsonObject, patch),
};

/** The kind of patch a request sends. Throws 415 for one that the resource does not know. */
export function patchTypeOf(resource: ServedResource, header: string | undefined): string {
  const type = contentTypeOf(header);
  if (type !== applyType && !Object.hasOwn(patches, type)) {
    throw failure(415, 'UnsupportedMediaType', '415: Unsupported Media Type', {});
  }
  if (resource.facts.custom && type === 'application/strategic-merge-patch+json') {
    throw unsupportedMediaType(
      'the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml',
    );
  }
  return type;
}

/** Reads a patch that is no apply. Throws 400 for what does not decode. */
export function patchFunction(patchType: string, type: SchemaType, body: Buffer): PatchFunction {
  const apply = patches[patchType];
  if (apply === undefined) throw unsupportedMediaType('415: Unsupported Media Type');
  const patch = parsedPatch(patchType, body.toString());
  if (patchType !== 'application/json-patch+json' && !isJsonObject(patch)) {
    throw notAnObject(patchType, patch);
  }
  return (object) => apply(type, object, patch);
}

function parsedPatch(patchType: string, text: string): JsonValue {
  try {
    return parseJson(text);
  } catch (error) {
    throw undecodable(patchType, error instanceof Error ? error.message : '');
  }
}

function undecodable(patchType: string, why: string): Error {
  const isStrategic = patchType === 'application/strategic-merge-patch+json';
  return badRequest(isStrategic ? why : `error decoding patch: ${why}`);
}

function notAnObject(patchType: string, patch: JsonValue): Error {
  if (patch === null && patchType === 'application/merge-patch+json') {
    return badRequest('Invalid JSON Patch');
  }
  return undecodable(
    patchType,
    `json: cannot unmarshal ${goKind(patch)} into Go value of type map[string]interface {}`,
  );
}
