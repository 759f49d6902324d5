import type { StatusCause } from '@keelson/apimachinery';
import { goQuote } from '../json/go-text.ts';
import { isJsonObject, type JsonValue } from '../json/json-value.ts';
import { typeInvalid } from '../validation/field-error.ts';
import type { FieldPath } from '../validation/field-path.ts';
import { goNumberType, isNearInteger } from '../json/go-number.ts';

/** The types and the format against which a value is checked. */
export interface ExpectedType {
  /** No type accepts every type. */
  readonly types: readonly string[];
  /** Empty without a format. */
  readonly format: string;
  readonly nullable: boolean;
}

/**
 * Checks the type of a value as kube-openapi does. A format replaces the type in some cases: a list is accepted where a
 * string with a format is expected.
 */
export function checkType(
  expected: ExpectedType,
  value: JsonValue,
  path: FieldPath,
): StatusCause[] {
  const { types, format, nullable } = expected;
  const wanted = types.join(',');
  if (value === null) {
    const isWrong = types.length > 0 && !types.includes('null') && !nullable;
    return isWrong ? [wrongType(path, wanted, 'null')] : [];
  }
  if (types.length === 0 && format === '') return [];
  const found = typeOf(value);
  const hasType = types.includes(found.type) || countsAs(types, value);
  const isListOrText = typeof value === 'string' || Array.isArray(value);
  if (format !== '') {
    if (!isListOrText && !hasType && found.format !== format) {
      return [wrongType(path, format, found.format)];
    }
    const isNumeric = types.includes('number') || types.includes('integer');
    if (isListOrText && !isNumeric) return [];
  }
  return hasType ? [] : [wrongType(path, wanted, found.type)];
}

/** True for an integer where a number is expected, and for a double that counts as an integer. */
function countsAs(types: readonly string[], value: JsonValue): boolean {
  if (typeof value === 'bigint') return types.includes('number');
  if (typeof value !== 'number') return false;
  if (goNumberType(value) === 'int64') return types.includes('number');
  return types.includes('integer') && isNearInteger(value);
}

/** Returns the type of a value in a schema, and its format in Go. */
function typeOf(value: JsonValue): { readonly type: string; readonly format: string } {
  if (typeof value === 'number' || typeof value === 'bigint') {
    const format = goNumberType(value);
    return { type: format === 'int64' ? 'integer' : 'number', format };
  }
  if (Array.isArray(value)) return { type: 'array', format: '' };
  return { type: isJsonObject(value) ? 'object' : typeof value, format: '' };
}

/** The cause for a value of the wrong type. */
export function wrongType(path: FieldPath, type: string, found: string): StatusCause {
  return typeInvalid(path, found, `${path} in body must be of type ${type}: ${goQuote(found)}`);
}
