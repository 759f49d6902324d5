import type { StatusCause } from '@keelson/apimachinery';
import { ownValue } from '../../json/json-value.ts';
import { invalid } from '../field-error.ts';
import type { FieldPath } from '../field-path.ts';
import type { JsonSchema } from './structural-schema.ts';

/** The bounds of a format, and the type whose values it is. */
const numberFormats: Readonly<Record<string, readonly [min: number, max: number]>> = {
  int32: [-(2 ** 31), 2 ** 31 - 1],
  uint32: [0, 2 ** 32 - 1],
  float: [-3.4028234663852886e38, 3.4028234663852886e38],
};

function checkNumberFormat(
  { type = 'number', format = '' }: JsonSchema,
  value: number,
  path: FieldPath,
): StatusCause[] {
  const [least, most] = ownValue(numberFormats, format) ?? [-Infinity, Infinity];
  if (value >= least && value <= most) return [];
  return [unplaced(`Checked value must be of type ${type} with format ${format} in ${path}`)];
}

/** The causes for which a number is out of the bounds of its format or its schema. */
export function checkNumber(schema: JsonSchema, value: number, path: FieldPath): StatusCause[] {
  const causes: StatusCause[] = checkNumberFormat(schema, value, path);
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

export function inBody(path: FieldPath, value: unknown, detail: string): StatusCause {
  return invalid(path, value, `${path} in body ${detail}`);
}

/** A cause that the server's validator tells without a field. */
export function unplaced(detail: string): StatusCause {
  return invalid('<nil>', '', detail);
}
