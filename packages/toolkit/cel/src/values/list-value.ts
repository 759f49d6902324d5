import { type CelType, dynType, listType } from '../types/cel-type.ts';
import { ObjectValue } from './value.ts';
import { isFailed, type Outcome, valueOf } from './outcome.ts';
import type { Value } from './value.ts';

export type ListValue = readonly Value[] | SchemaList;

export const anyList: CelType = listType(dynType);

/** Identifies the items of a list in an object, by its `x-kubernetes-list-type`. */
export interface ListIdentity {
  /** Returns the keys of the items, from their JSON; an item without a key is equal to no other one. */
  readonly keys: () => readonly (string | undefined)[];
  /** Returns the key of an item of another list. */
  readonly keyOf: (item: Outcome) => string | undefined;
  /** True if items with equal keys are equal. */
  readonly isWhole: boolean;
}

/** How a list of the resource differs from a list of an expression. */
export interface ListSchema {
  readonly identity?: ListIdentity | undefined;
  /** Returns the items with the types that they have in JSON. */
  readonly withoutSchema?: () => readonly Value[];
  /** Returns an item of another list as an item of this one. */
  readonly added?: (item: Value) => Outcome;
}

/** A list of the resource. With an identity (type `set` or `map`) comparisons ignore its order, and `+` merges it. */
export class SchemaList extends ObjectValue {
  /** The items; an error in place of one whose JSON does not fit its schema. */
  readonly outcomes: readonly Outcome[];
  readonly #schema: ListSchema;

  constructor(outcomes: readonly Outcome[], schema: ListSchema = {}) {
    super();
    this.outcomes = outcomes;
    this.#schema = schema;
  }

  get type(): CelType {
    return anyList;
  }

  /** The items. Throws the error of the first one that does not fit its schema. */
  get items(): readonly Value[] {
    return this.outcomes.some(isFailed) ? this.outcomes.map(valueOf) : (this.outcomes as Value[]);
  }

  /** Returns the items with the types that they have in JSON. */
  withoutSchema(): readonly Value[] {
    return this.#schema.withoutSchema?.() ?? this.items;
  }

  /** Returns the items to which those of another list are compared; `undefined` for one without an equal key. */
  counterparts(others: readonly Outcome[]): readonly (Outcome | undefined)[] {
    const { identity } = this.#schema;
    if (identity === undefined) return this.outcomes;
    const places = placesOf(identity.keys());
    return others.map((other) => {
      const place = places.get(identity.keyOf(other));
      if (place === undefined) return undefined;
      return identity.isWhole ? other : this.outcomes[place];
    });
  }

  /**
   * Joins other items. With an identity an item replaces the one with the same key, and new items follow at the end.
   */
  join(others: readonly Outcome[]): SchemaList {
    const { identity, added = asItIs } = this.#schema;
    const outcomes = [...this.outcomes];
    const keys = [...(identity?.keys() ?? [])];
    const places = placesOf(keys);
    for (const other of others) {
      const item = isFailed(other) ? other : added(other);
      const key = identity?.keyOf(other);
      const place = places.get(key) ?? outcomes.length;
      outcomes[place] = item;
      keys[place] = key;
    }
    return new SchemaList(outcomes, {
      identity: identity && { ...identity, keys: () => keys },
      added,
    });
  }
}

/** The last of equal keys counts. */
function placesOf(keys: readonly (string | undefined)[]): Map<string | undefined, number> {
  const places = new Map(keys.map((key, index) => [key, index]));
  places.delete(undefined);
  return places;
}

function asItIs(item: Value): Value {
  return item;
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
