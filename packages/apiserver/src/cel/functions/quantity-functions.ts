import { nanosOfQuantity, quantitySyntaxMessage } from '../../schema/quantity.ts';
import type { CelType } from '../types/cel-type.ts';
import { type Overload, overload, quantityType } from '../types/function-declaration.ts';
import { fail } from '../values/evaluation-error.ts';
import { LibraryValue } from '../values/library-value.ts';

const one = 1_000_000_000n;

/** Quantities of resources: `500m`, `1Gi`. */
export const quantityFunctions: readonly Overload[] = [
  overload('quantity(string): Quantity', parse),
  overload('isQuantity(string): bool', (text: string) => nanosOfQuantity(text) !== undefined),
  overload('sign(Quantity): int', ({ nanos }: Quantity) => order(nanos, 0n)),
  overload('Quantity.isInteger(): bool', ({ integer }: Quantity) => integer !== undefined),
  overload(
    'Quantity.asInteger(): int',
    ({ integer }: Quantity) => integer ?? fail('cannot convert value to integer'),
  ),
  overload(
    'Quantity.asApproximateFloat(): double',
    ({ nanos }: Quantity) => Number(nanos) / Number(one),
  ),
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

class Quantity extends LibraryValue {
  readonly nanos: bigint;

  constructor(nanos: bigint) {
    super();
    this.nanos = nanos;
  }

  get type(): CelType {
    return quantityType;
  }

  /** Undefined for a fraction, and for what is more than an int. */
  get integer(): bigint | undefined {
    const value = this.nanos / one;
    const whole = this.nanos % one === 0n && BigInt.asIntN(64, value) === value;
    return whole ? value : undefined;
  }

  override toString(): string {
    return String(this.nanos);
  }
}

function parse(text: string): Quantity {
  const nanos = nanosOfQuantity(text);
  return nanos === undefined ? fail(quantitySyntaxMessage) : new Quantity(nanos);
}

function order(left: bigint, right: bigint): bigint {
  if (left === right) return 0n;
  return left < right ? -1n : 1n;
}

function sums(name: string, sign: bigint): readonly Overload[] {
  return [
    overload(
      `Quantity.${name}(Quantity): Quantity`,
      (left: Quantity, right: Quantity) => new Quantity(left.nanos + sign * right.nanos),
    ),
    overload(
      `Quantity.${name}(int): Quantity`,
      (left: Quantity, right: bigint) => new Quantity(left.nanos + sign * right * one),
    ),
  ];
}
