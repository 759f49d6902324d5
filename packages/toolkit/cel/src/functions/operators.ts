import { type Overload, overload } from '../types/function-declaration.ts';
import { compareValues } from './comparison.ts';
import { Duration } from '../values/duration.ts';
import { areEqual, equalOutcomes, equalValues } from './equality.ts';
import { type EvaluationError, fail } from '../values/evaluation-error.ts';
import type { MapValue } from '../values/map-value.ts';
import { SchemaList } from '../values/list-value.ts';
import { isFailed, type Outcome } from '../values/outcome.ts';
import { Timestamp } from '../values/timestamp.ts';
import { typeOfValue } from '../values/type-of-value.ts';
import { UnsignedInt } from '../values/unsigned-int.ts';
import { itemsOf, type ListValue, outcomesOf } from '../values/list-value.ts';
import type { Value } from '../values/value.ts';

const comparable = 'bool int uint double string bytes timestamp duration'.split(' ');
const numbers = ['int', 'uint', 'double'];

const comparators: Readonly<Record<string, (order: number) => boolean>> = {
  '<': (order) => order < 0,
  '<=': (order) => order <= 0,
  '>': (order) => order > 0,
  '>=': (order) => order >= 0,
};

/** The operators. The planner evaluates `&&`, `||` and `?:`, which do not always evaluate all operands. */
export const operators: readonly Overload[] = [
  ...arithmetic(),
  ...comparisons(),
  overload('!_(bool): bool', (value: boolean) => !value),
  overload('_&&_(bool, bool): bool', evaluatedElsewhere),
  overload('_||_(bool, bool): bool', evaluatedElsewhere),
  overload('_?:_(bool, A, A): A', evaluatedElsewhere),
  overload('_?_:_(bool, A, A): A', evaluatedElsewhere),
  overload('@not_strictly_false(bool): bool', evaluatedElsewhere),
  overload('_==_(A, A): bool', equalValues),
  overload('_!=_(A, A): bool', (one: Value, other: Value) => !areEqual(one, other)),
  overload('@in(A, list<A>): bool', isItem),
  overload('@in(A, map<A, B>): bool', (key: Value, map: MapValue) => {
    const found = map.find(key);
    return found !== undefined && isFailed(found) ? found : found !== undefined;
  }),
  overload('_[_](list<A>, int): A', evaluatedElsewhere),
  overload('_[_](map<A, B>, A): B', evaluatedElsewhere),
];

function evaluatedElsewhere(): never {
  throw new Error('an operator with operands that are not always evaluated was called');
}

function arithmetic(): readonly Overload[] {
  return [
    overload('_+_(bytes, bytes): bytes', (one: Uint8Array, other: Uint8Array) =>
      Buffer.concat([one, other]),
    ),
    overload('_+_(double, double): double', (one: number, other: number) => one + other),
    overload(
      '_+_(duration, duration): duration',
      (one: Duration, other: Duration) => new Duration(one.nanos + other.nanos),
    ),
    overload(
      '_+_(duration, timestamp): timestamp',
      (one: Duration, other: Timestamp) => new Timestamp(one.nanos + other.nanos, other.offset),
    ),
    overload(
      '_+_(timestamp, duration): timestamp',
      (one: Timestamp, other: Duration) => new Timestamp(one.nanos + other.nanos, one.offset),
    ),
    overload('_+_(int, int): int', (one: bigint, other: bigint) => integer(one + other)),
    overload('_+_(list<A>, list<A>): list<A>', joined),
    overload('_+_(string, string): string', (one: string, other: string) => one + other),
    overload(
      '_+_(uint, uint): uint',
      unsigned((one, other) => one + other),
    ),
    overload('_-_(double, double): double', (one: number, other: number) => one - other),
    overload(
      '_-_(duration, duration): duration',
      (one: Duration, other: Duration) => new Duration(one.nanos - other.nanos),
    ),
    overload('_-_(int, int): int', (one: bigint, other: bigint) => integer(one - other)),
    overload('_-_(timestamp, duration): timestamp', earlier),
    overload('_-_(timestamp, timestamp): duration', between),
    overload(
      '_-_(uint, uint): uint',
      unsigned((one, other) => one - other),
    ),
    overload('_*_(double, double): double', (one: number, other: number) => one * other),
    overload('_*_(int, int): int', (one: bigint, other: bigint) => integer(one * other)),
    overload(
      '_*_(uint, uint): uint',
      unsigned((one, other) => one * other),
    ),
    overload('_/_(double, double): double', (one: number, other: number) => one / other),
    overload('_/_(int, int): int', (one: bigint, other: bigint) => integer(quotient(one, other))),
    overload('_/_(uint, uint): uint', unsigned(quotient)),
    overload('_%_(int, int): int', signedRemainder),
    overload('_%_(uint, uint): uint', unsigned(remainder)),
    overload('-_(double): double', (value: number) => -value),
    overload('-_(int): int', (value: bigint) => integer(-value)),
  ];
}

