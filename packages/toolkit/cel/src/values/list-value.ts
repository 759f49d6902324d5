import { type CelType, dynType, listType } from '../types/cel-type.ts';
import { ObjectValue } from './value.ts';
import { isFailed, type Outcome, valueOf } from './outcome.ts';
import type { Value } from './value.ts';

export type ListValue = readonly Value[] | SchemaList;

export const anyList: CelType = listType(dynType);

/** Identifies the items of a list in an object, by its `x-kubernetes-list-type`. */
export interface ListIdentity {
  /** Returns a string that is equal for items with the same identity. */
  readonly keyOf: (item: Value) => string;
}

/** A list of the resource. With an identity (type `set` or `map`) comparisons ignore its order, and `+` merges it. */
export class SchemaList extends ObjectValue {
  /** The items; an error in place of one whose JSON does not fit its schema. */
  readonly outcomes: readonly Outcome[];
  readonly identity: ListIdentity | undefined;
  /** Returns the items with the types that they have in JSON. */
  readonly withoutSchema: () => readonly Value[];

  constructor(
    outcomes: readonly Outcome[],
    identity?: ListIdentity,
    withoutSchema: () => readonly Value[] = () => outcomes.map(valueOf),
  ) {
    super();
    this.outcomes = outcomes;
    this.identity = identity;
    this.withoutSchema = withoutSchema;
  }

  get type(): CelType {
    return anyList;
  }

  /** The items. Throws the error of the first one that does not fit its schema. */
  get items(): readonly Value[] {
    return this.outcomes.some(isFailed) ? this.outcomes.map(valueOf) : (this.outcomes as Value[]);
  }

  /** Returns the items by their keys. */
  byKey({ keyOf }: ListIdentity): Map<string, Value> {
    return new Map(this.items.map((item) => [keyOf(item), item]));
  }

  /**
   * Joins other items. With an identity an item replaces the one with the same key, and new items follow at the end.
   */
  join(others: readonly Outcome[]): SchemaList {
    const { identity } = this;
    if (identity === undefined) return new SchemaList([...this.outcomes, ...others]);
    const merged = this.byKey(identity);
    for (const other of others.map(valueOf)) merged.set(identity.keyOf(other), other);
    return new SchemaList([...merged.values()], identity);
  }
}

export function isList(value: Value): value is ListValue {
  return Array.isArray(value) || value instanceof SchemaList;
}

/** Returns the items of a list. Throws the error of one that does not fit its schema. */
export function itemsOf(list: ListValue): readonly Value[] {
  return list instanceof SchemaList ? list.items : list;
}

/** Returns the items of a list, and an error in place of each that does not fit its schema. */
export function outcomesOf(list: ListValue): readonly Outcome[] {
  return list instanceof SchemaList ? list.outcomes : list;
}
