/**
 * An object whose every level is read-only: what readers of a cache see. `unknown` stays `unknown`,
 * which cannot be written to either.
 */
export type DeepReadonly<T> = T extends readonly (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> }
    : T;