/** Adds two values as `+` does. */
export function addValues(one: Value, other: Value): Value {
  const kinds = [one, other].map((value) => typeOfValue(value).name);
  const found = additions.find(({ parameters }) =>
    parameters.every(({ name }, index) => name === kinds[index]),
  );
  if (found === undefined) return fail('no such overload');
  return (found.implementation as (one: Value, other: Value) => Value)(one, other);
}

const additions = arithmetic().filter(({ name }) => name === '_+_');

function integer(value: bigint): bigint {
  return BigInt.asIntN(64, value) === value ? value : fail('integer overflow');
}

function unsigned(
  operation: (one: bigint, other: bigint) => bigint,
): (one: UnsignedInt, other: UnsignedInt) => UnsignedInt {
  return (one, other) => new UnsignedInt(operation(one.value, other.value));
}

function quotient(one: bigint, other: bigint): bigint {
  return other === 0n ? fail('division by zero') : one / other;
}

function remainder(one: bigint, other: bigint): bigint {
  return other === 0n ? fail('modulus by zero') : one % other;
}

function joined(one: ListValue, other: ListValue): ListValue {
  if (one instanceof SchemaList) return one.join(outcomesOf(other));
  if (one.length === 0) return other;
  const others = outcomesOf(other);
  return others.some(isFailed) ? new SchemaList([...one, ...others]) : [...one, ...itemsOf(other)];
}

function signedRemainder(one: bigint, other: bigint): bigint {
  // In Go the quotient, which does not fit, is computed as well.
  if (other === -1n) integer(-one);
  return remainder(one, other);
}

/** As cel-go, which negates the duration first. */
function earlier(time: Timestamp, by: Duration): Timestamp {
  return new Timestamp(time.nanos + integer(-by.nanos), time.offset);
}

/** As cel-go, which converts the difference of the seconds first. */
function between(one: Timestamp, other: Timestamp): Duration {
  integer((one.seconds - other.seconds) * 1_000_000_000n);
  return new Duration(one.nanos - other.nanos);
}

/** A list of the resource compares its items with the value; another list compares the value with its items. */
function isItem(item: Value, list: ListValue): Outcome {
  if (!(list instanceof SchemaList)) return list.some((each) => areEqual(item, each));
  let failed: EvaluationError | undefined;
  for (const each of list.outcomes) {
    const equal = equalOutcomes(each, item);
    if (equal === true) return true;
    if (equal !== false) failed ??= equal;
  }
  return failed ?? false;
}

/** Comparisons of each type with itself, and of each number type with each other one. */
function comparisons(): readonly Overload[] {
  const pairs = comparable.flatMap((type) =>
    (numbers.includes(type) ? numbers : [type]).map((other) => [type, other] as const),
  );
  return Object.entries(comparators).flatMap(([operator, holds]) =>
    pairs.map(([type, other]) =>
      overload(`_${operator}_(${type}, ${other}): bool`, (left: Value, right: Value) => {
        const order = compareValues(left, right);
        return typeof order === 'number' ? holds(order) : order;
      }),
    ),
  );
}
