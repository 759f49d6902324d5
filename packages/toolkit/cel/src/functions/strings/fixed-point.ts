/** The largest number of decimal digits of a double. */
const MAX_DECIMALS = 1074;

/**
 * Formats a number with a fixed number of decimals: exact digits, and halves rounded to even, as in Go. `toFixed`
 * rounds halves up, is limited to 100 digits, and uses exponents from 10²¹ on.
 */
export function fixedPoint(number: number, precision: number): string {
  const digits = Math.min(precision, MAX_DECIMALS);
  const text = String(scaled(Math.abs(number), digits)).padStart(digits + 1, '0');
  const sign = number < 0 ? '-' : '';
  const whole = text.slice(0, text.length - digits);
  if (precision === 0) return sign + whole;
  return `${sign}${whole}.${text.slice(text.length - digits).padEnd(precision, '0')}`;
}

/** Returns number × 10^digits, rounded. */
function scaled(number: number, digits: number): bigint {
  let significand = number;
  let halvings = 0n;
  while (!Number.isInteger(significand)) {
    significand *= 2;
    halvings += 1n;
  }
  const product = BigInt(significand) * 10n ** BigInt(digits);
  const quotient = product >> halvings;
  const twice = (product - (quotient << halvings)) * 2n;
  const one = 1n << halvings;
  const up = twice > one || (twice === one && quotient % 2n === 1n);
  return up ? quotient + 1n : quotient;
}
