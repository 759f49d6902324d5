import { isJsonObject, type JsonObject, type JsonValue } from '@keelson/structural-schema';
import { refusal } from '../literal/refusal.ts';
import type { StructuralSchema } from '../literal/structural-schema.ts';
import { annotations } from '../union/union-annotations.ts';
import type { Convert } from './convert-part.ts';

/** The keywords of objects and maps. */
export function objectKeywords(
  schema: JsonObject,
  path: string,
  convert: Convert,
): StructuralSchema {
  if (schema['type'] !== 'object') return {};
  const { minProperties, maxProperties } = schema;
  return {
    ...(typeof minProperties === 'number' && { minProperties }),
    ...(typeof maxProperties === 'number' && { maxProperties }),
    ...membersOf(schema, path, convert),
  };
}

function membersOf(schema: JsonObject, path: string, convert: Convert): StructuralSchema {
  const declared = propertiesOf(schema, path);
  const values = valuesOf(schema, path);
  if (declared === undefined) {
    refuseRequired(schema, path);
    return mapOf(values, path, convert);
  }
  if (values !== undefined && !isAnything(values)) {
    const cure = 'put the other values into a map in a property of their own';
    throw refusal(`${path}.additionalProperties`, 'values beside the declared properties', cure);
  }
  const properties = Object.entries(declared).map(
    ([name, property]) => [name, convert(property, `${path}.properties.${name}`)] as const,
  );
  if (!isJsonObject(schema['properties'])) refuseDefaults(schema, properties, path);
  return {
    properties: Object.fromEntries(properties),
    ...requiredOf(schema, new Map(properties)),
    ...(values !== undefined && { 'x-kubernetes-preserve-unknown-fields': true }),
  };
}

function refuseRequired({ required }: JsonObject, path: string): void {
  if (!Array.isArray(required) || required.length === 0) return;
  const cure = `declare the properties, or write a CEL rule such as '"a" in self'`;
  throw refusal(`${path}.required`, 'required members that the schema does not declare', cure);
}

/** The server sets the default of each declared member; a map whose keys may be missing has none for those. */
function refuseDefaults(
  { required }: JsonObject,
  properties: readonly (readonly [string, StructuralSchema])[],
  path: string,
): void {
  const names = Array.isArray(required) ? required : [];
  const optional = properties.find(
    ([name, schema]) => schema.default !== undefined && !names.includes(name),
  );
  if (optional === undefined) return;
  const cure = 'remove the default, or require every key';
  throw refusal(
    `${path}.additionalProperties.default`,
    'a default of keys that may be missing',
    cure,
  );
}

function mapOf(values: JsonValue | undefined, path: string, convert: Convert): StructuralSchema {
  if (values === undefined || isAnything(values)) {
    return { 'x-kubernetes-preserve-unknown-fields': true };
  }
  return { additionalProperties: convert(values, `${path}.additionalProperties`) };
}

/** The server sets the defaults before it validates, so that a property with a default is never missing. */
function requiredOf(
  { required }: JsonObject,
  properties: ReadonlyMap<string, StructuralSchema>,
): StructuralSchema {
  const names = Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [];
  const missing = names.filter((name) => properties.get(name)?.default === undefined);
  return missing.length === 0 ? {} : { required: missing };
}

/** The declared properties; those of a map whose keys are enumerated are its keys. */
function propertiesOf(schema: JsonObject, path: string): JsonObject | undefined {
  const { properties, propertyNames: names, additionalProperties } = schema;
  if (isJsonObject(properties) && Object.keys(properties).length > 0) {
    refuseConditions(names, path);
    return properties;
  }
  const keys = isJsonObject(names) ? names['enum'] : undefined;
  if (Array.isArray(keys) && additionalProperties !== undefined) {
    const texts = keys.filter((key) => typeof key === 'string');
    return Object.fromEntries(texts.map((key) => [key, additionalProperties]));
  }
  refuseConditions(names, path);
  const isClosed = isJsonObject(properties) && additionalProperties === false;
  return isClosed || (isJsonObject(properties) && valuesOf(schema, path) === undefined)
    ? properties
    : undefined;
}

function refuseConditions(names: JsonValue | undefined, path: string): void {
  const conditions = names === false ? ['false'] : Object.keys(isJsonObject(names) ? names : {});
  if (conditions.every(hasNoEffect)) return;
  const cure = "write a CEL rule such as 'self.all(key, key.matches(…))'";
  throw refusal(`${path}.propertyNames`, 'conditions for the names of a map', cure);
}

/** Names are texts, so that their type has no effect. */
function hasNoEffect(keyword: string): boolean {
  return keyword === 'type' || keyword.startsWith('x-keelson-') || annotations.has(keyword);
}

/** The schema of the values of a map; undefined if other members are not accepted or not described. */
function valuesOf(schema: JsonObject, path: string): JsonValue | undefined {
  const { additionalProperties, patternProperties, propertyNames } = schema;
  if (isJsonObject(propertyNames) && Array.isArray(propertyNames['enum'])) return undefined;
  if (isJsonObject(patternProperties)) return patternValues(patternProperties, path);
  return additionalProperties === false ? undefined : additionalProperties;
}

/** TypeBox writes a map of texts as the pattern of every name. */
function patternValues(patterns: JsonObject, path: string): JsonValue | undefined {
  const [[pattern, values] = [], ...others] = Object.entries(patterns);
  if (others.length === 0 && /^(?:\^?\(?\.\*\)?\$?)?$/.test(pattern ?? '.')) return values;
  const cure = "use additionalProperties with a CEL rule such as 'self.all(key, key.matches(…))'";
  throw refusal(`${path}.patternProperties`, 'values that depend on their name', cure);
}

function isAnything(schema: JsonValue): boolean {
  return schema === true || (isJsonObject(schema) && Object.keys(schema).length === 0);
}
