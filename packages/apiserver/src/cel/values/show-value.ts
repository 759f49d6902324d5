import { isList } from './list-value.ts';
import type { Value } from './value.ts';

/** A value in an error message. */
export function showValue(value: Value): string {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('utf8');
  return isList(value) ? 'list' : String(value);
}
