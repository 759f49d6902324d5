import type { ObjectTable } from './object-table.ts';
import type { StoreSettings } from './store-settings.ts';
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

/** What happens to the objects of a replaced table. */
interface Replaced extends Pick<StoreSettings, 'isOutside'> {
  readonly retire: (object: StoredObject) => void;
}

/**
 * Yields the differences between two tables: first the deleted objects, then the new and changed ones. `retire`
 * receives each former version. An object that has left the part of the watch is dropped without a difference.
 */
export function* differences(
  before: ObjectTable,
  after: ObjectTable,
  { retire, isOutside }: Replaced,
): Generator<Difference> {
  for (const previous of before.values()) {
    if (after.get(previous) !== undefined) continue;
    const hasLeft = isOutside?.(previous) === true;
    retire(previous);
    if (!hasLeft) yield { previous, object: undefined };
  }
  for (const object of after.values()) {
    const previous = before.get(object);
    if (previous === object) continue;
    if (previous !== undefined) retire(previous);
    yield { previous, object };
  }
}
