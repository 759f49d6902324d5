import type { StatusCause } from '@keelson/apimachinery';
import type { FieldPath } from './field-path.ts';
import { goJson, goNumber, goQuote } from '../json/go-text.ts';

// The causes of a 422 Invalid, with the messages of `k8s.io/apimachinery`.

/** The cause for a missing value. */
export function required(field: FieldPath, detail?: string): StatusCause {
  const message = detail === undefined ? 'Required value' : `Required value: ${detail}`;
  return { reason: 'FieldValueRequired', message, field };
}

/** The cause for a value that violates a rule; `detail` says which. */
export function invalid(field: FieldPath, value: unknown, detail: string): StatusCause {
  const why = detail === '' ? '' : `: ${detail}`;
  return { reason: 'FieldValueInvalid', message: `Invalid value: ${show(value)}${why}`, field };
}

/** As `invalid`, for a text behind a pointer in Go, which is printed as JSON. */
export function invalidText(field: FieldPath, value: string, detail: string): StatusCause {
  return {
    reason: 'FieldValueInvalid',
    message: `Invalid value: ${goJson(value)}: ${detail}`,
    field,
  };
}

/** The cause for a value of the wrong JSON type; `found` names its type. */
export function typeInvalid(field: FieldPath, found: unknown, detail: string): StatusCause {
  return {
    reason: 'FieldValueTypeInvalid',
    message: `Invalid value: ${show(found)}: ${detail}`,
    field,
  };
}

/** The cause for a value outside a fixed list. */
export function notSupported(
  field: FieldPath,
  value: unknown,
  supported: readonly unknown[],
): StatusCause {
  const values = supported.map((each) => show(each)).join(', ');
  return {
    reason: 'FieldValueNotSupported',
    message: `Unsupported value: ${show(value)}: supported values: ${values}`,
    field,
  };
}

/** The cause for a value that a list contains twice. */
export function duplicate(field: FieldPath, value: unknown): StatusCause {
  return {
    reason: 'FieldValueDuplicate',
    message: `Duplicate value: ${show(value)}`,
    field,
  };
}

/** The cause for a reference to a value that does not exist. */
export function notFound(field: FieldPath, value: unknown): StatusCause {
  return { reason: 'FieldValueNotFound', message: `Not found: ${show(value)}`, field };
}

/** The cause for a field that must not be set here. */
export function forbidden(field: FieldPath, detail: string): StatusCause {
  return { reason: 'FieldValueForbidden', message: `Forbidden: ${detail}`, field };
}

/** The cause for a string of more than `most` bytes. */
export function tooLong(field: FieldPath, most: number): StatusCause {
  const detail =
    most < 0
      ? 'value is too long'
      : `may not be more than ${most} ${most === 1 ? 'byte' : 'bytes'}`;
  return { reason: 'FieldValueTooLong', message: `Too long: ${detail}`, field };
}

/** The cause for a list of more than `most` items. */
export function tooMany(field: FieldPath, found: number, most: number): StatusCause {
  const detail =
    most < 0 ? 'has too many items' : `must have at most ${most} ${most === 1 ? 'item' : 'items'}`;
  return { reason: 'FieldValueTooMany', message: `Too many: ${found}: ${detail}`, field };
}

/** The cause for a fault that is not one of the value. */
export function internalError(field: FieldPath, detail: string): StatusCause {
  return { reason: 'InternalError', message: `Internal error: ${detail}`, field };
}

/** Quotes strings, and prints other values as Go does. */
function show(value: unknown): string {
  if (value === undefined) return 'null';
  if (typeof value === 'string') return goQuote(value);
  return typeof value === 'number' || typeof value === 'bigint' ? goNumber(value) : goJson(value);
}
