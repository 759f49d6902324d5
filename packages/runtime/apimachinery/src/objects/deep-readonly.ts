import type { KubernetesObject } from './kubernetes-object.ts';
import type { Persisted } from './persisted.ts';

/**
 * An object that is read-only at every level, such as an object in a cache. `unknown` stays `unknown`, which
 * cannot be modified either.
 */
export type DeepReadonly<T> = { readonly [Key in keyof T]: ReadonlyValue<T[Key]> };

/**
 * An object as a cache returns it: as the server stored it, and read-only. The parameter of functions that take one.
 */
export type Cached<T extends KubernetesObject = KubernetesObject> = DeepReadonly<Persisted<T>>;

/** Is separate from `DeepReadonly`, so that the compiler prints `DeepReadonly<Pod>` instead of all members. */
type ReadonlyValue<T> = T extends object ? DeepReadonly<T> : T;
