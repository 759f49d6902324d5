import { ownValue, type JsonSchema } from '@keelson/structural-schema';

/** An object without a schema of its own, of which every member is accepted. */
const ANY: JsonSchema = { 'x-kubernetes-preserve-unknown-fields': true };

/** Returns the schema of a member of an object; undefined if the server prunes the member. */
export function memberSchema(schema: JsonSchema | undefined, name: string): JsonSchema | undefined {
  if (schema === undefined) return undefined;
  const { properties = {}, additionalProperties: values } = schema;
  const own = ownValue(properties, name);
  if (own !== undefined) return own;
  if (typeof values === 'object') return values;
  return schema['x-kubernetes-preserve-unknown-fields'] === true ? ANY : undefined;
}

/** Returns the schema of the items of a list. */
export function itemSchema(schema: JsonSchema | undefined): JsonSchema | undefined {
  if (schema?.items !== undefined) return schema.items;
  return schema?.['x-kubernetes-preserve-unknown-fields'] === true ? ANY : undefined;
}

/** Returns the keys of the items of a list of the type `map`. */
export function mapKeysOf(schema: JsonSchema | undefined): readonly string[] | undefined {
  if (schema?.['x-kubernetes-list-type'] !== 'map') return undefined;
  return schema['x-kubernetes-list-map-keys'] ?? [];
}
