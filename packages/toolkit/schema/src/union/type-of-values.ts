import { isNumeric, type JsonValue } from '@keelson/structural-schema';
import { refusal } from '../literal/refusal.ts';

/** Returns the one type of the values of an enumeration. Throws `SCHEMA_INVALID` for values of several types. */
export function typeOfValues(values: readonly JsonValue[], path: string): string {
  const types = new Set(values.map(typeOfValue));
  if (types.has('integer') && types.has('number')) types.delete('integer');
  const [type] = types;
  if (types.size === 1 && type !== undefined) return type;
  const cure = 'use values of one type';
  throw refusal(`${path}.enum`, `values of different types: ${[...types].join(' ')}`, cure);
}

function typeOfValue(value: JsonValue): string {
  if (Array.isArray(value)) return 'array';
  if (isNumeric(value)) return Number.isInteger(Number(value)) ? 'integer' : 'number';
  return typeof value;
}
