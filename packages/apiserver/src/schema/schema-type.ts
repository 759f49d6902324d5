/**
 * The shape of one kind of object as merging, ownership and decoding need it. Built-in kinds and
 * custom resources share it; types are recursive, so a field computes its type when first asked.
 */
export type SchemaType = StructType | MapType | ListType | ScalarType | UntypedType;

/** An object with known fields. */
export interface StructType {
  readonly kind: 'struct';
  /** The name of the type in the data (`apps.v1.DeploymentSpec`), empty for custom resources. */
  readonly name: string;
  /** An atomic struct has one owner as a whole. */
  readonly atomic: boolean;
  readonly fields: ReadonlyMap<string, Field>;
  /** The fields that are written even where there is no value. */
  readonly present: readonly (readonly [string, Field])[];
  /** Fields that no schema knows are kept (`x-kubernetes-preserve-unknown-fields`). */
  readonly open: boolean;
}

/** An object with free keys. */
export interface MapType {
  readonly kind: 'map';
  readonly atomic: boolean;
  readonly value: SchemaType;
}

/** An array; `keys` name the fields that identify an item of a `map` list. */
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

/** Anything. With `atomic` false objects are divided among owners by their keys. */
export interface UntypedType {
  readonly kind: 'untyped';
  readonly atomic: boolean;
}

export type Scalar =
  | 'string'
  | 'int32'
  | 'int64'
  | 'double'
  | 'boolean'
  | 'bytes'
  | 'time'
  | 'microTime'
  | 'quantity'
  | 'intOrString';

/** One field of a struct. */
export interface Field {
  readonly type: SchemaType;
  readonly required: boolean;
  readonly empty: EmptyMode;
  /** The default that the schema itself names; list keys are completed with it. */
  readonly default?: unknown;
  /** The values that the type allows. */
  readonly enum?: readonly string[];
  /** The key by which strategic merge patch merges the items of this list. */
  readonly mergeKey?: string;
  /** What strategic merge patch does with this field. */
  readonly patch: {
    readonly merge: boolean;
    readonly retainKeys: boolean;
    /** Takes an object whole where others would merge. */
    readonly replace?: boolean;
  };
}

/**
 * What becomes of a field without value when the typed server writes the object back. `optional`: what was
 * given stays, null vanishes. `dropped`: zero values vanish too. `zero`, `null`: where there is none, a zero
 * value or a null is written.
 */
export type EmptyMode = 'optional' | 'dropped' | 'zero' | 'null';

/** What a custom resource keeps without knowing it. */
export const untyped: UntypedType = { kind: 'untyped', atomic: false };

/** What a built-in kind holds as raw JSON, such as the data of a ControllerRevision. */
export const rawJson: UntypedType = { kind: 'untyped', atomic: true };
