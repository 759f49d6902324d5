/**
 * The type of a value, for merging, field ownership and decoding. Built-in kinds and custom resources share it. Types
 * are recursive, so a field computes its type on first use.
 */
export type SchemaType = StructType | MapType | ListType | ScalarType | UntypedType;

/** An object with known fields. */
export interface StructType {
  readonly kind: 'struct';
  /** Name of the type in the data files (`apps.v1.DeploymentSpec`); empty for custom resources. */
  readonly name: string;
  /** An atomic struct is owned as a whole. */
  readonly atomic: boolean;
  readonly fields: ReadonlyMap<string, Field>;
  /** Fields that are written even if they have no value. */
  readonly present: readonly (readonly [string, Field])[];
  /** Keeps unknown fields (`x-kubernetes-preserve-unknown-fields`). */
  readonly open: boolean;
}

/** An object with arbitrary keys. */
export interface MapType {
  readonly kind: 'map';
  readonly atomic: boolean;
  readonly value: SchemaType;
}

/** A list; `keys` names the fields that identify an item of a list of type `map`. */
export interface ListType {
  readonly kind: 'list';
  readonly list: 'atomic' | 'set' | 'map';
  readonly keys: readonly string[];
  readonly item: SchemaType;
}

export interface ScalarType {
  readonly kind: 'scalar';
  readonly scalar: Scalar;
}

/** Any value. Unless it is atomic, objects are owned per key. */
export interface UntypedType {
  readonly kind: 'untyped';
  readonly atomic: boolean;
}

/** `formatted` is a string of a custom resource with a format other than `byte`. */
export type Scalar =
  | 'string'
  | 'formatted'
  | 'int32'
  | 'int64'
  | 'double'
  | 'boolean'
  | 'bytes'
  | 'time'
  | 'microTime'
  | 'quantity'
  | 'intOrString';

export interface Field {
  readonly type: SchemaType;
  readonly required: boolean;
  readonly empty: EmptyMode;
  /** Default in the schema. A missing key of a list item has this value. */
  readonly default?: unknown;
  /** Values that the type allows. */
  readonly enum?: readonly string[];
  /** The key by which a strategic merge patch merges items of this list. */
  readonly mergeKey?: string;
  /** How a strategic merge patch treats this field. */
  readonly patch: {
    readonly merge: boolean;
    readonly retainKeys: boolean;
    /** Replaces the whole object instead of merging it. */
    readonly replace?: boolean;
  };
}

/**
 * How the typed server writes a field without value. `optional` keeps given values and drops null. `dropped` also drops
 * zero values. `zero` and `null` write a zero value or null if the value is missing.
 */
export type EmptyMode = 'optional' | 'dropped' | 'zero' | 'null';

/** The type of values that the schema of a custom resource does not describe. */
export const untyped: UntypedType = { kind: 'untyped', atomic: false };

/** Raw JSON inside a built-in kind, such as the data of a ControllerRevision. */
export const rawJson: UntypedType = { kind: 'untyped', atomic: true };
