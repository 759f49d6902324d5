import type { StatusCause } from '@keelson/apimachinery';
import { hasFormat } from '@keelson/cel/internal';
import {
  isJsonObject,
  jsonEquals,
  type JsonObject,
  type JsonValue,
  ownValue,
} from '../json/json-value.ts';
import { duplicate, notSupported, required, tooLong, tooMany, typeInvalid } from './field-error.ts';
import { childPath, type FieldPath, indexPath } from './field-path.ts';
import { checkNumber, inBody, unplaced, checkNumberFormat } from './validate-number.ts';
import type { PatternMatcher } from './pattern-matcher.ts';
import type { JsonSchema } from './json-schema.ts';
import { jsonText } from '../json/exact-json.ts';
import { knownFormat } from './known-format.ts';

/**
 * Returns the causes for which a value violates its schema, in kube-apiserver's words. A value that equals the old
 * value is not validated.
 */
export function validateValue(
  schema: JsonSchema,
  value: JsonValue,
  path: FieldPath,
  patterns: PatternMatcher,
  old?: JsonValue,
): StatusCause[] {
  if (old !== undefined && jsonEquals(old, value)) return [];
  if (value === null && schema.nullable === true) return [];
  const mismatch = checkType(schema, value, path);
  if (mismatch.length > 0) return mismatch;
  return [
    ...checkEnum(schema, value, path),
    ...checkByType(schema, value, path, { patterns, old }),
    ...checkCombinations(schema, value, path, patterns),
  ];
}

function checkType(schema: JsonSchema, value: JsonValue, path: FieldPath): StatusCause[] {
  const found = typeName(value);
  if (schema['x-kubernetes-int-or-string'] === true) {
    const fits = found === 'integer' || found === 'string';
    return fits ? [] : [wrongType(path, 'integer,string', found)];
  }
  const { type } = schema;
  if (type === undefined || type === found || (type === 'number' && found === 'integer')) return [];
  if (type === 'integer' && typeof value === 'number') {
    const format = knownFormat(schema);
    return [
      wrongType(path, format ?? type, format === undefined ? 'number' : 'float64'),
      ...checkNumberFormat(schema, value, path),
    ];
  }
  return [wrongType(path, type, found)];
}

interface InnerContext {
  readonly patterns: PatternMatcher;
  readonly old: JsonValue | undefined;
}

function checkByType(
  schema: JsonSchema,
  value: JsonValue,
  path: FieldPath,
  inside: InnerContext,
): StatusCause[] {
  if (typeof value === 'string') return checkText(schema, value, path, inside.patterns);
  if (typeof value === 'number' || typeof value === 'bigint')
    return checkNumber(schema, value, path);
  if (Array.isArray(value)) return checkList(schema, value, path, inside);
  return isJsonObject(value) ? checkObject(schema, value, path, inside) : [];
}

function checkEnum(schema: JsonSchema, value: JsonValue, path: FieldPath): StatusCause[] {
  const { enum: allowed } = schema;
  if (allowed === undefined || allowed.some((each) => isChosen(each, value))) return [];
  const texts = allowed.map((each) => (typeof each === 'string' ? each : jsonText(each)));
  return [notSupported(path, value, texts)];
}

/** Go converts the number to the type of the choice first: 1.5 equals 1 if integers are allowed. */
function isChosen(choice: JsonValue, value: JsonValue): boolean {
  const isCut = typeof value === 'number' && Number.isSafeInteger(choice);
  return jsonEquals(choice, isCut ? Math.trunc(value) : value);
}

function checkText(
  schema: JsonSchema,
  text: string,
  path: FieldPath,
  patterns: PatternMatcher,
): StatusCause[] {
  const causes = checkLengthAndPattern(schema, text, path, patterns);
  const { format } = schema;
  if (format === undefined || hasFormat(text, format)) return causes;
  const detail = `${path} in body must be of type ${format}: ${JSON.stringify(text)}`;
  return [...causes, typeInvalid(path, text, detail)];
}

/** Reports only the first of the three problems, as kube-apiserver does. */
function checkLengthAndPattern(
  schema: JsonSchema,
  text: string,
  path: FieldPath,
  patterns: PatternMatcher,
): StatusCause[] {
  const { minLength, maxLength, pattern } = schema;
  // Go counts code points.
  const { length } = Array.from(text);
  if (maxLength !== undefined && length > maxLength) return [tooLong(path, maxLength)];
  if (minLength !== undefined && length < minLength) {
    return [inBody(path, text, `should be at least ${minLength} chars long`)];
  }
  if (pattern !== undefined && !patterns.matches(pattern, text)) {
    return [inBody(path, text, `should match '${pattern}'`)];
  }
  return [];
}

function checkList(
  schema: JsonSchema,
  list: JsonValue[],
  path: FieldPath,
  { patterns, old }: InnerContext,
): StatusCause[] {
  const causes: StatusCause[] = [];
  const { minItems, maxItems, items } = schema;
  if (maxItems !== undefined && list.length > maxItems) {
    causes.push(tooMany(path, list.length, maxItems));
  }
  if (minItems !== undefined && list.length < minItems) {
    causes.push(inBody(path, list.length, `should have at least ${minItems} items`));
  }
  if (items !== undefined) {
    for (const [index, item] of list.entries()) {
      const before = oldItem(schema, item, old);
      causes.push(...validateValue(items, item, indexPath(path, index), patterns, before));
    }
  }
  return [...causes, ...checkUnique(schema, list, path)];
}

