import { jsonPatch } from '../../patch/json-patch.ts';
import { goText, isJsonObject, type JsonObject, type JsonValue } from '@keelson/structural-schema';
import { goKind } from '../../json/json-syntax-error.ts';
import { mergePatch } from '../../patch/merge-patch.ts';
import { parseJson } from '../../json/parse-json.ts';
import { strategicMergePatch } from '../../patch/strategic-merge-patch.ts';
import type { ServedResource } from '../../resources/served-resource.ts';
import type { SchemaType } from '../../schema/schema-type.ts';
import { badRequest, failure, unsupportedMediaType } from '../../status-errors/status-errors.ts';
import { decodeNumbers, checkRange } from '../../json/decode-numbers.ts';

export const applyType = 'application/apply-patch+yaml';
const strategicType = 'application/strategic-merge-patch+json';

/** A decoded JSON patch, merge patch or strategic merge patch. */
export interface Patch {
  /** Computes the new object from the current one. */
  readonly next: (object: JsonValue) => JsonValue;
  /** A strategic patch in Go's format, for the refusal of a result that does not decode. */
  readonly shown?: string;
}

const patches: Readonly<
  Record<string, (type: SchemaType, object: JsonValue, patch: JsonValue) => JsonValue>
> = {
  'application/json-patch+json': (_type, object, patch) => jsonPatch(object, patch),
  'application/merge-patch+json': (_type, object, patch) => mergePatch(object, patch),
  [strategicType]: (type, object, patch) => strategicMergePatch(type, object as JsonObject, patch),
};

/**
 * Returns the media type of a patch. Throws 415 if the resource does not support it. As in kube-apiserver the case counts. Its
 * router accepts any type of a list, and its handler reads all before the first semicolon, also spaces.
 */
export function patchTypeOf(
  { facts: { custom } }: ServedResource,
  header: string | undefined = '',
): string {
  if (!header.split(',').some((each) => isPatchType(beforeParameters(each).trim()))) {
    throw failure(415, 'UnsupportedMediaType', '415: Unsupported Media Type', {});
  }
  const type = beforeParameters(header);
  if (isPatchType(type) && !(custom && type === strategicType)) return type;
  const accepted = [...Object.keys(patches), applyType].filter(
    (each) => !(custom && each === strategicType),
  );
  throw unsupportedMediaType(
    `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`,
  );
}

function isPatchType(type: string): boolean {
  return type === applyType || Object.hasOwn(patches, type);
}

function beforeParameters(header: string): string {
  return header.split(';', 1)[0] ?? '';
}

/** Decodes a patch other than an apply. Throws 400 if it is malformed. */
export function readPatch(patchType: string, type: SchemaType, body: Buffer): Patch {
  const apply = patches[patchType];
  if (apply === undefined) throw unsupportedMediaType('415: Unsupported Media Type');
  const patch = parsedPatch(patchType, body.toString());
  if (patchType !== 'application/json-patch+json' && !isJsonObject(patch)) {
    throw notAnObject(patchType, patch);
  }
  const next = (object: JsonValue): JsonValue => apply(type, object, patch);
  return patchType === strategicType ? { next, shown: goText(patch) } : { next };
}

function parsedPatch(patchType: string, text: string): JsonValue {
  try {
    const patch = parseJson(text);
    // Go decodes numbers of a strategic patch without types, and those of other patches as text.
    if (patchType === strategicType) return decodeNumbers(patch) as JsonValue;
    checkRange(patch, Array.isArray(patch) ? 'Go struct field jsonPatchOp.value' : 'Go value');
    return patch;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw undecodable(patchType, error.message);
  }
}

function undecodable(patchType: string, why: string): Error {
  const isStrategic = patchType === strategicType;
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
