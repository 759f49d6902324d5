import {
  addQuantities,
  canonicalQuantity,
  nanosOfQuantity,
  quantityProblem,
  subtractQuantities,
} from '../../schema-formats/quantity.ts';
import type { CelType } from '../../types/cel-type.ts';
import { type Overload, overload, quantityType } from '../../types/function-declaration.ts';
import { fail } from '../../values/evaluation-error.ts';
import { LibraryValue } from '../../values/value.ts';

const one = 1_000_000_000n;

/** The functions of resource quantities such as `500m` and `1Gi`. */
export const quantityFunctions: readonly Overload[] = [
  overload('quantity(string): Quantity', parse),
  overload('isQuantity(string): bool', (text: string) => nanosOfQuantity(text) !== undefined),
  overload('sign(Quantity): int', ({ nanos }: Quantity) => order(nanos, 0n)),
  overload('Quantity.isInteger(): bool', ({ integer }: Quantity) => integer !== undefined),
  overload(
    'Quantity.asInteger(): int',
    ({ integer }: Quantity) => integer ?? fail('cannot convert value to integer'),
  ),
  overload('Quantity.asApproximateFloat(): double', ({ approximate }: Quantity) => approximate),
  overload('Quantity.compareTo(Quantity): int', (left: Quantity, right: Quantity) =>
    order(left.nanos, right.nanos),
  ),
  overload(
    'Quantity.isLessThan(Quantity): bool',
    (left: Quantity, right: Quantity) => left.nanos < right.nanos,
  ),
  overload(
    'Quantity.isGreaterThan(Quantity): bool',
    (left: Quantity, right: Quantity) => left.nanos > right.nanos,
  ),
  ...sums('add', 1n),
  ...sums('sub', -1n),
];

export class Quantity extends LibraryValue {
  readonly nanos: bigint;
  /** The power of ten of the stored number; `undefined` if the number has too many digits. */
  readonly scale: number | undefined;
  /** The quantity in the family of suffixes that it was written in. */
  readonly #written: string;
  readonly goType: string;

  /** `isSum`: the result of `add` or `sub`, which has another Go type and so equals no quantity on its left. */
  constructor(written: string, { nanos, scale }: Pick<Quantity, 'nanos' | 'scale'>, isSum = false) {
    super();
    this.nanos = nanos;
    this.scale = scale;
    this.#written = written;
    this.goType = isSum ? '*cel.Quantity' : 'cel.Quantity';
  }

  get native(): string {
    // A quantity that was written in canonical form keeps its notation.
    const isCanonical = this.text.toLowerCase() === this.#written.toLowerCase();
    return `(*resource.Quantity)${isCanonical ? this.#written : this.text}`;
  }

  get type(): CelType {
    return quantityType;
  }

  /**
   * The value as an int; `undefined` for a quantity that is stored as a fraction, such as `1000m`, or exceeds an
   * int.
   */
  get integer(): bigint | undefined {
    const value = this.nanos / one;
    const whole = this.scale !== undefined && this.scale >= 0;
    return whole && BigInt.asIntN(64, value) === value ? value : undefined;
  }

  /** The canonical form of the quantity. */
  get text(): string {
    return canonicalQuantity(this.#written) ?? '';
  }

  /** The value as a double: kube-apiserver multiplies the stored number with a power of ten, which may be inexact. */
  get approximate(): number {
    const scale = this.scale ?? -9;
    if (this.nanos === 0n) return 0;
    const stored = this.nanos / 10n ** BigInt(scale + 9);
    return scale === 0 ? Number(stored) : Number(stored) * Number(`1e${scale}`);
  }

  plus(other: Quantity, sign: 1n | -1n): Quantity {
    const combine = sign === 1n ? addQuantities : subtractQuantities;
    const written = combine(this.text, other.text);
    const nanos = this.nanos + sign * other.nanos;
    return new Quantity(written, { nanos, scale: this.#scaleWith(other) }, true);
  }

  #scaleWith({ nanos, scale }: Quantity): number | undefined {
    if (nanos === 0n) return this.scale;
    if (this.nanos === 0n) return scale;
    const known = this.scale !== undefined && scale !== undefined;
    return known ? Math.min(this.scale, scale) : undefined;
  }

  override toString(): string {
    return String(this.nanos);
  }
}

function parse(text: string): Quantity {
  const nanos = nanosOfQuantity(text);
  if (nanos === undefined) return fail(quantityProblem(text) ?? '');
  return new Quantity(text, { nanos, scale: scaleOf(text) });
}

const powers: Readonly<Record<string, number>> = {
  n: -9,
  u: -6,
  m: -3,
  '': 0,
  k: 3,
  M: 6,
  G: 9,
  T: 12,
  P: 15,
  E: 18,
};

/** Returns the scale that kube-apiserver stores: up to 18 digits; for binary suffixes fewer and no fraction. */
function scaleOf(text: string): number | undefined {
  const [, whole = '', fraction = '', suffix = ''] = /^[+-]?0*(\d*)\.?(\d*)(.*)$/.exec(text) ?? [];
  if (suffix.endsWith('i')) {
    const bits = 10 * ' KMGTPE'.indexOf(suffix.charAt(0));
    const digits = whole.length + Math.floor((bits * 3) / 10);
    return fraction === '' && digits <= 14 ? 0 : undefined;
  }
  const power = powers[suffix] ?? Number(suffix.slice(1));
  const scale = power - fraction.length;
  return whole.length + fraction.length <= 18 && scale >= -9 ? scale : undefined;
}

function order(left: bigint, right: bigint): bigint {
  if (left === right) return 0n;
  return left < right ? -1n : 1n;
}

function sums(name: string, sign: 1n | -1n): readonly Overload[] {
  return [
    overload(`Quantity.${name}(Quantity): Quantity`, (left: Quantity, right: Quantity) =>
      left.plus(right, sign),
    ),
    overload(`Quantity.${name}(int): Quantity`, (left: Quantity, right: bigint) =>
      left.plus(
        new Quantity(`${right}e0`, { nanos: right * one, scale: 0 }),
        isUnnegated(left, right) ? 1n : sign,
      ),
    ),
  ];
}

/** True for the least int, whose negation in Go is itself, unless Go falls back to numbers of any size. */
function isUnnegated({ nanos, scale }: Quantity, int: bigint): boolean {
  return int === -(2n ** 63n) && nanos >= 0n && scale !== undefined && scale >= 0;
}
