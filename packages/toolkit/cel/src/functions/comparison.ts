import { Duration } from '../values/duration.ts';
import { EvaluationError } from '../values/evaluation-error.ts';
import { Timestamp } from '../values/timestamp.ts';
import { UnsignedInt } from '../values/unsigned-int.ts';
import type { Value } from '../values/value.ts';

export type Order = -1 | 0 | 1;
type NumberValue = bigint | number | UnsignedInt;

/** Returns the order of two values, or the error if they have none. Numbers of different types are compared by value. */
export function compareValues(one: Value, other: Value): Order | EvaluationError {
  if (isNumberValue(one)) return isNumberValue(other) ? orderOfNumbers(one, other) : noOverload();
  if (typeof one === 'string')
    return typeof other === 'string' ? compareTexts(one, other) : noOverload();
  if (typeof one === 'boolean') {
    return typeof other === 'boolean' ? orderOf(Number(one), Number(other)) : noOverload();
  }
  if (one instanceof Uint8Array && other instanceof Uint8Array) return Buffer.compare(one, other);
  const times = one instanceof Timestamp && other instanceof Timestamp;
  const durations = one instanceof Duration && other instanceof Duration;
  return times || durations ? orderOf(one.nanos, other.nanos) : noOverload();
}

/** True if values of this type have an order. */
export function isComparable(value: Value): boolean {
  if (typeof value !== 'object') return true;
  return (
    value instanceof Uint8Array ||
    value instanceof UnsignedInt ||
    value instanceof Timestamp ||
    value instanceof Duration
  );
}

function isNumberValue(value: Value): value is NumberValue {
  return typeof value === 'bigint' || typeof value === 'number' || value instanceof UnsignedInt;
}

function orderOfNumbers(one: NumberValue, other: NumberValue): Order | EvaluationError {
  const order = compareNumbers(one, other);
  return order ?? new EvaluationError('NaN values cannot be ordered');
}

/**
 * Compares numbers as cel-go does: a whole number becomes a double before it is compared with a double, except outside of
 * its own range. Returns `undefined` for NaN.
 */
export function compareNumbers(one: NumberValue, other: NumberValue): Order | undefined {
  if (typeof one === 'number') {
    if (typeof other === 'number') return doubleOrder(one, other);
    return compareDouble(one, other);
  }
  if (typeof other !== 'number') return orderOf(wholeOf(one), wholeOf(other));
  const order = compareDouble(other, one);
  return order === undefined ? undefined : (-order as Order);
}

function compareDouble(double: number, whole: bigint | UnsignedInt): Order | undefined {
  if (Number.isNaN(double)) return undefined;
  const signed = typeof whole === 'bigint';
  if (double < (signed ? -(2 ** 63) : 0)) return -1;
  if (double > (signed ? 2 ** 63 : 2 ** 64)) return 1;
  return orderOf(double, Number(wholeOf(whole)));
}

function wholeOf(value: bigint | UnsignedInt): bigint {
  return typeof value === 'bigint' ? value : value.value;
}

function doubleOrder(one: number, other: number): Order | undefined {
  return Number.isNaN(one) || Number.isNaN(other) ? undefined : orderOf(one, other);
}

function orderOf<T extends number | bigint>(one: T, other: T): Order {
  if (one < other) return -1;
  return one > other ? 1 : 0;
}

/** Compares by code points, which is the order of UTF-8 bytes in Go. JavaScript compares UTF-16 units. */
function compareTexts(one: string, other: string): Order {
  if (one === other) return 0;
  const surrogates = /[\uD800-\uDFFF]/;
  if (surrogates.test(one) || surrogates.test(other)) {
    return Buffer.compare(Buffer.from(one), Buffer.from(other));
  }
  return one < other ? -1 : 1;
}

function noOverload(): EvaluationError {
  return new EvaluationError('no such overload');
}
