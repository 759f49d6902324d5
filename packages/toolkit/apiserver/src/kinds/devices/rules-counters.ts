import type { StatusCause } from '@keelson/apimachinery';
import { checkDnsLabel } from '@keelson/cel/internal';
import {
  type FieldPath,
  invalid,
  type JsonObject,
  required,
  tooMany,
} from '@keelson/structural-schema';

/** Validates the names of counters. Every quantity is valid. */
export function validateCounters(
  counters: JsonObject,
  most: number,
  path: FieldPath,
): StatusCause[] {
  const names = Object.keys(counters);
  if (names.length === 0) return [required(path)];
  if (names.length > most) return [tooMany(path, names.length, most)];
  return names.flatMap((name) => checkDnsLabel(name).map((detail) => invalid(path, name, detail)));
}
