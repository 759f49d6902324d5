import type { ObjectMeta } from './kubernetes-object.ts';

/**
 * The JSON type of a client-node model. A `Date` is an RFC 3339 string, a field that the generator renamed
 * has its original name (`from`, not `_from`), `any` is `unknown`, and `metadata` is this package's
 * `ObjectMeta`.
 */
export type Wire<T> = IsAny<T> extends true ? unknown : WireValue<T>;

type IsAny<T> = 0 extends 1 & T ? true : false;

type WireValue<T> = T extends Date
  ? string
  : T extends readonly (infer Item)[]
    ? Wire<Item>[]
    : T extends object
      ? WireObject<T>
      : T;

/** The JSON type of an object. The member `managedFields` identifies `V1ObjectMeta`, because no other model has it. */
type WireObject<T extends object> = 'managedFields' extends keyof T
  ? string extends keyof T
    ? WireMembers<T>
    : ObjectMeta
  : WireMembers<T>;

type WireMembers<T extends object> = {
  [Key in keyof T as WireName<Key, keyof T>]: Wire<T[Key]>;
};

/**
 * The name of a member in JSON. Generated models put `_` before reserved words and for the `-` of
 * `x-kubernetes-…`, and drop the `$` of two members of a JSON schema.
 */
type WireName<Key, Siblings> = string extends Key
  ? Key
  : Key extends `_${infer Name}`
    ? Name
    : Key extends `x_kubernetes_${string}`
      ? Dashed<Key>
      : Key extends 'ref' | 'schema'
        ? SchemaName<Key, Siblings>
        : Key;

type SchemaName<Key extends string, Siblings> = 'x_kubernetes_map_type' extends Siblings
  ? `$${Key}`
  : Key;

type Dashed<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}-${Dashed<Tail>}`
  : Name;
