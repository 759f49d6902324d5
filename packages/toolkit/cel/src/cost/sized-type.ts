import type { CelType } from '../types/cel-type.ts';

/** A type with the size limits of its values, which limit the cost of rules about them. */
export interface SizedType {
  readonly type: CelType;
  /** The bytes of the smallest value in JSON. */
  readonly smallest: number;
  /** The largest number of items, entries or characters of a value. */
  readonly most: number;
  readonly key?: SizedType;
  readonly element?: SizedType;
  readonly fields?: Pick<ReadonlyMap<string, SizedType>, 'get'>;
}

/** The size limit of a request in bytes. */
export const MAX_REQUEST_BYTES: number = 3 * 1024 * 1024;
