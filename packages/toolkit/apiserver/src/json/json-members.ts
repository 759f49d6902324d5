import { isJsonObject, type JsonObject, ownValue, setOwn } from '@keelson/structural-schema';

/** Returns the object under a key; a new `{}` outside the parent if the member is not an object. */
export function objectAt(parent: JsonObject, key: string): JsonObject {
  const value = ownValue(parent, key);
  return isJsonObject(value) ? value : {};
}

/** Returns the object under a key and creates it if it is missing. */
export function ensureObject(parent: JsonObject, key: string): JsonObject {
  const value = ownValue(parent, key);
  if (isJsonObject(value)) return value;
  const made: JsonObject = {};
  setOwn(parent, key, made);
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

/** Returns the strings in the list under a key. */
export function textsAt(parent: JsonObject, key: string): string[] {
  const value = parent[key];
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}
