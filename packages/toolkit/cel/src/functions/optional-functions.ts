import { type Overload, overload } from '../types/function-declaration.ts';
import { Duration } from '../values/duration.ts';
import { MapValue } from '../values/map-value.ts';
import { fail } from '../values/evaluation-error.ts';
import { Optional } from '../values/optional.ts';
import { goText } from '../values/go/go-text.ts';
import { Timestamp } from '../values/timestamp.ts';
import { UnsignedInt } from '../values/unsigned-int.ts';
import { isList, itemsOf, type ListValue, outcomesOf, SchemaList } from '../values/list-value.ts';
import type { Value } from '../values/value.ts';

/** The functions of optional values. `or` and `orValue` evaluate their argument only if the optional has no value. */
export const optionalFunctions: readonly Overload[] = [
  overload('optional.of(V): optional<V>', (value: Value) => Optional.of(value)),
  overload('optional.ofNonZeroValue(V): optional<V>', (value: Value) =>
    isZero(value) ? Optional.none : Optional.of(value),
  ),
  overload('optional.none(): optional<V>', () => Optional.none),
  overload('optional<V>.value(): V', ({ value }: Optional) => value),
  overload('optional<V>.hasValue(): bool', ({ hasValue }: Optional) => hasValue),
  overload('optional<V>.or(optional<V>): optional<V>', (one: Optional, other: Optional) =>
    one.hasValue ? one : other,
  ),
  overload('optional<V>.orValue(V): V', (one: Optional, other: Value) =>
    one.hasValue ? one.value : other,
  ),
  ...[
    '_?._(dyn, string): optional<V>',
    '_[?_](list<V>, int): optional<V>',
    '_[?_](optional<list<V>>, int): optional<V>',
    '_[?_](map<K, V>, K): optional<V>',
    '_[?_](optional<map<K, V>>, K): optional<V>',
    '_[_](optional<list<V>>, int): optional<V>',
    '_[_](optional<map<K, V>>, K): optional<V>',
  ].map((signature) => overload(signature, evaluatedElsewhere)),
  overload('optional.unwrap(list<optional<V>>): list<V>', unwrap),
  overload('list<optional<V>>.unwrapOpt(): list<V>', unwrap),
  overload('cel.@mapInsert(map<K, V>, K, V): map<K, V>', evaluatedElsewhere),
  overload('cel.@mapInsert(map<K, V>, map<K, V>): map<K, V>', evaluatedElsewhere),
];

/** The planner evaluates these functions itself. */
function evaluatedElsewhere(): never {
  throw new Error('a function that the planner evaluates was called');
}

function isZero(value: Value): boolean {
  if (value === null || value === '' || value === false) return true;
  if (value === 0 || value === 0n) return true;
  // In kube-apiserver only lists and maps that an expression created can be zero.
  if (value instanceof SchemaList) return false;
  if (isList(value)) return outcomesOf(value).length === 0;
  if (value instanceof MapValue) return value.isMade && value.size === 0;
  if (value instanceof Duration) return value.nanos === 0n;
  if (value instanceof UnsignedInt) return value.value === 0n;
  if (value instanceof Timestamp) return value.nanos === -62_135_596_800_000_000_000n;
  return value instanceof Uint8Array && value.length === 0;
}

function unwrap(list: ListValue): readonly Value[] {
  return itemsOf(list).flatMap((item) => {
    if (!(item instanceof Optional)) return fail(`value ${goText(item)} is not optional`);
    return item.hasValue ? [item.value] : [];
  });
}
