/**
 * An object that is read-only at every level, such as an object in a cache. `unknown` stays `unknown`, which
 * cannot be modified either.
 */
export type DeepReadonly<T> = { readonly [Key in keyof T]: ReadonlyValue<T[Key]> };

/** A type of its own, so that the compiler prints `DeepReadonly<Pod>` and not all members. */
type ReadonlyValue<T> = T extends object ? DeepReadonly<T> : T;
