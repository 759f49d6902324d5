import type { CelType } from '../types/cel-type.ts';

/** A type with what its values may measure: that bounds what rules about them may cost. */
export interface SizedType {
  readonly type: CelType;
  /** The bytes that the smallest value takes in JSON. */
  readonly smallest: number;
  /** The most items, entries or characters of a value. */
  readonly most: number;
  readonly key?: SizedType;
  readonly element?: SizedType;
  readonly fields?: ReadonlyMap<string, SizedType>;
}

/** What one request may measure. */
export const requestBytes: number = 3 * 1024 * 1024;
