import { type CelType, dynType, objectType, stringType } from '@keelson/cel/internal';
import { SchemaTypes } from '../rules/schema-types.ts';
import type { JsonSchema } from '../validation/json-schema.ts';

/**
 * The type of `object` and `oldObject` for a resource with this schema, to find misspelt fields in the expressions of a
 * policy. Metadata, and parts with unknown fields, are `dyn`.
 */
export function admissionObjectType(schema: JsonSchema): CelType {
  if (isOpen(schema)) return dynType;
  const types = new SchemaTypes();
  const fields = Object.entries(schema.properties ?? {}).map(([name, property]) => {
    const type = types.of(withDynamicParts(property), false, `object.${name}`)?.type;
    return [name, type ?? dynType] as const;
  });
  return objectType(
    'object',
    new Map([...fields, ['apiVersion', stringType], ['kind', stringType], ['metadata', dynType]]),
  );
}

function isOpen(schema: JsonSchema): boolean {
  return schema['x-kubernetes-preserve-unknown-fields'] === true;
}

/** A copy in which the parts with unknown fields have the type `dyn`, as a value has that is a number or a text. */
function withDynamicParts(schema: JsonSchema): JsonSchema {
  if (isOpen(schema)) return { 'x-kubernetes-int-or-string': true };
  const { properties, items, additionalProperties } = schema;
  return {
    ...schema,
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, property]) => [name, withDynamicParts(property)]),
      ),
    }),
    ...(items && { items: withDynamicParts(items) }),
    ...(typeof additionalProperties === 'object' && {
      additionalProperties: withDynamicParts(additionalProperties),
    }),
  };
}
