import { jsonEquals, type JsonObject, type JsonValue } from '@keelson/structural-schema';
import { refusal } from '../literal/refusal.ts';
import { discriminatedUnion } from './discriminated-union.ts';
import { acceptAlike, annotations, joinedAnnotations } from './union-annotations.ts';

/**
 * Returns one schema for the choices of a union, none of which is null: values of one type, an integer or a string, or
 * objects with a discriminator. Other unions are refused.
 */
export function unionOf(choices: readonly JsonObject[], path: string): JsonObject {
  const [first = {}] = choices;
  if (choices.every((choice) => jsonEquals(choice, first))) return first;
  const union =
    (choices.every((choice) => acceptAlike(choice, first)) ? first : undefined) ??
    valuesOf(choices) ??
    widestOf(choices) ??
    intOrString(choices) ??
    discriminatedUnion(choices, path) ??
    refuse(path);
  return { ...union, ...joinedAnnotations(choices) };
}

function refuse(path: string): never {
  throw refusal(
    path,
    'a union that a structural schema cannot express',
    "use one type, an integer or a string, objects with a constant property that differs, or 'x-kubernetes-preserve-unknown-fields': true",
  );
}

/** Constants and enumerations become one enumeration. */
function valuesOf(choices: readonly JsonObject[]): JsonObject | undefined {
  const lists = choices.map(allowedValues);
  if (!lists.every((list) => list !== undefined)) return undefined;
  const areBare = choices.every((choice) =>
    Object.keys(choice).every((name) => isAnnotation(name) || name === 'const' || name === 'enum'),
  );
  return areBare ? { enum: lists.flat() } : undefined;
}

/** The values of `const` or `enum`; undefined if the schema has neither. */
export function allowedValues({
  const: constant,
  enum: values,
}: JsonObject): JsonValue[] | undefined {
  if (constant !== undefined) return [constant];
  return Array.isArray(values) ? values : undefined;
}

/** A choice that accepts every value of its type includes the others of the type: `string | 'auto'`. */
function widestOf(choices: readonly JsonObject[]): JsonObject | undefined {
  return choices.find(
    (choice) =>
      isBare(choice) &&
      choices.every(
        ({ type }) =>
          type === choice['type'] || (type === 'integer' && choice['type'] === 'number'),
      ),
  );
}

function isBare(schema: JsonObject): boolean {
  return (
    typeof schema['type'] === 'string' &&
    !['array', 'object'].includes(schema['type']) &&
    Object.keys(schema).every(isAnnotation)
  );
}

/** True for a keyword that a choice may have without narrowing the values of its type. */
function isAnnotation(name: string): boolean {
  return name === 'type' || annotations.has(name);
}

function intOrString(choices: readonly JsonObject[]): JsonObject | undefined {
  const integers = choices.find(({ type }) => type === 'integer');
  const texts = choices.find(({ type }) => type === 'string');
  if (choices.length !== 2 || integers === undefined || texts === undefined) return undefined;
  if (!isBare(withoutSafeBounds(integers)) || !isBare(texts)) return undefined;
  const { minimum, maximum } = integers;
  return {
    ...(minimum !== undefined && { minimum }),
    ...(maximum !== undefined && { maximum }),
    'x-kubernetes-int-or-string': true,
  };
}

/** Removes the bounds that zod writes for every integer: those of a number of JavaScript. */
function withoutSafeBounds(schema: JsonObject): JsonObject {
  const { minimum, maximum, ...rest } = schema;
  return {
    ...rest,
    ...(minimum !== undefined && minimum !== Number.MIN_SAFE_INTEGER && { minimum }),
    ...(maximum !== undefined && maximum !== Number.MAX_SAFE_INTEGER && { maximum }),
  };
}
