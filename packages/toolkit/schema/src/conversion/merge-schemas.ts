import {
  jsonEquals,
  type JsonObject,
  type JsonValue,
  ownValue,
  setOwn,
} from '@keelson/structural-schema';
import { refusal } from '../literal/refusal.ts';
import { OTHER_PATTERNS } from '../pattern/reading.ts';
import { annotations } from '../union/union-annotations.ts';
import { memberKeywords, mergeMembers } from './merge-members.ts';

/**
 * Returns one schema that accepts what both schemas accept, for `allOf` and for the keywords beside a union. Throws
 * `SCHEMA_INVALID` for keywords that one schema cannot combine.
 */
export function mergeSchemas(one: JsonObject, other: JsonObject, path: string): JsonObject {
  const merged: JsonObject = { ...one };
  for (const [name, value] of Object.entries(other)) {
    if (memberKeywords.has(name) || name === 'nullable') continue;
    const present = ownValue(merged, name);
    if (name === 'pattern' && present !== undefined && present !== value) {
      const others = merged[OTHER_PATTERNS];
      merged[OTHER_PATTERNS] = [...(Array.isArray(others) ? others : []), value];
      continue;
    }
    const both = present === undefined ? value : mergeKeyword(name, [present, value], path);
    setOwn(merged, name, both);
  }
  delete merged['nullable'];
  return {
    ...merged,
    ...mergeMembers(one, other, path),
    ...(isNullable(one, other) && { nullable: true }),
  };
}

/** True if both schemas accept null, which a schema without a type and values does. */
function isNullable(one: JsonObject, other: JsonObject): boolean {
  const isStated = one['nullable'] === true || other['nullable'] === true;
  return isStated && acceptsNull(one) && acceptsNull(other);
}

function acceptsNull({ nullable, type, enum: values, ...schema }: JsonObject): boolean {
  if (nullable === true || type === 'null') return true;
  const isOpen = type === undefined && values === undefined;
  return isOpen && schema['x-kubernetes-int-or-string'] !== true;
}

function mergeKeyword(name: string, [one, other]: Pair, path: string): JsonValue {
  if (annotations.has(name) || jsonEquals(one, other)) return one;
  if (name === 'enum') return mergeEnums(one, other, path);
  const merged = mergeLists(name, one, other) ?? mergeNumbers(name, one, other);
  if (merged !== undefined) return merged;
  if (name === 'type' && numeric(one) && numeric(other)) return 'integer';
  if (name === 'items') return { allOf: [one, other] };
  if (name === 'uniqueItems') return true;
  throw refusal(
    path,
    `two different values of ${name} for one value`,
    `give one ${name}; a structural schema cannot combine them`,
  );
}

type Pair = readonly [JsonValue, JsonValue];

/** An empty enumeration would restrict nothing. */
function mergeEnums(one: JsonValue, other: JsonValue, path: string): JsonValue {
  const [values, others] = [one, other].map((list) => (Array.isArray(list) ? list : []));
  const common = (values ?? []).filter((value) => others?.some((each) => jsonEquals(each, value)));
  if (common.length > 0) return common;
  const reason = 'enumerations without a common value, so that no value is accepted';
  throw refusal(`${path}.enum`, reason, 'correct the enumerations');
}

function mergeLists(name: string, one: JsonValue, other: JsonValue): JsonValue | undefined {
  if (!Array.isArray(one) || !Array.isArray(other)) return undefined;
  switch (name) {
    case 'x-kubernetes-validations':
    case OTHER_PATTERNS:
    case 'x-keelson-flagged-patterns':
    case 'x-keelson-unicode-patterns':
      return [...one, ...other];
    default:
      return undefined;
  }
}

function mergeNumbers(name: string, one: JsonValue, other: JsonValue): number | undefined {
  if (typeof one !== 'number' || typeof other !== 'number') return undefined;
  if (/^(?:min|exclusiveMin)/.test(name)) return Math.max(one, other);
  if (/^(?:max|exclusiveMax)/.test(name)) return Math.min(one, other);
  return name === 'multipleOf' ? commonMultiple(one, other) : undefined;
}

/** The least common multiple; undefined if it is not an integer that JavaScript represents exactly. */
function commonMultiple(one: number, other: number): number | undefined {
  if (![one, other].every((each) => Number.isSafeInteger(each) && each > 0)) return undefined;
  let [divisor, rest] = [one, other];
  while (rest > 0) [divisor, rest] = [rest, divisor % rest];
  const multiple = (one / divisor) * other;
  return Number.isSafeInteger(multiple) ? multiple : undefined;
}

function numeric(type: JsonValue): boolean {
  return type === 'integer' || type === 'number';
}
