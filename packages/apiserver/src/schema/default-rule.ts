import { cloneJson, isJsonObject, type JsonObject, type JsonValue } from '../json/json-value.ts';

/** Completes one struct in place; nested structs have their own rules, which run after it. */
export type DefaultRule = (object: JsonObject) => void;

/** Rules by the name of the struct they complete: `core.v1.Container`. */
export type DefaultRules = Readonly<Record<string, DefaultRule>>;

/** Gives each named field a copy of its value where it has none; an empty text is none. */
export function fill(object: JsonObject, values: JsonObject): void {
  for (const key of Object.keys(values)) {
    const value = object[key];
    if (value === undefined || value === null || value === '') {
      object[key] = cloneJson(values[key] as JsonValue);
    }
  }
}

/** A rule that only fills in constants. */
export function constants(values: JsonObject): DefaultRule {
  return (object) => fill(object, values);
}

/** The object under a key, `{}` that is not part of the parent if there is none. */
export function objectAt(parent: JsonObject, key: string): JsonObject {
  const value = parent[key];
  return isJsonObject(value) ? value : {};
}

/** The object under a key, made if there is none. */
export function ensureObject(parent: JsonObject, key: string): JsonObject {
  const value = parent[key];
  if (isJsonObject(value)) return value;
  const made: JsonObject = {};
  parent[key] = made;
  return made;
}

/** The objects in the list under a key. */
export function objectsAt(parent: JsonObject, key: string): JsonObject[] {
  const value = parent[key];
  return Array.isArray(value) ? value.filter((item) => isJsonObject(item)) : [];
}

/** The text under a key, the fallback if there is none. */
export function textAt(object: JsonObject, key: string, fallback = ''): string {
  const value = object[key];
  return typeof value === 'string' ? value : fallback;
}
