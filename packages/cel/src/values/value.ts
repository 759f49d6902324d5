import type { ObjectValue } from './object-value.ts';

/** What an expression may come to. A bigint is an int, a number a double. */
export type Value =
  | null
  | boolean
  | bigint
  | number
  | string
  | Uint8Array
  | readonly Value[]
  | ObjectValue;
