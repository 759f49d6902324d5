import { isJsonObject, type JsonObject, setOwn } from '@keelson/structural-schema';
import { FieldSet, type PathElement } from './field-set.ts';

/** Encodes a set as the `fieldsV1` of a managed fields entry: `{"f:spec":{"f:replicas":{}}}`. */
export function encodeFieldsV1(set: FieldSet): JsonObject {
  const encoded: JsonObject = {};
  for (const element of set.elements()) {
    const child = set.children.get(element);
    const below = child === undefined ? {} : encodeFieldsV1(child);
    const isOwnMember = child !== undefined && set.members.has(element);
    setOwn(encoded, element, isOwnMember ? { '.': {}, ...below } : below);
  }
  return encoded;
}

/**
 * Decodes a `fieldsV1`; a missing one has no fields. Ignores steps of unknown types, which a later version may have. Throws
 * `TypeError` if it is malformed.
 */
export function decodeFieldsV1(encoded: unknown): FieldSet {
  if (encoded === undefined || encoded === null) return new FieldSet();
  if (!isJsonObject(encoded)) throw new TypeError('fieldsV1 is not an object');
  const members = new Set<PathElement>();
  const children = new Map<PathElement, FieldSet>();
  for (const element of Object.keys(encoded)) {
    if (element === '.' || /^[^fkvi]:/.test(element)) continue;
    if (!isWellFormed(element)) throw new TypeError(`fieldsV1 has the malformed step ${element}`);
    const below = encoded[element];
    if (!isJsonObject(below)) throw new TypeError(`fieldsV1 has no object below ${element}`);
    const keys = Object.keys(below);
    if (keys.length === 0 || keys.includes('.')) members.add(element);
    if (keys.some((key) => key !== '.')) children.set(element, decodeFieldsV1(below));
  }
  return new FieldSet(members, children);
}

function isWellFormed(element: PathElement): boolean {
  if (element.startsWith('f:')) return true;
  if (!/^[kvi]:/.test(element)) return false;
  try {
    const value: unknown = JSON.parse(element.slice(2));
    return !element.startsWith('k:') || isJsonObject(value);
  } catch {
    return false;
  }
}
