import { cloneJson, isJsonObject, type JsonObject, type JsonValue } from '../json/json-value.ts';

/** Sets the defaults of one struct in place. Nested structs have their own rules, which run afterwards. */
export type DefaultRule = (object: JsonObject) => void;

/** Rules by the name of their struct: `core.v1.Container`. */
export type DefaultRules = Readonly<Record<string, DefaultRule>>;

/** Copies each default into its field if the field is missing, null or the empty string. */
export function fill(object: JsonObject, values: JsonObject): void {
  for (const key of Object.keys(values)) {
    const value = object[key];
    if (value === undefined || value === null || value === '') {
      object[key] = cloneJson(values[key] as JsonValue);
    }
  }
}

/** Returns a rule that sets constant defaults. */
export function constants(values: JsonObject): DefaultRule {
  return (object) => fill(object, values);
}

/** Returns the object under a key; a new `{}` outside the parent if the member is not an object. */
export function objectAt(parent: JsonObject, key: string): JsonObject {
  const value = parent[key];
  return isJsonObject(value) ? value : {};
}

/** Returns the object under a key and creates it if it is missing. */
export function ensureObject(parent: JsonObject, key: string): JsonObject {
  const value = parent[key];
  if (isJsonObject(value)) return value;
  const made: JsonObject = {};
  parent[key] = made;
  return made;
}

/** Returns the objects in the list under a key. */
export function objectsAt(parent: JsonObject, key: string): JsonObject[] {
  const value = parent[key];
  return Array.isArray(value) ? value.filter((item) => isJsonObject(item)) : [];
}

/** Returns the string under a key, or the fallback. */
export function textAt(object: JsonObject, key: string, fallback = ''): string {
  const value = object[key];
  return typeof value === 'string' ? value : fallback;
}
