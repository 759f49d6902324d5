/** The message of kube-apiserver for an invalid quantity. */
export const quantitySyntaxMessage: string =
  "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

/** Returns the error of kube-apiserver for an invalid quantity; otherwise `undefined`. */
export function quantityProblem(text: string): string | undefined {
  if (parseQuantity(text) !== undefined) return undefined;
  const wellFormed = /^[+-]?\d*(?:\.\d*)?[eEinumkKMGTP]*[-+]?\d*$/.test(text) && text !== '';
  return wellFormed ? "unable to parse quantity's suffix" : quantitySyntaxMessage;
}

const binary = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];
const decimal = new Map([
  ['n', -9],
  ['u', -6],
  ['m', -3],
  ['', 0],
  ['k', 3],
  ['M', 6],
  ['G', 9],
  ['T', 12],
  ['P', 15],
  ['E', 18],
]);
const decimalSuffix = new Map([...decimal].map(([suffix, exponent]) => [exponent, suffix]));

/**
 * Quantities with a larger exponent are rejected, because a quantity is computed with all its digits.
 * kube-apiserver accepts larger ones and hangs on some.
 */
const MAX_EXPONENT = 10_000;

/** kube-apiserver caps quantities with a binary suffix at the largest 64-bit integer. */
const MAX_BINARY_NANOS = (2n ** 63n - 1n) * 1_000_000_000n;

/** A number with the family of suffixes that it was written in. */
interface Quantity {
  /** The number in units of 10⁻⁹, the precision of quantities. */
  nanos: bigint;
  family: 'binary' | 'decimal' | 'exponent';
}

const zero: Quantity = { nanos: 0n, family: 'decimal' };

/**
 * Returns the canonical form of a quantity, which the server stores: `1000m` → `1`, `0.5` → `500m`, `1024Mi` →
 * `1Gi`. Returns `undefined` for an invalid quantity.
 */
export function canonicalQuantity(text: string): string | undefined {
  const quantity = parseQuantity(text);
  return quantity === undefined ? undefined : format(quantity);
}

/** Compares two quantities; an invalid one counts as zero. */
export function compareQuantities(left: string, right: string): number {
  const difference = (parseQuantity(left)?.nanos ?? 0n) - (parseQuantity(right)?.nanos ?? 0n);
  if (difference === 0n) return 0;
  return difference < 0n ? -1 : 1;
}

/**
 * Adds two quantities. The result has the suffix family of the first unless that is zero. An invalid one counts as
 * zero.
 */
export function addQuantities(left: string, right: string): string {
  return combine(left, right, (one, other) => one + other);
}

/**
 * Subtracts the second quantity from the first. The result has the suffix family of the first unless that is zero.
 */
export function subtractQuantities(left: string, right: string): string {
  return combine(left, right, (one, other) => one - other);
}

function combine(
  left: string,
  right: string,
  operation: (one: bigint, other: bigint) => bigint,
): string {
  const one = parseQuantity(left) ?? zero;
  const other = parseQuantity(right) ?? zero;
  const { family } = one.nanos === 0n ? other : one;
  return format({ nanos: operation(one.nanos, other.nanos), family });
}

/** Returns the value of a quantity in units of 10⁻⁹; `undefined` for an invalid quantity. */
export function nanosOfQuantity(text: string): bigint | undefined {
  return parseQuantity(text)?.nanos;
}

function parseQuantity(text: string): Quantity | undefined {
  const match = /^([+-]?)(\d*(?:\.\d*)?)(Ki|Mi|Gi|Ti|Pi|Ei|[numkMGTPE]?|[eE][+-]?\d+)$/.exec(text);
  if (match === null || text === '') return undefined;
  const [, sign, digits = '', suffix = ''] = match;
  const [whole = '', fraction = ''] = digits.split('.');
  // As in kube-apiserver, the digits may be missing: "m" is zero.
  const mantissa = BigInt(`${whole}${fraction}` || '0');
  const power = binary.indexOf(suffix);
  if (suffix !== '' && power > 0) {
    const exact = scale(mantissa * 1024n ** BigInt(power), 9 - fraction.length);
    const nanos = exact > MAX_BINARY_NANOS ? MAX_BINARY_NANOS : exact;
    return { nanos: sign === '-' ? -nanos : nanos, family: 'binary' };
  }
  const exponent = decimal.get(suffix) ?? Number(suffix.slice(1));
  if (exponent > MAX_EXPONENT) return undefined;
  const nanos = scale(mantissa, exponent + 9 - fraction.length);
  const family = decimal.has(suffix) ? 'decimal' : 'exponent';
  return { nanos: sign === '-' ? -nanos : nanos, family };
}

/** Returns value × 10^exponent, rounded up as on kube-apiserver. */
function scale(value: bigint, exponent: number): bigint {
  if (exponent >= 0) return value * 10n ** BigInt(exponent);
  if (value === 0n) return 0n;
  // The result is less than one unit: rounds up without computing the digits.
  if (exponent < -value.toString().length) return 1n;
  const divisor = 10n ** BigInt(-exponent);
  return (value + divisor - 1n) / divisor;
}

function format({ nanos, family }: Quantity): string {
  if (nanos === 0n) return '0';
  const sign = nanos < 0n ? '-' : '';
  const size = nanos < 0n ? -nanos : nanos;
  // A binary quantity below 1024 or with a fraction is written with decimal suffixes.
  if (family === 'binary' && size >= 1024n * 1_000_000_000n && size % 1_000_000_000n === 0n) {
    return sign + formatBinary(size / 1_000_000_000n);
  }
  return sign + formatDecimal(size, family === 'exponent');
}

function formatBinary(units: bigint): string {
  let value = units;
  let power = 0;
  while (value % 1024n === 0n && power < binary.length - 1) {
    value /= 1024n;
    power += 1;
  }
  return `${value}${binary[power]}`;
}

function formatDecimal(nanos: bigint, asExponent: boolean): string {
  let value = nanos;
  let exponent = -9;
  while (value % 1000n === 0n && exponent < 18) {
    value /= 1000n;
    exponent += 3;
  }
  if (asExponent) return exponent === 0 ? `${value}` : `${value}e${exponent}`;
  return `${value}${decimalSuffix.get(exponent) ?? ''}`;
}
