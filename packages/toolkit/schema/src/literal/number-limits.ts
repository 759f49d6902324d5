/** The first double that is larger than every integer of 64 bits. */
export const LARGEST_INT64: number = 2 ** 63;

/** A limit of numbers. */
export interface Limit {
  readonly value: number;
  readonly isUpper: boolean;
  readonly isExclusive: boolean;
}

/**
 * True for a limit that kube-apiserver reads otherwise. It compares a whole number with the limit that Go truncated to an
 * integer: 0 reaches a minimum of 0.5. Of integers it refuses every value unless the limit is an integer of the format.
 */
export function isReadOtherwise(
  type: 'integer' | 'number',
  limit: Limit,
  format?: unknown,
): boolean {
  const { value, isUpper, isExclusive } = limit;
  if (type === 'integer' && format === 'int32' && !isInt32(value)) return true;
  if (Math.abs(value) >= LARGEST_INT64) return value !== -LARGEST_INT64;
  if (Number.isInteger(value)) return false;
  if (type === 'integer') return true;
  // A positive limit is truncated downwards, a negative one upwards.
  return isUpper === isExclusive ? value > 0 : value < 0;
}

function isInt32(value: number): boolean {
  return value >= -(2 ** 31) && value < 2 ** 31;
}
