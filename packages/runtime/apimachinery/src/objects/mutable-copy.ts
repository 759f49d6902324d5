/** An object that can be changed at every level: the reverse of `DeepReadonly`. */
export type DeepMutable<T> = { -readonly [Key in keyof T]: MutableValue<T[Key]> };

type MutableValue<T> = T extends object ? DeepMutable<T> : T;

/**
 * Returns a deep copy that can be changed, for example of an object from a cache, which is read-only. The copy of
 * JSON shares nothing with the original. Other values, such as a `Date`, are copied by `structuredClone`.
 *
 * @example
 * ```ts
 * import { mutableCopy, type DeepReadonly, type KubernetesObject } from '@keelson/manager';
 *
 * // Objects of the cache are shared by all controllers: change a copy.
 * export function withLabel(object: DeepReadonly<KubernetesObject>): KubernetesObject {
 *   const copy = mutableCopy(object);
 *   copy.metadata = { ...copy.metadata, labels: { ...copy.metadata?.labels, team: 'web' } };
 *   return copy;
 * }
 * ```
 */
export function mutableCopy<T extends object>(object: T): DeepMutable<T> {
  return copyOf(object) as DeepMutable<T>;
}

function copyOf(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(copyOf);
  if (!isPlain(value)) return structuredClone(value);
  const copy: Record<string, unknown> = {};
  for (const [key, member] of Object.entries(value)) put(copy, key, copyOf(member));
  return copy;
}

/**
 * Adds a member to a copy. An assignment to `__proto__`, a name that JSON may contain, would replace the prototype of
 * the copy.
 */
function put(copy: Record<string, unknown>, key: string, value: unknown): void {
  if (key !== '__proto__') copy[key] = value;
  else {
    Object.defineProperty(copy, key, {
      value,
      writable: true,
      enumerable: true,
      configurable: true,
    });
  }
}

/** True for an object literal of any realm and for an object without a prototype. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
