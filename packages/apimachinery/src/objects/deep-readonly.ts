/**
 * An object that is read-only at every level, such as an object in a cache. `unknown` stays `unknown`, which
 * cannot be modified either.
 */
export type DeepReadonly<T> = T extends readonly (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> }
    : T;
