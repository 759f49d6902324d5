/** The values of `type` in a structural schema. */
export type SchemaType = 'array' | 'boolean' | 'integer' | 'number' | 'object' | 'string';

/** A CEL rule of `x-kubernetes-validations`, in the words of a CRD. `self` is the value at the schema. */
export interface ValidationRule {
  /** The CEL expression, such as `self.min <= self.max`. */
  readonly rule: string;
  readonly message?: string;
  /** A CEL expression that returns the message. */
  readonly messageExpression?: string;
  readonly reason?:
    | 'FieldValueInvalid'
    | 'FieldValueForbidden'
    | 'FieldValueRequired'
    | 'FieldValueDuplicate';
  /** The path of the field that the error names, such as `.min`. Default: the value itself. */
  readonly fieldPath?: string;
  /** True for a transition rule that also runs on create, with an optional `oldSelf`. */
  readonly optionalOldSelf?: boolean;
}

/**
 * A structural schema of Kubernetes as a literal, in the words of a CRD. `TypeOf` gives the TypeScript type of its
 * values. The combinators `allOf`, `anyOf`, `oneOf` and `not` have no type here; a CEL rule expresses the same.
 *
 * Source of the rules: "Specifying a structural schema" in the Kubernetes documentation of CRDs.
 */
export interface StructuralSchema {
  readonly type?: SchemaType;
  readonly title?: string;
  readonly description?: string;
  readonly format?: string;
  /** The value that the server writes if the field is missing. */
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly nullable?: boolean;
  readonly example?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: boolean;
  readonly exclusiveMaximum?: boolean;
  readonly multipleOf?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly properties?: Readonly<Record<string, StructuralSchema>>;
  readonly required?: readonly string[];
  /** The schema of the values of a map; excludes `properties`. */
  readonly additionalProperties?: StructuralSchema;
  readonly items?: StructuralSchema;
  readonly 'x-kubernetes-int-or-string'?: true;
  readonly 'x-kubernetes-preserve-unknown-fields'?: true;
  readonly 'x-kubernetes-embedded-resource'?: true;
  readonly 'x-kubernetes-list-type'?: 'atomic' | 'map' | 'set';
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-map-type'?: 'atomic' | 'granular';
  readonly 'x-kubernetes-validations'?: readonly ValidationRule[];
}
