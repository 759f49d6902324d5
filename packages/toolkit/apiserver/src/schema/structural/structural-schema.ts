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
  return structOf(root, embeddedFields(), false);
}

/** Returns the type that a schema describes. `open`: a schema around it keeps unknown members. */
export function typeOfSchema(schema: JsonSchema, open = false): SchemaType {
  // Also `x-kubernetes-int-or-string`: the published schema has no type, so that an apply may hold a list or an object.
  switch (schema.type) {
    case 'object':
      return objectType(schema, open);
    case 'array':
      return listType(schema, isOpen(schema, open));
    case 'string':
      return scalarType(isFormatted(schema) ? 'formatted' : 'string');
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

function isFormatted({ format = '' }: JsonSchema): boolean {
  return format !== '' && format !== 'byte';
}

/** The published schema keeps unknown members also in all schemas within one that does; pruning removes them there. */
function isOpen(schema: JsonSchema, around: boolean): boolean {
  return around || schema['x-kubernetes-preserve-unknown-fields'] === true;
}

/** An object without properties is free-form for an apply; pruning removes its members unless the schema keeps them. */
function objectType(schema: JsonSchema, around: boolean): SchemaType {
  if (schema['x-kubernetes-embedded-resource'] === true)
    return structOf(schema, embeddedFields(), around);
  const { additionalProperties, properties = {} } = schema;
  if (Object.keys(properties).length > 0) return structOf(schema, {}, around);
  if (additionalProperties === false) return structOf(schema, {}, around);
  const isFree = additionalProperties === undefined || additionalProperties === true;
  return mapOf(schema, isFree ? {} : additionalProperties, isOpen(schema, around));
}

function structOf(schema: JsonSchema, implied: Record<string, Field>, around: boolean): StructType {
  const open = isOpen(schema, around);
  const fields = lazy(() => {
    const own = Object.entries(schema.properties ?? {}).map(([name, property]): [string, Field] => [
      name,
      fieldOf(property, { open, required: schema.required?.includes(name) === true }),
    ]);
    return new Map([...own, ...Object.entries(implied)]);
  });
  return {
    kind: 'struct',
    name: '',
    atomic: schema['x-kubernetes-map-type'] === 'atomic',
    open,
    present: [],
    get fields() {
      return fields();
    },
  };
}

function mapOf(schema: JsonSchema, values: JsonSchema, open: boolean): SchemaType {
  const value = lazy(() => typeOfSchema(values, open));
  return {
    kind: 'map',
    atomic: schema['x-kubernetes-map-type'] === 'atomic',
    get value() {
      return value();
    },
  };
}

function listType(schema: JsonSchema, open: boolean): SchemaType {
  const item = lazy(() => typeOfSchema(schema.items ?? {}, open));
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

function fieldOf(
  schema: JsonSchema,
  { open, required }: { readonly open: boolean; readonly required: boolean },
): Field {
  const type = lazy(() => typeOfSchema(schema, open));
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
