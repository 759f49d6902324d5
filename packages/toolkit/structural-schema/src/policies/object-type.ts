import { type CelType, dynType, objectType, stringType } from '@keelson/cel/internal';
import { SchemaTypes } from '../rules/schema-types.ts';
import type { JsonSchema } from '../validation/json-schema.ts';

/**
 * The type of `object` and `oldObject` for a resource with this schema, as kube-apiserver uses it to check the types of a
 * policy. Metadata, and parts that rules cannot read, are `dyn`.
 */
export function admissionObjectType({ properties = {} }: JsonSchema): CelType {
  const types = new SchemaTypes();
  const fields = Object.entries(properties).map(
    ([name, schema]) => [name, types.of(schema, false, `object.${name}`)?.type ?? dynType] as const,
  );
  return objectType(
    'object',
    new Map([...fields, ['apiVersion', stringType], ['kind', stringType], ['metadata', dynType]]),
  );
}
