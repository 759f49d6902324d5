import { MAX_REQUEST_BYTES, type SizedType } from '@keelson/cel/internal';
import type { JsonSchema } from '../validation/json-schema.ts';

/** A character takes at most four bytes. */
export function sizeOfText({ type, maxLength, enum: values, format }: JsonSchema): number {
  if (maxLength !== undefined) return Math.max(0, maxLength) * (format === 'byte' ? 1 : 4);
  if (type === 'string' && format === undefined && values !== undefined && values.length > 0) {
    return Math.max(0, ...values.map((each) => (typeof each === 'string' ? utf8Length(each) : 0)));
  }
  return MAX_REQUEST_BYTES - 2;
}

export function sizeOfList({ maxItems }: JsonSchema, { smallest }: SizedType): number {
  if (maxItems !== undefined) return Math.max(0, maxItems);
  return Math.floor((MAX_REQUEST_BYTES - 2) / (smallest + 1));
}

export function sizeOfMap({ maxProperties }: JsonSchema, { smallest }: SizedType): number {
  if (maxProperties !== undefined) return Math.max(0, maxProperties);
  return Math.floor((MAX_REQUEST_BYTES - 2) / (smallest + 6));
}

/** Returns the size of the smallest valid object: its required members only. */
export function smallestObject(
  { required = [], properties = {} }: JsonSchema,
  fields: readonly (readonly [string, SizedType])[],
): number {
  return fields
    .filter(([name]) => required.includes(name) && properties[name]?.default === undefined)
    .reduce((sum, [name, { smallest }]) => sum + utf8Length(name) + smallest + 4, 2);
}

function utf8Length(text: string): number {
  return Buffer.byteLength(text);
}
