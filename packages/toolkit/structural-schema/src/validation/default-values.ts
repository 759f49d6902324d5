import {
  cloneJson,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  ownValue,
  setOwn,
} from '../json/json-value.ts';
import type { JsonSchema } from './json-schema.ts';

/** Sets the defaults of a structural schema in place. A null value that is not nullable takes the default. */
export function defaultValues(schema: JsonSchema, value: JsonValue): void {
  if (isJsonObject(value)) addMissing(schema, value);
  for (const [container, key, below] of partsOf(schema, value)) {
    if (isMistake(container[key], below) && below.default !== undefined)
      container[key] = cloneJson(below.default);
    defaultValues(below, container[key] as JsonValue);
  }
}

/** Removes in place each member that is null although its schema is not nullable and has no default. */
export function dropNulls(schema: JsonSchema, value: JsonValue): void {
  for (const [container, key, below] of partsOf(schema, value)) {
    const isDropped = isMistake(container[key], below) && below.default === undefined;
    if (isDropped && !Array.isArray(value)) delete container[key];
    else dropNulls(below, container[key] as JsonValue);
  }
}

function addMissing({ properties = {} }: JsonSchema, object: JsonObject): void {
  for (const [name, property] of Object.entries(properties)) {
    if (property.default === undefined || ownValue(object, name) !== undefined) continue;
    setOwn(object, name, cloneJson(property.default));
  }
}

function isMistake(value: JsonValue | undefined, { nullable }: JsonSchema): boolean {
  return value === null && nullable !== true;
}

/** Returns the members of an object or the items of a list that have a schema. */
function partsOf(schema: JsonSchema, value: JsonValue): [JsonObject, string, JsonSchema][] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.keys(value).flatMap((key): [JsonObject, string, JsonSchema][] => {
    const below = Array.isArray(value) ? schema.items : schemaOfMember(schema, key);
    return below === undefined ? [] : [[value as JsonObject, key, below]];
  });
}

function schemaOfMember(schema: JsonSchema, key: string): JsonSchema | undefined {
  const { properties = {}, additionalProperties } = schema;
  if (Object.hasOwn(properties, key)) return properties[key];
  return typeof additionalProperties === 'object' ? additionalProperties : undefined;
}
