import type { StatusCause } from '@keelson/apimachinery';
import type { NameCheck } from '@keelson/cel/internal';
import { jsonEquals, type JsonObject, type JsonValue } from '../json/json-value.ts';
import { objectAt } from './default-rule.ts';
import { duplicate, invalid } from './field-error.ts';
import { childPath, type FieldPath, indexPath } from './field-path.ts';

/** Judges one struct; nested structs have their own rules. */
export type ValidationRule = (object: JsonObject, path: FieldPath) => StatusCause[];

/** Rules by the name of the struct they judge: `core.v1.Container`. */
export type ValidationRules = Readonly<Record<string, ValidationRule>>;

/** Judges what becomes of an object, beside the object before. */
export type ChangeRule = (object: JsonObject, old: JsonObject) => StatusCause[];

/** Judges the fields of one struct by its schema: their own values, then what they hold. */
export interface FieldValidator {
  /** The struct is in an object that is being created. */
  readonly isNew: boolean;
  /** The causes for which these fields are refused. */
  validate(...names: string[]): StatusCause[];
  /** The causes for which the fields are refused that are neither excepted nor were named to `judge`. */
  others(...excepted: string[]): StatusCause[];
}

/** Judges one struct together with all that it holds, in the order in which the server does. */
export type OrderedRule = (
  object: JsonObject,
  path: FieldPath,
  fields: FieldValidator,
) => StatusCause[];

/** Ordered rules by the name of the struct they judge: `core.v1.PodSpec`. */
export type OrderedRules = Readonly<Record<string, OrderedRule>>;

/** A number of replicas, seconds, …: what is there must not be negative. */
export function atLeastZero(
  object: JsonObject,
  path: FieldPath,
  ...fields: string[]
): StatusCause[] {
  return fields
    .filter((field) => Number(object[field]) < 0)
    .map((field) =>
      invalid(childPath(path, field), object[field], 'must be greater than or equal to 0'),
    );
}

/** A port number that is there lies between 1 and 65535. */
export function validPort(value: JsonValue | undefined, path: FieldPath): StatusCause[] {
  if (typeof value !== 'number' || (value >= 1 && value <= 65_535)) return [];
  return [invalid(path, value, 'must be between 1 and 65535, inclusive')];
}

/** The texts in the list under a key. */
export function textsAt(parent: JsonObject, key: string): string[] {
  const value = parent[key];
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

const percentDetail =
  "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')";

/** A number of at least 0 or a percentage, where there is a value. */
export function countOrPercent(value: JsonValue | undefined, path: FieldPath): StatusCause[] {
  if (typeof value === 'number' && value < 0) {
    return [invalid(path, value, 'must be greater than or equal to 0')];
  }
  if (typeof value !== 'string' || /^[0-9]+%$/.test(value)) return [];
  return [invalid(path, value, percentDetail)];
}

/** A percentage of at most 100, where the value is one. */
export function atMostAll(value: JsonValue | undefined, path: FieldPath): StatusCause[] {
  if (typeof value !== 'string' || !/^[0-9]+%$/.test(value)) return [];
  if (Number(value.slice(0, -1)) <= 100) return [];
  return [invalid(path, value, 'must not be greater than 100%')];
}

/** The names in a list that come a second time. */
export function repeatedNames(
  items: readonly JsonObject[],
  path: FieldPath,
  key = 'name',
): StatusCause[] {
  const seen = new Set<JsonValue>();
  const causes: StatusCause[] = [];
  for (const [index, item] of items.entries()) {
    const name = item[key];
    if (name === undefined || name === '') continue;
    if (seen.has(name)) causes.push(duplicate(childPath(indexPath(path, index), key), name));
    seen.add(name);
  }
  return causes;
}

/** A name that is there has the syntax. */
export function validName(
  check: NameCheck,
  value: JsonValue | undefined,
  path: FieldPath,
): StatusCause[] {
  if (typeof value !== 'string' || value === '') return [];
  return check(value).map((detail) => invalid(path, value, detail));
}

/** A field of an object, or of its spec, stays as it is. */
export function immutable(
  object: JsonObject,
  old: JsonObject,
  parent: '' | 'spec',
  field: string,
): StatusCause[] {
  const after = parent === '' ? object : objectAt(object, parent);
  const before = parent === '' ? old : objectAt(old, parent);
  if (jsonEquals(after[field], before[field])) return [];
  const path = parent === '' ? field : `${parent}.${field}`;
  return [invalid(path, after[field], 'field is immutable')];
}

/** An object without some of its members. */
export function without(object: JsonObject, ...fields: string[]): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([key]) => !fields.includes(key)));
}
