import { NumberText } from './number-text.ts';

/** A JSON value. A bigint is a 64-bit integer beyond 2^53. `NumberText` occurs only in request bodies and patches. */
export type JsonValue =
  | null
  | boolean
  | number
  | bigint
  | string
  | NumberText
  | JsonValue[]
  | JsonObject;

/** A JSON object. Names such as `__proto__` may be members; `ownValue` and `setOwn` handle them. */
export interface JsonObject {
  [key: string]: JsonValue;
}

/** True for an object that is neither a list nor a `NumberText`. */
export function isJsonObject(value: unknown): value is JsonObject {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof NumberText)
  );
}

/** True if a value is a number of a decoded object. */
export function isNumeric(value: unknown): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint';
}

/** True if a value is a number in any internal form. */
export function isJsonNumber(value: unknown): value is number | bigint | NumberText {
  return isNumeric(value) || value instanceof NumberText;
}

/** Views an API object as JSON; its type declares only JSON members. */
export function asJson(object: object): JsonObject {
  return object as JsonObject;
}

/** Sets an own property of any name: an assignment to `__proto__` would change the prototype instead. */
export function setOwn<T>(object: Record<string, T>, key: string, value: T): void {
  if (key !== '__proto__') {
    object[key] = value;
    return;
  }
  Object.defineProperty(object, key, {
    value,
    configurable: true,
    enumerable: true,
    writable: true,
  });
}

/** An own property or undefined: a plain read would find `constructor` in every object. */
export function ownValue<T>(object: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** Deep equality of JSON values. Ignores the order of keys; `1.0` and `1` differ. */
export function jsonEquals(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (Array.isArray(left)) {
    return (
      Array.isArray(right) &&
      left.length === right.length &&
      left.every((item, index) => jsonEquals(item, right[index]))
    );
  }
  if (left instanceof NumberText || right instanceof NumberText) {
    return isJsonNumber(left) && isJsonNumber(right) && String(left) === String(right);
  }
  if (!isJsonObject(left) || !isJsonObject(right)) return false;
  const keys = Object.keys(left);
  return (
    keys.length === Object.keys(right).length &&
    keys.every((key) => Object.hasOwn(right, key) && jsonEquals(left[key], right[key]))
  );
}

/** A deep copy of a JSON value, own properties only. */
export function cloneJson<T>(value: T): T {
  if (Array.isArray(value)) return value.map((item: unknown) => cloneJson(item)) as T;
  if (!isJsonObject(value)) return value;
  const copy: JsonObject = {};
  for (const key of Object.keys(value)) setOwn(copy, key, cloneJson(value[key] as JsonValue));
  return copy as T;
}

/** A copy whose objects have their members in alphabetical order. */
export function sortMembers(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map((item) => sortMembers(item));
  if (!isJsonObject(value)) return value;
  const keys = Object.keys(value).toSorted();
  return Object.fromEntries(keys.map((key) => [key, sortMembers(value[key] as JsonValue)]));
}
