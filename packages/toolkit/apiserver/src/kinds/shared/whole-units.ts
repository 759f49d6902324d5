import { nanosOfQuantity } from '@keelson/cel/internal';

const NANOS_PER_UNIT = 1_000_000_000n;

/** True if a quantity has no fraction of a unit, and for an invalid quantity. */
export function isWhole(quantity: string): boolean {
  return (nanosOfQuantity(quantity) ?? 0n) % NANOS_PER_UNIT === 0n;
}

/** The whole units of a quantity, rounded away from zero as in Go's `Quantity.Value()`; 0 for an invalid quantity. */
export function wholeUnits(quantity: string): bigint {
  const nanos = nanosOfQuantity(quantity) ?? 0n;
  const units = nanos / NANOS_PER_UNIT;
  if (nanos % NANOS_PER_UNIT === 0n) return units;
  return nanos < 0n ? units - 1n : units + 1n;
}
