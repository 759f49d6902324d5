import {
  cloneJson,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  ownValue,
} from '../../json/json-value.ts';
import type { JsonSchema } from './structural-schema.ts';

/**
 * Sets the defaults of a structural schema in place. A null value that is not nullable takes the default, or is removed
 * if the schema has no default.
 */
export function defaultValues(schema: JsonSchema, value: JsonValue): void {
  if (Array.isArray(value)) {
    if (schema.items !== undefined) for (const item of value) defaultValues(schema.items, item);
  } else if (isJsonObject(value)) {
    defaultProperties(schema, value);
    const { additionalProperties } = schema;
    if (typeof additionalProperties !== 'object') return;
    for (const key of Object.keys(value)) {
      if (value[key] === null && additionalProperties.nullable !== true) delete value[key];
      else defaultValues(additionalProperties, value[key] as JsonValue);
    }
  }
}

function defaultProperties(schema: JsonSchema, object: JsonObject): void {
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    if (object[name] === null && property.nullable !== true) delete object[name];
    if (ownValue(object, name) === undefined && property.default !== undefined) {
      object[name] = cloneJson(property.default);
    }
    const value = ownValue(object, name);
    if (value !== undefined && value !== null) defaultValues(property, value);
  }
}
