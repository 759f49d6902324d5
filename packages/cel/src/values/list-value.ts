import { type CelType, dynType, listType } from '../types/cel-type.ts';
import { ObjectValue } from './object-value.ts';
import type { Value } from './value.ts';

export type ListValue = readonly Value[] | SchemaList;

export const anyList: CelType = listType(dynType);

/** How the items of a list of an object are told apart: `x-kubernetes-list-type`. */
export interface ListIdentity {
  /** A text that is the same for items that stand for each other. */
  keyOf(item: Value): string;
}

/** A list of type `set` or `map`: its order does not count, and joining it merges. */
export class SchemaList extends ObjectValue {
  readonly items: readonly Value[];
  readonly identity: ListIdentity;

  constructor(items: readonly Value[], identity: ListIdentity) {
    super();
    this.items = items;
    this.identity = identity;
  }

  get type(): CelType {
    return anyList;
  }

  /** The items by what tells them apart. */
  byKey(): Map<string, Value> {
    return new Map(this.items.map((item) => [this.identity.keyOf(item), item]));
  }

  /** With the other items: each in the place of the one that it stands for, the rest at the end. */
  merge(others: readonly Value[]): SchemaList {
    const merged = this.byKey();
    for (const other of others) merged.set(this.identity.keyOf(other), other);
    return new SchemaList([...merged.values()], this.identity);
  }
}

export function isList(value: Value): value is ListValue {
  return Array.isArray(value) || value instanceof SchemaList;
}

export function itemsOf(list: ListValue): readonly Value[] {
  return list instanceof SchemaList ? list.items : list;
}
