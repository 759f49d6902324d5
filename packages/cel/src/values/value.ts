import type { ObjectValue } from './object-value.ts';

/** A value of an expression. A bigint is an int, a number is a double. */
export type Value =
  | null
  | boolean
  | bigint
  | number
  | string
  | Uint8Array
  | readonly Value[]
  | ObjectValue;
