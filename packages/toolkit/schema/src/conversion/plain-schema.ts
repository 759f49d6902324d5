import { isJsonObject, type JsonObject, type JsonValue } from '@keelson/structural-schema';
import { refusal } from '../literal/refusal.ts';
import { refuseNotedFlags } from '../pattern/pattern-flags.ts';
import { refuseOverlap } from '../union/disjoint-choices.ts';
import { allowedValues, unionOf } from '../union/union.ts';
import { membersIn } from './merge-members.ts';
import { mergeSchemas } from './merge-schemas.ts';
import { refuseNotedPart } from './refused-parts.ts';

/**
 * Returns a schema without `allOf` and unions at its top, with `enum` instead of `const`, and with `nullable` instead of
 * null among its types and values. Throws `SCHEMA_INVALID` for what one schema cannot combine.
 */
export function plainSchema(given: JsonObject, path: string): JsonObject {
  const { parts, unions } = conjunctionOf(given, path);
  const [first = {}, ...others] = parts;
  const schema = others.reduce((one, other) => mergeSchemas(one, other, path), first);
  return unions.reduce((one, union) => withUnion(one, union, path), schema);
}

interface Union {
  readonly choices: readonly JsonValue[];
  readonly isExclusive: boolean;
}

/** The schemas and unions that all accept a value. */
interface Conjunction {
  readonly parts: readonly JsonObject[];
  readonly unions: readonly Union[];
}

function conjunctionOf(given: JsonObject, path: string): Conjunction {
  refuseNotedFlags(given, path);
  refuseNotedPart(given, path);
  const { allOf, anyOf, oneOf, ...rest } = given;
  if (rest['x-kubernetes-int-or-string'] === true) return { parts: [rest], unions: [] };
  const inner = listIn(allOf).map((part) => conjunctionOf(schemaOf(part, path), path));
  return {
    parts: [withNormalValues(rest), ...inner.flatMap(({ parts }) => parts)],
    unions: [
      ...(anyOf === undefined ? [] : [{ choices: listIn(anyOf), isExclusive: false }]),
      ...(oneOf === undefined ? [] : [{ choices: listIn(oneOf), isExclusive: true }]),
      ...inner.flatMap(({ unions }) => unions),
    ],
  };
}

function listIn(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}

function schemaOf(part: JsonValue, path: string): JsonObject {
  if (part === false) throw refusal(path, 'a schema that accepts no value', 'remove the part');
  return isJsonObject(part) ? part : {};
}

/** Separates null from the types and the values. */
function withNormalValues(given: JsonObject): JsonObject {
  const { const: _, enum: __, type, nullable, ...schema } = given;
  const types = Array.isArray(type) ? type : type === undefined ? [] : [type];
  const named = types.filter((each) => each !== 'null');
  const typesHaveNull = named.length < types.length;
  const allowed = allowedValues(given);
  const choices = allowed?.filter((value) => value !== null);
  const isOnlyNull = types.length > 0 && named.length === 0;
  if (isOnlyNull || (choices?.length === 0 && allowed?.length === 1)) {
    return { ...schema, type: 'null' };
  }
  const acceptsNull =
    allowed === undefined
      ? typesHaveNull
      : allowed.includes(null) && (typesHaveNull || types.length === 0);
  return {
    ...schema,
    ...(named.length > 0 && { type: named.length === 1 ? (named[0] ?? null) : named }),
    ...(choices !== undefined && { enum: choices }),
    ...((acceptsNull || nullable === true) && { nullable: true }),
  };
}

/**
 * Combines a schema with a union. The members of an object are merged into each choice, because a rule of the union may
 * forbid in one choice what the schema accepts.
 */
function withUnion(schema: JsonObject, { choices, isExclusive }: Union, path: string): JsonObject {
  const members = membersIn(schema);
  const hasMembers = Object.keys(members).length > 0;
  const plain = choices
    .filter((choice) => choice !== false)
    .map((choice) => plainSchema(schemaOf(choice, path), path));
  if (isExclusive) refuseOverlap(plain, path);
  if (!hasMembers) return mergeSchemas(schema, joined(plain, path), path);
  const { type } = schema;
  const inner = { ...members, ...(type !== undefined && { type }) };
  const merged = plain.map((choice) =>
    choice['type'] === 'null'
      ? choice
      : withPlainProperties(mergeSchemas(inner, choice, path), path),
  );
  return mergeSchemas(withoutMembers(schema), joined(merged, path), path);
}

function withoutMembers(schema: JsonObject): JsonObject {
  const members = membersIn(schema);
  return Object.fromEntries<JsonValue>(
    Object.entries(schema).filter(([name]) => !Object.hasOwn(members, name)),
  );
}

/** A property that both the schema and a choice declare may distinguish the choices. */
function withPlainProperties(schema: JsonObject, path: string): JsonObject {
  const { properties } = schema;
  if (!isJsonObject(properties)) return schema;
  const plain = Object.entries(properties).map(([name, property]): [string, JsonValue] => {
    const isMerged = isJsonObject(property) && property['allOf'] !== undefined;
    return [name, isMerged ? plainSchema(property, `${path}.properties.${name}`) : property];
  });
  return { ...schema, properties: Object.fromEntries(plain) };
}

function joined(choices: readonly JsonObject[], path: string): JsonObject {
  const nullable = choices.some(({ type, nullable: own }) => type === 'null' || own === true);
  const values = choices
    .filter(({ type }) => type !== 'null')
    .map((choice) => {
      const { nullable: _, ...rest } = choice;
      return rest;
    });
  const isOpen = values.some((choice) => Object.keys(choice).length === 0);
  const union = isOpen || values.length === 0 ? {} : unionOf(values, path);
  return { ...union, ...(nullable && { nullable }) };
}
