import type { StatusCause } from '@keelson/apimachinery';
import { goDouble } from '../json/go-text.ts';
import { invalid } from '../validation/field-error.ts';
import type { FieldPath } from '../validation/field-path.ts';
import { asInt64, goNumberType, isInteger, isNearInteger } from '../json/go-number.ts';
import type { JsonSchema } from '../validation/json-schema.ts';

/** A number, its place, and the type and format that bound it; both are empty if the type is ambiguous. */
interface NumberCheck {
  readonly value: number | bigint;
  readonly path: FieldPath;
  readonly type: string;
  readonly format: string;
}

/**
 * Returns the causes for a number outside the bounds of its type, its format or its schema. Go converts a bound to the
 * type of the value first: an integer is compared with the cut bound. A bound that does not fit the type of the
 * schema refuses every value.
 */
export function checkNumber(
  schema: JsonSchema,
  types: readonly string[],
  value: number | bigint,
  path: FieldPath,
): StatusCause[] {
  const [type = ''] = types.length === 1 ? types : [];
  const check: NumberCheck = { value, path, type, format: boundingFormat(type, schema.format) };
  const { multipleOf, minimum, maximum } = schema;
  return [
    ...checkRange(check, value, 'Checked'),
    ...(multipleOf === undefined ? [] : checkMultiple(check, multipleOf)),
    ...(minimum === undefined
      ? []
      : checkMinimum(check, minimum, schema.exclusiveMinimum === true)),
    ...(maximum === undefined
      ? []
      : checkMaximum(check, maximum, schema.exclusiveMaximum === true)),
  ];
}

const formats: Readonly<Record<string, readonly string[]>> = {
  integer: ['int32', 'int64'],
  number: ['float', 'double'],
};

function boundingFormat(type: string, format = ''): string {
  return formats[type]?.includes(format) ? format : '';
}

/** Returns the cause for a number that does not fit the type and format: the value itself, or a bound. */
function checkRange(
  { type, format, path }: NumberCheck,
  value: number | bigint,
  subject: string,
): StatusCause[] {
  if (fits(value, type, format)) return [];
  const wanted = format === '' ? '(default format)' : `with format ${format}`;
  return [unplaced(`${subject} value must be of type ${type} ${wanted} in ${path}`)];
}

function fits(value: number | bigint, type: string, format: string): boolean {
  if (type === 'integer') return isInteger(value, format === 'int32' ? 32 : 64);
  return format !== 'float' || Number.isFinite(Math.fround(Number(value)));
}

function checkMultiple(check: NumberCheck, factor: number): StatusCause[] {
  const misfit = checkRange(check, factor, 'MultipleOf');
  const { value, path } = check;
  const isExact = misfit.length === 0 && goNumberType(value) === 'int64';
  const used = isExact ? asInt64(factor) : factor;
  if (used <= 0) {
    const detail = `factor MultipleOf declared for ${path} must be positive: ${shown(used)}`;
    return [...misfit, invalid(path, used, detail)];
  }
  const isMultiple =
    typeof used === 'bigint' ? BigInt(value) % used === 0n : isNearMultiple(Number(value), used);
  if (isMultiple) return misfit;
  const compared = typeof used === 'bigint' ? BigInt(value) : Number(value);
  return [...misfit, outside(path, compared, `should be a multiple of ${shown(used)}`)];
}

function isNearMultiple(value: number, factor: number): boolean {
  return isNearInteger(factor < 1 ? (1 / factor) * value : value / factor);
}

function checkMinimum(check: NumberCheck, minimum: number, isExclusive: boolean): StatusCause[] {
  const misfit = checkRange(check, minimum, 'Minimum boundary');
  const [value, bound] = comparable(check, minimum, misfit.length === 0);
  if (isExclusive ? value > bound : value >= bound) return misfit;
  const words = isExclusive ? 'greater than' : 'greater than or equal to';
  return [...misfit, outside(check.path, value, `should be ${words} ${shown(bound)}`)];
}

function checkMaximum(check: NumberCheck, maximum: number, isExclusive: boolean): StatusCause[] {
  const misfit = checkRange(check, maximum, 'Maximum boundary');
  const [value, bound] = comparable(check, maximum, misfit.length === 0);
  if (isExclusive ? value < bound : value <= bound) return misfit;
  const words = isExclusive ? 'less than' : 'less than or equal to';
  return [...misfit, outside(check.path, value, `should be ${words} ${shown(bound)}`)];
}

/** Returns value and bound as integers if the value is one and the bound fits, else as doubles. */
function comparable(
  { value }: NumberCheck,
  bound: number,
  fitsType: boolean,
): readonly [number | bigint, number | bigint] {
  if (fitsType && goNumberType(value) === 'int64') return [BigInt(value), asInt64(bound)];
  return [Number(value), bound];
}

function shown(bound: number | bigint): string {
  return typeof bound === 'bigint' ? String(bound) : goDouble(bound);
}

/** The cause for a number outside a bound. A number that was compared as a double is printed as one. */
function outside(path: FieldPath, value: number | bigint, detail: string): StatusCause {
  const message = `Invalid value: ${shown(value)}: ${path} in body ${detail}`;
  return { reason: 'FieldValueInvalid', message, field: path };
}

export function inBody(path: FieldPath, value: unknown, detail: string): StatusCause {
  return invalid(path, value, `${path} in body ${detail}`);
}

/** A cause that kube-apiserver reports without a field. */
export function unplaced(detail: string): StatusCause {
  return invalid('<nil>', '', detail);
}
