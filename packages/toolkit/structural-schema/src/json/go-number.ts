const INT64_LIMIT = 2n ** 63n;

/** Returns the type that Go's decoder gives a JSON number: an integer of 64 bits, or a double. */
export function goNumberType(value: number | bigint): 'int64' | 'float64' {
  return typeof value === 'bigint' || Number.isSafeInteger(value) ? 'int64' : 'float64';
}

/** Converts a number as Go's `int64(x)` does on amd64: fractions are cut, and what does not fit is the least integer. */
export function asInt64(value: number | bigint): bigint {
  if (typeof value === 'bigint') return value;
  if (!(Math.abs(value) < Number(INT64_LIMIT))) return -INT64_LIMIT;
  return BigInt(Math.trunc(value));
}

/** True if a double counts as an integer for Kubernetes' validator, which tolerates a rounding error. */
export function isNearInteger(value: number): boolean {
  if (!(Math.abs(value) <= Number.MAX_SAFE_INTEGER)) return false;
  const whole = Math.trunc(value);
  if (whole === value) return true;
  // The conversion in Go is unsigned, so that the tolerance applies to positive numbers only.
  return value > 0 && whole > 0 && (value - whole) / (value + whole) < 1e-9;
}

/** True if a number, as Go prints it, is an integer of this size in bits. */
export function isInteger(value: number | bigint, bits: 32 | 64): boolean {
  if (typeof value === 'number' && !Number.isInteger(value)) return false;
  // The shortest digits of a double end in zeros: they may be beyond the limit although the double is not.
  const integer =
    typeof value === 'bigint' || Math.abs(value) >= 1e21 ? BigInt(value) : BigInt(String(value));
  return BigInt.asIntN(bits, integer) === integer;
}
