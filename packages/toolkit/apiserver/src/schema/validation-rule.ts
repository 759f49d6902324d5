import { objectAt } from '../json/json-members.ts';
import type { StatusCause } from '@keelson/apimachinery';
import type { NameCheck } from '@keelson/cel/internal';
import {
  childPath,
  duplicate,
  type FieldPath,
  indexPath,
  invalid,
  jsonEquals,
  type JsonObject,
  type JsonValue,
} from '@keelson/structural-schema';

/** Validates one struct; nested structs have their own rules. */
export type ValidationRule = (object: JsonObject, path: FieldPath) => StatusCause[];

/** Rules by the name of their struct: `core.v1.Container`. */
export type ValidationRules = Readonly<Record<string, ValidationRule>>;

/** Validates an update of an object against the old state. */
export type ChangeRule = (object: JsonObject, old: JsonObject) => StatusCause[];

/** Validates fields of one struct by its schema: first their values, then nested values. */
export interface FieldValidator {
  /** True while the surrounding object is being created. */
  readonly isNew: boolean;
  /** Returns the causes for these fields. */
  validate(...names: string[]): StatusCause[];
  /** Returns the causes for another value in the place of this field. */
  validateAs(name: string, value: JsonValue): StatusCause[];
  /** Returns the causes for all fields that are neither excepted nor passed to `validate` before. */
  others(...excepted: string[]): StatusCause[];
}

/** Validates a struct with its nested values, in the order of kube-apiserver. */
export type OrderedRule = (
  object: JsonObject,
  path: FieldPath,
  fields: FieldValidator,
) => StatusCause[];

/** Ordered rules by the name of their struct: `core.v1.PodSpec`. */
export type OrderedRules = Readonly<Record<string, OrderedRule>>;

/** Requires a number of at least 0 in each present field. */
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

/** Requires a present port to be between 1 and 65535. */
export function validPort(value: JsonValue | undefined, path: FieldPath): StatusCause[] {
  if (typeof value !== 'number' || (value >= 1 && value <= 65_535)) return [];
  return [invalid(path, value, 'must be between 1 and 65535, inclusive')];
}

const percentDetail =
  "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')";

/** Requires a present value to be a number of at least 0 or a percentage. */
export function countOrPercent(value: JsonValue | undefined, path: FieldPath): StatusCause[] {
  if (typeof value === 'number' && value < 0) {
    return [invalid(path, value, 'must be greater than or equal to 0')];
  }
  if (typeof value !== 'string' || /^[0-9]+%$/.test(value)) return [];
  return [invalid(path, value, percentDetail)];
}

/** Requires a percentage to be at most 100. */
export function atMostAll(value: JsonValue | undefined, path: FieldPath): StatusCause[] {
  if (typeof value !== 'string' || !/^[0-9]+%$/.test(value)) return [];
  if (Number(value.slice(0, -1)) <= 100) return [];
  return [invalid(path, value, 'must not be greater than 100%')];
}

/** Returns the causes for repeated names in a list. */
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

/** Returns the causes of `check` for a name that is present. */
export function validName(
  check: NameCheck,
  value: JsonValue | undefined,
  path: FieldPath,
): StatusCause[] {
  if (typeof value !== 'string' || value === '') return [];
  return check(value).map((detail) => invalid(path, value, detail));
}

/** As `validName`, for a field that is a pointer in Go: an empty text is a name too. */
export function presentName(
  check: NameCheck,
  value: JsonValue | undefined,
  path: FieldPath,
): StatusCause[] {
  if (typeof value !== 'string') return [];
  return check(value).map((detail) => invalid(path, value, detail));
}

/** Requires a field of the object, or of `parent`, to be unchanged. */
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

/** Returns a copy of the object without some members. */
export function without(object: JsonObject, ...fields: string[]): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([key]) => !fields.includes(key)));
}