/** Returns the old item with the same keys; items of other lists have no identity. */
function oldItem(
  schema: JsonSchema,
  item: JsonValue,
  old: JsonValue | undefined,
): JsonValue | undefined {
  if (schema['x-kubernetes-list-type'] !== 'map' || !Array.isArray(old)) return undefined;
  const keys = keysOf(schema, item);
  return old.find((each) => jsonEquals(keysOf(schema, each), keys));
}

/** Returns the causes for duplicate values of a set and duplicate keys of a map list, one for each value or key. */
function checkUnique(schema: JsonSchema, list: JsonValue[], path: FieldPath): StatusCause[] {
  const kind = schema['x-kubernetes-list-type'];
  if (kind !== 'set' && kind !== 'map') return [];
  const causes: StatusCause[] = [];
  const seen = new Map<string, number>();
  for (const [index, item] of list.entries()) {
    const key = kind === 'set' ? item : keysOf(schema, item);
    const text = jsonText(key);
    const times = seen.get(text) ?? 0;
    if (times === 1) causes.push(duplicate(indexPath(path, index), key));
    seen.set(text, times + 1);
  }
  return causes;
}

function keysOf(schema: JsonSchema, item: JsonValue): JsonValue {
  if (!isJsonObject(item)) return item;
  const keys: JsonObject = {};
  for (const key of schema['x-kubernetes-list-map-keys'] ?? []) {
    const value = ownValue(item, key) ?? ownValue(schema.items?.properties ?? {}, key)?.default;
    if (value !== undefined) keys[key] = value;
  }
  return keys;
}

function checkObject(
  schema: JsonSchema,
  object: JsonObject,
  path: FieldPath,
  { patterns, old }: InnerContext,
): StatusCause[] {
  const causes: StatusCause[] = [];
  const { minProperties, maxProperties, additionalProperties } = schema;
  const keys = Object.keys(object);
  if (maxProperties !== undefined && keys.length > maxProperties) {
    causes.push(tooMany(path, keys.length, maxProperties));
  }
  if (minProperties !== undefined && keys.length < minProperties) {
    causes.push(inBody(path, keys.length, `should have at least ${minProperties} properties`));
  }
  for (const key of keys) {
    const property = ownValue(schema.properties ?? {}, key);
    const below =
      property ?? (typeof additionalProperties === 'object' ? additionalProperties : undefined);
    if (below === undefined) continue;
    const value = object[key] as JsonValue;
    const before = isJsonObject(old) ? ownValue(old, key) : undefined;
    causes.push(...validateValue(below, value, childPath(path, key), patterns, before));
  }
  for (const name of requiredOf(schema)) {
    if (ownValue(object, name) === undefined) causes.push(required(childPath(path, name)));
  }
  return causes;
}

function requiredOf(schema: JsonSchema): string[] {
  const own = schema.required ?? [];
  return schema['x-kubernetes-embedded-resource'] === true ? [...own, 'apiVersion', 'kind'] : own;
}

function checkCombinations(
  schema: JsonSchema,
  value: JsonValue,
  path: FieldPath,
  patterns: PatternMatcher,
): StatusCause[] {
  const causes: StatusCause[] = [];
  for (const each of schema.allOf ?? []) causes.push(...validateValue(each, value, path, patterns));
  if (schema.anyOf !== undefined) {
    const results = schema.anyOf.map((each) => validateValue(each, value, path, patterns));
    if (results.length > 0 && results.every((result) => result.length > 0)) {
      causes.push(unplaced(`"${path}" must validate at least one schema (anyOf)`));
      causes.push(...(results[0] ?? []));
    }
  }
  if (schema.oneOf !== undefined) causes.push(...checkOneOf(schema.oneOf, value, path, patterns));
  if (schema.not !== undefined && validateValue(schema.not, value, path, patterns).length === 0) {
    causes.push(unplaced(`"${path}" must not validate the schema (not)`));
  }
  return causes;
}

function checkOneOf(
  choices: JsonSchema[],
  value: JsonValue,
  path: FieldPath,
  patterns: PatternMatcher,
): StatusCause[] {
  const results = choices.map((each) => validateValue(each, value, path, patterns));
  const valid = results.filter((result) => result.length === 0).length;
  if (valid === 1) return [];
  const found = valid === 0 ? 'Found none valid' : `Found ${valid} valid alternatives`;
  const message = unplaced(`"${path}" must validate one and only one schema (oneOf). ${found}`);
  return valid === 0 ? [message, ...(results[0] ?? [])] : [message];
}

function wrongType(path: FieldPath, type: string, found: string): StatusCause {
  return typeInvalid(path, found, `${path} in body must be of type ${type}: "${found}"`);
}

function typeName(value: JsonValue): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  // A double beyond 2^53 is not an integer.
  if (typeof value === 'number') return isWholeEnough(value) ? 'integer' : 'number';
  if (typeof value === 'bigint') return 'integer';
  return typeof value;
}

/** Go's validator accepts a number within a rounding error of an integer. The check of the format does not. */
function isWholeEnough(value: number): boolean {
  if (Math.abs(value) > Number.MAX_SAFE_INTEGER) return false;
  const whole = Math.trunc(value);
  return whole === value || Math.abs((value - whole) / (value + whole)) < 1e-9;
}
