import type { StatusCause } from '@keelson/apimachinery';
import { invalid } from './field-error.ts';
import type { FieldPath } from './field-path.ts';
import type { JsonSchema } from './json-schema.ts';
import { knownFormat } from './known-format.ts';

type Bounds = readonly [least: number | bigint, most: number | bigint];

const int64: Bounds = [-(2n ** 63n), 2n ** 63n - 1n];

const mostFloat = 3.4028234663852886e38;

const int32: Bounds = [-(2 ** 31), 2 ** 31 - 1];

/** Returns the cause for a number that does not fit its type and format. Like Go, it checks the printed number. */
export function checkNumberFormat(
  schema: JsonSchema,
  value: number | bigint,
  path: FieldPath,
): StatusCause[] {
  const { type = 'number' } = schema;
  const format = knownFormat(schema) ?? '';
  if (type === 'integer') {
    const [least, most] = format === 'int32' ? int32 : int64;
    const integer = integerIn(String(value));
    if (integer !== undefined && integer >= least && integer <= most) return [];
  } else if (format !== 'float' || Math.abs(Number(value)) <= mostFloat) {
    return [];
  }
  const wanted = format === '' ? '(default format)' : `with format ${format}`;
  return [unplaced(`Checked value must be of type ${type} ${wanted} in ${path}`)];
}

/** Parses the integer that Go prints for a double. */
function integerIn(text: string): bigint | undefined {
  return /^-?\d+$/.test(text) ? BigInt(text) : undefined;
}

/** Returns the causes for a number outside the bounds of its format or schema. */
export function checkNumber(
  schema: JsonSchema,
  value: number | bigint,
  path: FieldPath,
): StatusCause[] {
  const causes: StatusCause[] = checkNumberFormat(schema, value, path);
  const { minimum, maximum, multipleOf } = schema;
  if (multipleOf !== undefined && !isMultiple(value, multipleOf)) {
    causes.push(inBody(path, value, `should be a multiple of ${multipleOf}`));
  }
  if (minimum !== undefined) {
    const exclusive = schema.exclusiveMinimum === true;
    const words = exclusive ? 'greater than' : 'greater than or equal to';
    if (value < minimum || (exclusive && Number(value) === minimum)) {
      causes.push(inBody(path, value, `should be ${words} ${minimum}`));
    }
  }
  if (maximum !== undefined) {
    const exclusive = schema.exclusiveMaximum === true;
    const words = exclusive ? 'less than' : 'less than or equal to';
    if (value > maximum || (exclusive && Number(value) === maximum)) {
      causes.push(inBody(path, value, `should be ${words} ${maximum}`));
    }
  }
  return causes;
}

/** Integers use integer division, as in Go. */
function isMultiple(value: number | bigint, factor: number): boolean {
  if (typeof value === 'bigint' && Number.isSafeInteger(factor) && factor > 0)
    return value % BigInt(factor) === 0n;
  return Number.isInteger(Number((Number(value) / factor).toFixed(9)));
}

export function inBody(path: FieldPath, value: unknown, detail: string): StatusCause {
  return invalid(path, value, `${path} in body ${detail}`);
}

/** A cause that kube-apiserver reports without a field. */
export function unplaced(detail: string): StatusCause {
  return invalid('<nil>', '', detail);
}
