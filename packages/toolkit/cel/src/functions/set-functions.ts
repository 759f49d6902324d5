import { type Overload, overload } from '../types/function-declaration.ts';
import { areEqual } from './equality.ts';
import { itemsOf, type ListValue } from '../values/list-value.ts';
import type { Value } from '../values/value.ts';

/** The functions that treat lists as sets. */
export const setFunctions: readonly Overload[] = [
  overload('sets.contains(list<T>, list<T>): bool', contains),
  overload(
    'sets.equivalent(list<T>, list<T>): bool',
    (one: ListValue, other: ListValue) => contains(one, other) && contains(other, one),
  ),
  overload('sets.intersects(list<T>, list<T>): bool', (one: ListValue, other: ListValue) =>
    itemsOf(one).some((item) => has(other, item)),
  ),
];

function contains(list: ListValue, part: ListValue): boolean {
  return itemsOf(part).every((item) => has(list, item));
}

function has(list: ListValue, item: Value): boolean {
  return itemsOf(list).some((each) => areEqual(item, each));
}
