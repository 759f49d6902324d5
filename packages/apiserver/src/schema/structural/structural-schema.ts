import type { JsonValue } from '../../json/json-value.ts';
import { objectMetaType } from '../builtin-types.ts';
import { lazy } from '../lazy.ts';
import {
  type Field,
  type Scalar,
  type SchemaType,
  type StructType,
  untyped,
} from '../schema-type.ts';

/** An entry of `x-kubernetes-validations`: a CEL rule and its message. */
export interface ValidationExpression {
  rule?: string;
  message?: string;
  messageExpression?: string;
  reason?: string;
  fieldPath?: string;
  optionalOldSelf?: boolean;
}

/** The keywords of a custom resource's OpenAPI schema that the server evaluates. */
export interface JsonSchema {
  type?: string;
  format?: string;
  nullable?: boolean;
  default?: JsonValue;
  enum?: JsonValue[];
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: boolean;
  exclusiveMaximum?: boolean;
  multipleOf?: number;
  minItems?: number;
  maxItems?: number;
  minProperties?: number;
  maxProperties?: number;
  required?: string[];
  properties?: Record<string, JsonSchema>;
  additionalProperties?: JsonSchema | boolean;
  items?: JsonSchema;
  allOf?: JsonSchema[];
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  not?: JsonSchema;
  'x-kubernetes-int-or-string'?: boolean;
  'x-kubernetes-preserve-unknown-fields'?: boolean;
  'x-kubernetes-embedded-resource'?: boolean;
  'x-kubernetes-list-type'?: string;
  'x-kubernetes-list-map-keys'?: string[];
  'x-kubernetes-map-type'?: string;
  'x-kubernetes-validations'?: ValidationExpression[];
}

/** Returns the type of a custom resource; without a schema all members are kept. */
export function customResourceType(schema: JsonSchema | undefined): StructType {
  const root = schema ?? { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  return structOf(root, embeddedFields());
}

/** Returns the type that a schema describes. */
export function typeOfSchema(schema: JsonSchema): SchemaType {
  if (schema['x-kubernetes-int-or-string'] === true) return scalarType('intOrString');
  switch (schema.type) {
    case 'object':
      return objectType(schema);
    case 'array':
      return listType(schema);
    case 'string':
      return scalarType('string');
    case 'integer':
      return scalarType('int64');
    case 'number':
      return scalarType('double');
    case 'boolean':
      return scalarType('boolean');
    default:
      return untyped;
  }
}

function objectType(schema: JsonSchema): SchemaType {
  if (schema['x-kubernetes-embedded-resource'] === true) return structOf(schema, embeddedFields());
  const { additionalProperties } = schema;
  if (schema.properties !== undefined) return structOf(schema, {});
  if (additionalProperties === true) return untyped;
  if (additionalProperties !== undefined && additionalProperties !== false) {
    return mapOf(schema, additionalProperties);
  }
  return schema['x-kubernetes-preserve-unknown-fields'] === true ? untyped : structOf(schema, {});
}

function structOf(schema: JsonSchema, implied: Record<string, Field>): StructType {
  const fields = lazy(() => {
    const own = Object.entries(schema.properties ?? {}).map(([name, property]): [string, Field] => [
      name,
      fieldOf(property, schema.required?.includes(name) === true),
    ]);
    return new Map([...own, ...Object.entries(implied)]);
  });
  return {
    kind: 'struct',
    name: '',
    atomic: schema['x-kubernetes-map-type'] === 'atomic',
    open: schema['x-kubernetes-preserve-unknown-fields'] === true,
    present: [],
    get fields() {
      return fields();
    },
  };
}

function mapOf(schema: JsonSchema, values: JsonSchema): SchemaType {
  const value = lazy(() => typeOfSchema(values));
  return {
    kind: 'map',
    atomic: schema['x-kubernetes-map-type'] === 'atomic',
    get value() {
      return value();
    },
  };
}

function listType(schema: JsonSchema): SchemaType {
  const item = lazy(() => typeOfSchema(schema.items ?? {}));
  const list = schema['x-kubernetes-list-type'];
  return {
    kind: 'list',
    list: list === 'map' || list === 'set' ? list : 'atomic',
    keys: schema['x-kubernetes-list-map-keys'] ?? [],
    get item() {
      return item();
    },
  };
}

function fieldOf(schema: JsonSchema, required: boolean): Field {
  const type = lazy(() => typeOfSchema(schema));
  return {
    get type() {
      return type();
    },
    required,
    empty: 'optional',
    patch: { merge: false, retainKeys: false },
    ...(schema.default !== undefined && { default: schema.default }),
  };
}

function scalarType(scalar: Scalar): SchemaType {
  return { kind: 'scalar', scalar };
}

function embeddedFields(): Record<string, Field> {
  const plain = {
    required: false,
    empty: 'optional',
    patch: { merge: false, retainKeys: false },
  } as const;
  return {
    apiVersion: { ...plain, type: scalarType('string') },
    kind: { ...plain, type: scalarType('string') },
    metadata: { ...plain, type: objectMetaType() },
  };
}
