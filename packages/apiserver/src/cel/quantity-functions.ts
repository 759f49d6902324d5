import type { Environment } from '@marcbachmann/cel-js';
import { nanosOfQuantity } from '../schema/quantity.ts';
import type { CelLibrary } from './cel-library.ts';

const one = 1_000_000_000n;

/** The `quantity` functions of kube-apiserver. */
export function registerQuantityFunctions(
  environment: Environment,
  { EvaluationError }: CelLibrary,
): void {
  const parse = (text: string): Quantity => {
    const nanos = nanosOfQuantity(text);
    if (nanos === undefined)
      throw new EvaluationError('quantities must match the regular expression');
    return new Quantity(nanos);
  };
  environment
    .registerType('Quantity', Quantity)
    .registerOperator(
      'Quantity == Quantity',
      (left: Quantity, right: Quantity) => left.nanos === right.nanos,
    )
    .registerFunction(
      'isQuantity(string): bool',
      (text: string) => nanosOfQuantity(text) !== undefined,
    )
    .registerFunction('quantity(string): Quantity', parse)
    .registerFunction('Quantity.isInteger(): bool', ({ nanos }: Quantity) => nanos % one === 0n)
    .registerFunction('Quantity.asInteger(): int', ({ nanos }: Quantity) => {
      if (nanos % one !== 0n) throw new EvaluationError('cannot convert value to integer');
      return nanos / one;
    })
    .registerFunction(
      'Quantity.asApproximateFloat(): double',
      ({ nanos }: Quantity) => Number(nanos) / Number(one),
    )
    .registerFunction('Quantity.sign(): int', ({ nanos }: Quantity) => signOf(nanos))
    .registerFunction('Quantity.compareTo(Quantity): int', (left: Quantity, right: Quantity) =>
      signOf(left.nanos - right.nanos),
    )
    .registerFunction(
      'Quantity.isLessThan(Quantity): bool',
      (left: Quantity, right: Quantity) => left.nanos < right.nanos,
    )
    .registerFunction(
      'Quantity.isGreaterThan(Quantity): bool',
      (left: Quantity, right: Quantity) => left.nanos > right.nanos,
    );
  for (const [name, sign] of [
    ['add', 1n],
    ['sub', -1n],
  ] as const) {
    environment
      .registerFunction(
        `Quantity.${name}(Quantity): Quantity`,
        (left: Quantity, right: Quantity) => new Quantity(left.nanos + sign * right.nanos),
      )
      .registerFunction(
        `Quantity.${name}(int): Quantity`,
        (left: Quantity, right: bigint) => new Quantity(left.nanos + sign * right * one),
      );
  }
}

class Quantity {
  readonly nanos: bigint;

  constructor(nanos: bigint) {
    this.nanos = nanos;
  }
}

function signOf(value: bigint): bigint {
  if (value === 0n) return 0n;
  return value < 0n ? -1n : 1n;
}
