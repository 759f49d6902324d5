import {
  isJsonObject,
  jsonEquals,
  type JsonObject,
  type JsonValue,
} from '@keelson/structural-schema';
import { refusal } from '../literal/refusal.ts';

/** Keywords for people, of which the first one is kept. */
const annotations: ReadonlySet<string> = new Set([
  'title',
  'description',
  'examples',
  '$comment',
  'id',
]);

/** Returns one schema that accepts what both schemas accept, for `allOf` and for the keywords beside a union. */
export function mergeSchemas(one: JsonObject, other: JsonObject, path: string): JsonObject {
  const merged: JsonObject = { ...one };
  for (const [name, value] of Object.entries(other)) {
    const present = merged[name];
    merged[name] = present === undefined ? value : mergeKeyword(name, [present, value], path);
  }
  return merged;
}

function mergeKeyword(name: string, [one, other]: Pair, path: string): JsonValue {
  if (annotations.has(name) || jsonEquals(one, other)) return one;
  const merged = mergeLists(name, one, other) ?? mergeNumbers(name, one, other);
  if (merged !== undefined) return merged;
  if (name === 'properties' && isJsonObject(one) && isJsonObject(other)) {
    return mergeProperties(one, other);
  }
  if (name === 'type' && numeric(one) && numeric(other)) return 'integer';
  if (name === 'additionalProperties' && (one === false || other === false)) return false;
  throw refusal(
    path,
    `two different values of ${name} for one value`,
    `give one ${name}; a structural schema cannot combine them`,
  );
}

type Pair = readonly [JsonValue, JsonValue];

function mergeLists(name: string, one: JsonValue, other: JsonValue): JsonValue | undefined {
  if (!Array.isArray(one) || !Array.isArray(other)) return undefined;
  switch (name) {
    case 'required':
      return [...new Set([...one, ...other])];
    case 'allOf':
    case 'x-kubernetes-validations':
    case 'x-keelson-flagged-patterns':
    case 'x-keelson-unicode-patterns':
      return [...one, ...other];
    case 'enum':
      return one.filter((value) => other.some((each) => jsonEquals(each, value)));
    default:
      return undefined;
  }
}

function mergeNumbers(name: string, one: JsonValue, other: JsonValue): number | undefined {
  if (typeof one !== 'number' || typeof other !== 'number') return undefined;
  if (/^(?:min|exclusiveMin)/.test(name)) return Math.max(one, other);
  return /^(?:max|exclusiveMax)/.test(name) ? Math.min(one, other) : undefined;
}

function mergeProperties(one: JsonObject, other: JsonObject): JsonObject {
  const merged: JsonObject = { ...one };
  for (const [name, schema] of Object.entries(other)) {
    const present = merged[name];
    const isNew = present === undefined || jsonEquals(present, schema);
    merged[name] = isNew ? schema : { allOf: [present, schema] };
  }
  return merged;
}

function numeric(type: JsonValue): boolean {
  return type === 'integer' || type === 'number';
}
