import { type JsonSchema, lazy } from '@keelson/structural-schema';
import { objectMetaType } from '../builtin-types.ts';
import {
  type Field,
  type Scalar,
  type SchemaType,
  type StructType,
  untyped,
} from '../schema-type.ts';

/** Returns the type of a custom resource; without a schema all members are kept. */
export function customResourceType(schema: JsonSchema | undefined): StructType {
  const root = schema ?? { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  return structOf(root, embeddedFields());
}

/** Returns the type that a schema describes. */
export function typeOfSchema(schema: JsonSchema): SchemaType {
  // Also `x-kubernetes-int-or-string`: the published schema has no type, so that an apply may hold a list or an object.
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
  if (additionalProperties === true) return mapOf(schema, {});
  if (additionalProperties !== undefined && additionalProperties !== false) {
    return mapOf(schema, additionalProperties);
  }
  const isOpen = schema['x-kubernetes-preserve-unknown-fields'] === true;
  return isOpen ? mapOf(schema, {}) : structOf(schema, {});
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
