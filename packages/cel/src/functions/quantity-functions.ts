import {
  canonicalQuantity,
  nanosOfQuantity,
  quantityProblem,
} from '../schema-formats/quantity.ts';
import type { CelType } from '../types/cel-type.ts';
import { type Overload, overload, quantityType } from '../types/function-declaration.ts';
import { fail } from '../values/evaluation-error.ts';
import { LibraryValue } from '../values/value.ts';

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
  overload('Quantity.asApproximateFloat(): double', ({ nanos }: Quantity) => Number(`${nanos}e-9`)),
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

  constructor(nanos: bigint, scale: number | undefined) {
    super();
    this.nanos = nanos;
    this.scale = scale;
  }

  readonly goType = 'cel.Quantity';

  get native(): string {
    return `(*resource.Quantity)${this.text}`;
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
    return canonicalQuantity(`${this.nanos}n`) ?? '';
  }

  plus(nanos: bigint, scale: number | undefined): Quantity {
    if (nanos === 0n) return this;
    if (this.nanos === 0n) return new Quantity(nanos, scale);
    const known = this.scale !== undefined && scale !== undefined;
    const least = known ? Math.min(this.scale, scale) : undefined;
    return new Quantity(this.nanos + nanos, least);
  }

  override toString(): string {
    return String(this.nanos);
  }
}

function parse(text: string): Quantity {
  const nanos = nanosOfQuantity(text);
  if (nanos === undefined) return fail(quantityProblem(text) ?? '');
  return new Quantity(nanos, scaleOf(text));
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

function sums(name: string, sign: bigint): readonly Overload[] {
  return [
    overload(`Quantity.${name}(Quantity): Quantity`, (left: Quantity, right: Quantity) =>
      left.plus(sign * right.nanos, right.scale),
    ),
    overload(`Quantity.${name}(int): Quantity`, (left: Quantity, right: bigint) =>
      left.plus(sign * right * one, 0),
    ),
  ];
}
