/** An object of JSON. */
export type JsonRecord = Readonly<Record<string, unknown>>;

/** True for an object that is neither null nor a list. */
export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Freezes a value of JSON at every level, so that a handler cannot change what others read. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const member of Object.values(value)) deepFreeze(member);
  return Object.freeze(value);
}

/** The depth at which a value may be a cycle. */
const MAX_PLAIN_DEPTH = 100;

/**
 * Returns the value as it is after its way through JSON, which is the value itself if it consists of JSON. Throws a `TypeError` with the path of a value that JSON does not
 * have, such as a function, NaN or a cycle. A member that is `undefined` is left out.
 */
export function throughJson(value: unknown): unknown {
  if (isPlainJson(value)) return value;
  const text = JSON.stringify(
    value,
    function replacer(this: unknown, key: string, member: unknown) {
      if (!isJson(member, Array.isArray(this)))
        throw new TypeError(`${key} is not a value of JSON`);
      return member;
    },
  );
  return JSON.parse(text);
}

/** True for a value that JSON keeps as it is. Nothing is copied, so that the check costs a fraction of the way. */
function isPlainJson(value: unknown, depth = 0): boolean {
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return true;
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || depth > MAX_PLAIN_DEPTH) return false;
  if (Array.isArray(value)) {
    // A loop by index, because `every` skips holes.
    for (let index = 0; index < value.length; index += 1) {
      if (!isPlainJson(value[index], depth + 1)) return false;
    }
    return true;
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return false;
  for (const key of Object.keys(value)) {
    if (!isPlainJson((value as JsonRecord)[key], depth + 1) || key === 'toJSON') return false;
  }
  return true;
}

function isJson(value: unknown, isInList: boolean): boolean {
  if (value === undefined) return !isInList;
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || value === null) {
    return value === null || ['string', 'boolean'].includes(typeof value);
  }
  // JSON would write a promise, a Map or an Error as an object without members.
  return ['[object Object]', '[object Array]'].includes(Object.prototype.toString.call(value));
}
