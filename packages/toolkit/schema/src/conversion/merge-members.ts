import {
  isJsonObject,
  jsonEquals,
  ownValue,
  setOwn,
  type JsonObject,
  type JsonValue,
} from '@keelson/structural-schema';
import { refusal } from '../literal/refusal.ts';

/**
 * A keyword of Keelson's own for the objects of zod. In an intersection zod drops or refuses a member only if each of its
 * objects does, where JSON Schema refuses what one object does not declare.
 */
const POOLED = 'x-keelson-pooled-members';

/** The keywords that say which members an object has. */
export const memberKeywords: ReadonlySet<string> = new Set([
  'properties',
  'required',
  'additionalProperties',
  'patternProperties',
  'propertyNames',
  POOLED,
]);

/** Notes in the JSON Schema of an object that an intersection accepts the members of each of its objects. */
export function notePooledMembers(schema: JsonObject): void {
  schema[POOLED] = true;
}

/** Returns the keywords of a schema that say which members an object has. */
export function membersIn(schema: JsonObject): JsonObject {
  const found = Object.entries(schema).filter(([name]) => memberKeywords.has(name));
  return Object.fromEntries<JsonValue>(found);
}

/** Returns the members that both schemas accept. Throws `SCHEMA_INVALID` for conditions that one schema cannot combine. */
export function mergeMembers(one: JsonObject, other: JsonObject, path: string): JsonObject {
  const required = [...namesIn(one['required']), ...namesIn(other['required'])];
  const members = {
    ...(describesMembers(one) && describesMembers(other)
      ? described(one, other, path)
      : { ...membersIn(one), ...membersIn(other) }),
    ...(required.length > 0 && { required: [...new Set(required)] }),
  };
  return members;
}

function namesIn(required: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(required) ? required : [];
}

function describesMembers(schema: JsonObject): boolean {
  return Object.keys(membersIn(schema)).some((name) => name !== 'required' && name !== POOLED);
}

function described(one: JsonObject, other: JsonObject, path: string): JsonObject {
  const names = sameNames(one, other, path);
  const values = valuesOf(one, other);
  const properties = propertiesOf(one, other, path);
  return {
    ...names,
    ...(properties && { properties }),
    ...(values !== undefined && { additionalProperties: values }),
    ...((isPooled(one) || isPooled(other)) && { [POOLED]: true }),
  };
}

/** The conditions for names, which must be the same in both schemas. */
function sameNames(one: JsonObject, other: JsonObject, path: string): JsonObject {
  const [conditions, others] = [conditionsOf(one), conditionsOf(other)];
  if (jsonEquals(conditions, others)) return conditions;
  const cure = 'declare the members as properties, or put the map into a property of its own';
  throw refusal(path, 'an intersection of a map and another object', cure);
}

function conditionsOf({ patternProperties, propertyNames: names }: JsonObject): JsonObject {
  const isTrivial = !isJsonObject(names) || jsonEquals(names, { type: 'string' });
  return {
    ...(patternProperties !== undefined && { patternProperties }),
    ...(!isTrivial && { propertyNames: names }),
  };
}

function propertiesOf(one: JsonObject, other: JsonObject, path: string): JsonObject | undefined {
  if (!isJsonObject(one['properties']) && !isJsonObject(other['properties'])) return undefined;
  const declared = [one, other].map(({ properties }) =>
    isJsonObject(properties) ? properties : {},
  );
  const merged: JsonObject = {};
  for (const name of new Set(declared.flatMap((properties) => Object.keys(properties)))) {
    const at = `${path}.properties.${name}`;
    const parts = [propertyOf(one, name, at), propertyOf(other, name, at)].filter(
      (part) => part !== undefined,
    );
    const [first = true, second] = parts;
    const isOne = second === undefined || jsonEquals(first, second);
    setOwn(merged, name, isOne ? first : { allOf: parts });
  }
  return merged;
}

/** The condition of a schema for one member; undefined if it has none. */
function propertyOf(schema: JsonObject, name: string, path: string): JsonValue | undefined {
  const { properties, additionalProperties: values } = schema;
  const declared = isJsonObject(properties) ? ownValue(properties, name) : undefined;
  if (declared !== undefined) return declared;
  if (values === false && !isPooled(schema)) {
    const cure = 'declare the property in each object, or accept other members';
    throw refusal(path, 'a property that another object of an intersection excludes', cure);
  }
  return isCondition(values) ? values : undefined;
}

/** The schema of the members that neither schema declares. */
function valuesOf(one: JsonObject, other: JsonObject): JsonValue | undefined {
  const stated = [one, other].filter((schema) => schema['additionalProperties'] !== undefined);
  const closed = stated.find(
    (schema) => schema['additionalProperties'] === false && !isPooled(schema),
  );
  if (closed !== undefined) return false;
  const open = stated
    .map((schema) => schema['additionalProperties'] as JsonValue)
    .filter((values) => values !== false);
  const [first, ...rest] = open.filter(isCondition);
  if (first === undefined) return open[0] ?? (stated.length > 0 ? false : undefined);
  return rest.every((each) => jsonEquals(each, first)) ? first : { allOf: [first, ...rest] };
}

function isPooled(schema: JsonObject): boolean {
  return schema[POOLED] === true;
}

/** True for a schema that does not accept every value. */
function isCondition(values: JsonValue | undefined): boolean {
  return isJsonObject(values) && Object.keys(values).length > 0;
}
