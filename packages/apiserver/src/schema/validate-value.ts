import type { StatusCause } from '@keelson/apimachinery';
import {
  isJsonObject,
  jsonEquals,
  type JsonObject,
  type JsonValue,
  ownValue,
} from '../patch/json-value.ts';
import {
  duplicate,
  invalid,
  notSupported,
  required,
  tooLong,
  tooMany,
  typeInvalid,
} from './field-error.ts';
import { childPath, type FieldPath, indexPath } from './field-path.ts';
import type { PatternCache } from './pattern-cache.ts';
import { hasFormat } from './string-format.ts';
import type { JsonSchema } from './structural-schema.ts';

/** The causes for which a value does not satisfy its schema, worded as kube-apiserver words them. */
export function validateValue(
  schema: JsonSchema,
  value: JsonValue,
  path: FieldPath,
  patterns: PatternCache,
): StatusCause[] {
  if (value === null && schema.nullable === true) return [];
  const mismatch = checkType(schema, value, path);
  if (mismatch.length > 0) return mismatch;
  return [
    ...checkEnum(schema, value, path),
    ...checkByType(schema, value, path, patterns),
    ...checkCombinations(schema, value, path, patterns),
  ];
}

function checkType(schema: JsonSchema, value: JsonValue, path: FieldPath): StatusCause[] {
  const found = typeName(value);
  if (schema['x-kubernetes-int-or-string'] === true) {
    const fits = found === 'integer' || found === 'string';
    return fits ? [] : [wrongType(path, 'integer,string', found)];
  }
  const { type, format } = schema;
  if (type === undefined || type === found || (type === 'number' && found === 'integer')) return [];
  if (type === 'integer' && found === 'number') {
    const checked = format === undefined ? '(default format)' : `with format ${format}`;
    return [
      wrongType(path, format ?? type, format === undefined ? 'number' : 'float64'),
      unplaced(`Checked value must be of type integer ${checked} in ${path}`),
    ];
  }
  return [wrongType(path, type, found)];
}

function checkByType(
  schema: JsonSchema,
  value: JsonValue,
  path: FieldPath,
  patterns: PatternCache,
): StatusCause[] {
  if (typeof value === 'string') return checkText(schema, value, path, patterns);
  if (typeof value === 'number') return checkNumber(schema, value, path);
  if (Array.isArray(value)) return checkList(schema, value, path, patterns);
  return isJsonObject(value) ? checkObject(schema, value, path, patterns) : [];
}

function checkEnum(schema: JsonSchema, value: JsonValue, path: FieldPath): StatusCause[] {
  const { enum: allowed } = schema;
  if (allowed === undefined || allowed.some((each) => jsonEquals(each, value))) return [];
  return [notSupported(path, value, allowed)];
}

function checkText(
  schema: JsonSchema,
  text: string,
  path: FieldPath,
  patterns: PatternCache,
): StatusCause[] {
  const causes = checkLengthAndPattern(schema, text, path, patterns);
  const { format } = schema;
  if (format === undefined || hasFormat(text, format)) return causes;
  const detail = `${path} in body must be of type ${format}: ${JSON.stringify(text)}`;
  return [...causes, typeInvalid(path, text, detail)];
}

/** The first of the three that fails is told, as by the server. */
function checkLengthAndPattern(
  schema: JsonSchema,
  text: string,
  path: FieldPath,
  patterns: PatternCache,
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

function checkNumber(schema: JsonSchema, value: number, path: FieldPath): StatusCause[] {
  const causes: StatusCause[] = [];
  const { minimum, maximum, multipleOf } = schema;
  if (multipleOf !== undefined && !Number.isInteger(Number((value / multipleOf).toFixed(9)))) {
    causes.push(inBody(path, value, `should be a multiple of ${multipleOf}`));
  }
  if (minimum !== undefined) {
    const exclusive = schema.exclusiveMinimum === true;
    const words = exclusive ? 'greater than' : 'greater than or equal to';
    if (value < minimum || (exclusive && value === minimum)) {
      causes.push(inBody(path, value, `should be ${words} ${minimum}`));
    }
  }
  if (maximum !== undefined) {
    const exclusive = schema.exclusiveMaximum === true;
    const words = exclusive ? 'less than' : 'less than or equal to';
    if (value > maximum || (exclusive && value === maximum)) {
      causes.push(inBody(path, value, `should be ${words} ${maximum}`));
    }
  }
  return causes;
}

function checkList(
  schema: JsonSchema,
  list: JsonValue[],
  path: FieldPath,
  patterns: PatternCache,
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
      causes.push(...validateValue(items, item, indexPath(path, index), patterns));
    }
  }
  return [...causes, ...checkUnique(schema, list, path)];
}

/** Sets hold no value twice, keyed lists no key. */
function checkUnique(schema: JsonSchema, list: JsonValue[], path: FieldPath): StatusCause[] {
  const kind = schema['x-kubernetes-list-type'];
  if (kind !== 'set' && kind !== 'map') return [];
  const causes: StatusCause[] = [];
  const seen = new Set<string>();
  for (const [index, item] of list.entries()) {
    const key = kind === 'set' ? item : keysOf(schema, item);
    const text = JSON.stringify(key);
    if (seen.has(text)) causes.push(duplicate(indexPath(path, index), key));
    seen.add(text);
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
  patterns: PatternCache,
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
  for (const name of requiredOf(schema)) {
    if (ownValue(object, name) === undefined) causes.push(required(childPath(path, name)));
  }
  for (const key of keys) {
    const property = ownValue(schema.properties ?? {}, key);
    const below =
      property ?? (typeof additionalProperties === 'object' ? additionalProperties : undefined);
    if (below === undefined) continue;
    causes.push(...validateValue(below, object[key] as JsonValue, childPath(path, key), patterns));
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
  patterns: PatternCache,
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
  patterns: PatternCache,
): StatusCause[] {
  const results = choices.map((each) => validateValue(each, value, path, patterns));
  const valid = results.filter((result) => result.length === 0).length;
  if (valid === 1) return [];
  const found = valid === 0 ? 'Found none valid' : `Found ${valid} valid alternatives`;
  const message = unplaced(`"${path}" must validate one and only one schema (oneOf). ${found}`);
  return valid === 0 ? [message, ...(results[0] ?? [])] : [message];
}

function inBody(path: FieldPath, value: unknown, detail: string): StatusCause {
  return invalid(path, value, `${path} in body ${detail}`);
}

function wrongType(path: FieldPath, type: string, found: string): StatusCause {
  return typeInvalid(path, found, `${path} in body must be of type ${type}: "${found}"`);
}

/** A cause that the server's validator tells without a field. */
function unplaced(detail: string): StatusCause {
  return invalid('<nil>', '', detail);
}

function typeName(value: JsonValue): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value;
}
