import type { ObjectTable } from './object-table.ts';
import type { StoredObject } from './stored-object.ts';

/** The change of one object between two states of a store. */
export interface Difference {
  readonly previous: StoredObject | undefined;
  /** The new state; `undefined` if the object was deleted. */
  readonly object: StoredObject | undefined;
  /** The last state of a deleted object, if an event reported it. Default: `previous`. */
  readonly last?: StoredObject;
  /** False if an event reported the deletion. Default true. */
  readonly finalStateUnknown?: boolean;
  /**
   * True if `object` is a state of an object that no longer exists: an own write that a list has passed. Default false.
   */
  readonly isGone?: boolean;
}

/**
 * Yields the differences between two tables: first the deleted objects, then the new and changed ones. `retire`
 * receives each former version.
 */
export function* differences(
  before: ObjectTable,
  after: ObjectTable,
  retire: (object: StoredObject) => void,
): Generator<Difference> {
  for (const previous of before.values()) {
    if (after.get(previous) !== undefined) continue;
    retire(previous);
    yield { previous, object: undefined };
  }
  for (const object of after.values()) {
    const previous = before.get(object);
    if (previous === object) continue;
    if (previous !== undefined) retire(previous);
    yield { previous, object };
  }
}
