import { type Overload, overload } from '../types/function-declaration.ts';
import { compareValues, isComparable } from './comparison.ts';
import { Duration } from '../values/duration.ts';
import { areEqual } from './equality.ts';
import { addValues } from './operators.ts';
import { CostLimitError, fail } from '../values/evaluation-error.ts';
import { Optional } from '../values/optional.ts';
import { sameType, showType } from '../types/cel-type.ts';
import { typeOfValue } from '../values/type-of-value.ts';
import { UnsignedInt } from '../values/unsigned-int.ts';
import { isList, itemsOf, type ListValue } from '../values/list-value.ts';
import type { Value } from '../values/value.ts';

type Items = readonly Value[];

const comparable = 'int uint double bool duration timestamp string bytes'.split(' ');

/** The list functions of Kubernetes and of CEL. */
export const listFunctions: readonly Overload[] = [
  ...comparable.flatMap((type) => [
    onList(`list<${type}>.isSorted(): bool`, isSorted),
    onList(`list<${type}>.max(): ${type}`, (items) => extreme(items, 'max', -1)),
    onList(`list<${type}>.min(): ${type}`, (items) => extreme(items, 'min', 1)),
    onList(`list<${type}>.sort(): list<${type}>`, (items) => sorted(items, items)),
    overload(
      `list<T>.@sortByAssociatedKeys(list<${type}>): list<T>`,
      (list: ListValue, keys: ListValue) => sorted(itemsOf(list), itemsOf(keys)),
    ),
  ]),
  ...sums(),
  onList('list<A>.indexOf(A): int', (items, item) =>
    BigInt(items.findIndex((each) => areEqual(each, item))),
  ),
  onList('list<A>.lastIndexOf(A): int', (items, item) =>
    BigInt(items.findLastIndex((each) => areEqual(each, item))),
  ),
  overload('list<T>.slice(int, int): list<T>', slice),
  overload('list<list<T>>.flatten(): list<T>', (list: Value) =>
    isList(list)
      ? flatten(itemsOf(list), 1n)
      : fail(`no such overload: ${typeText(list)}.flatten()`),
  ),
  overload('list<dyn>.flatten(int): list<dyn>', flattenTo),
  overload('lists.range(int): list<int>', range),
  onList('list<T>.reverse(): list<T>', (items) => items.toReversed()),
  onList('list<T>.distinct(): list<T>', distinct),
  onList('list<T>.first(): optional<T>', (items) => Optional.of(items[0])),
  onList('list<T>.last(): optional<T>', (items) => Optional.of(items.at(-1))),
];

function onList(signature: string, compute: (items: Items, argument: Value) => Value): Overload {
  return overload(signature, (list: ListValue, argument: Value) =>
    compute(itemsOf(list), argument),
  );
}

/** As in kube-apiserver, items of types that cannot be compared with each other count as sorted. */
function isSorted(items: Items): boolean {
  for (const [index, item] of items.entries()) {
    if (!isComparable(item)) return fail('no such overload');
    const before = items[index - 1];
    if (before !== undefined && compareValues(before, item) === 1) return false;
  }
  return true;
}

/** `replaced`: the order of the best item so far and an item that replaces it. */
function extreme(items: Items, name: string, replaced: -1 | 1): Value {
  let best: Value | undefined;
  for (const item of items) {
    if (!isComparable(item)) return fail('no such overload');
    if (best === undefined || compareValues(best, item) === replaced) best = item;
  }
  return best === undefined ? fail(`${name} called on empty list`) : best;
}

function sums(): readonly Overload[] {
  const zeros = { int: 0n, uint: new UnsignedInt(0n), double: 0, duration: new Duration(0n) };
  return Object.entries(zeros).map(([type, zero]) =>
    onList(`list<${type}>.sum(): ${type}`, (items) => items.reduce(addValues, zero)),
  );
}

function slice(list: ListValue, start: bigint, end: bigint): Items {
  const items = itemsOf(list);
  const call = `cannot slice(${start}, ${end})`;
  if (start < 0n || end < 0n) return fail(`${call}, negative indexes not supported`);
  if (start > end) return fail(`${call}, start index must be less than or equal to end index`);
  if (end > items.length) return fail(`${call}, list is length ${items.length}`);
  return items.slice(Number(start), Number(end));
}

/** A longer range exceeds the cost limit by far; kube-apiserver runs out of memory before it knows the cost. */
const MAX_RANGE = 10_000_000n;

function range(count: bigint): Items {
  if (count > MAX_RANGE) throw new CostLimitError(Number(count));
  return Array.from({ length: Math.max(0, Number(count)) }, (_, index) => BigInt(index));
}

function flattenTo(list: Value, depth: Value): Items {
  if (isList(list) && typeof depth === 'bigint') return flatten(itemsOf(list), depth);
  return fail(`no such overload: ${typeText(list)}.flatten(${typeText(depth)})`);
}

function typeText(value: Value): string {
  const type = typeOfValue(value);
  if (type.kind === 'time' || type.kind === 'opaque' || type.kind === 'type') return type.name;
  return value === null ? 'null_type' : showType(type);
}

function flatten(items: Items, depth: bigint): Items {
  if (depth < 0n) return fail('level must be non-negative');
  return items.flatMap((item) =>
    depth > 0n && isList(item) ? flatten(itemsOf(item), depth - 1n) : [item],
  );
}

function distinct(items: Items): Items {
  const kept: Value[] = [];
  for (const item of items) {
    if (!kept.some((each) => areEqual(item, each))) kept.push(item);
  }
  return kept;
}

/** Sorts items by their keys. */
function sorted(items: Items, keys: Items): Items {
  const [first] = keys;
  if (first === undefined) return items;
  if (!isComparable(first)) return fail('list elements must be comparable');
  const type = typeOfValue(first);
  if (!keys.every((key) => sameType(typeOfValue(key), type))) {
    return fail('list elements must have the same type');
  }
  return items
    .map((item, index) => [item, keys[index] ?? null] as const)
    .toSorted(([, one], [, other]) => Number(compareValues(one, other)) || 0)
    .map(([item]) => item);
}
