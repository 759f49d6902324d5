import { nanosOfQuantity } from '@keelson/cel/internal';

/** Returns the exact value of a quantity such as `1Gi` or `250m`, in units of 10⁻⁹; 0 for a missing or invalid one. */
export function nanosOf(quantity: string | undefined): bigint {
  return (quantity !== undefined && nanosOfQuantity(quantity)) || 0n;
}
