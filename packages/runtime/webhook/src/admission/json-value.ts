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

/**
 * Returns the value as it is after its way through JSON. Throws a `TypeError` with the path of a value that JSON does not
 * have, such as a function, NaN or a cycle. A member that is `undefined` is left out.
 */
export function throughJson(value: unknown): unknown {
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

function isJson(value: unknown, isInList: boolean): boolean {
  if (value === undefined) return !isInList;
  if (typeof value === 'number') return Number.isFinite(value);
  return ['object', 'string', 'boolean'].includes(typeof value);
}
