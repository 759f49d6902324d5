import { isOlder } from '../reflector/resource-version.ts';
import type { Difference } from '../store/difference.ts';
import type { Store } from '../store/store.ts';
import type { StoredObject } from '../store/stored-object.ts';

/**
 * Own writes that readers saw, but that a list skips because the server has a later state or has deleted the object.
 * Handlers receive these states as well. Otherwise user code could read an object whose deletion no handler reports.
 */
export class PassedWrites {
  readonly #pending: () => readonly StoredObject[];
  readonly #seen = new Set<StoredObject>();

  /** `pending` returns the states that readers see and that the store has not reached. */
  constructor(pending: () => readonly StoredObject[]) {
    this.#pending = pending;
  }

  /**
   * Records the states that readers see now. Called before a list replaces the store, and before the versions of the
   * server start again.
   */
  collect(): void {
    for (const object of this.#pending()) this.#seen.add(object);
  }

  /** Adds the recorded states that the store has now passed to the differences of a list. */
  addTo(differences: Iterable<Difference>, store: Store): Iterable<Difference> {
    const pending = new Set(this.#pending());
    const passed = [...this.#seen].filter((object) => !pending.has(object));
    this.#seen.clear();
    return passed.length === 0 ? differences : withPassed(differences, passed, store);
  }
}

function* withPassed(
  differences: Iterable<Difference>,
  passed: readonly StoredObject[],
  store: Store,
): Generator<Difference> {
  const byKey = new Map(Map.groupBy(passed, ({ key }) => key));
  for (const difference of differences) {
    const key = (difference.object ?? difference.previous)?.key ?? '';
    yield* stepsThrough(byKey.get(key) ?? [], difference);
    byKey.delete(key);
  }
  for (const [first, ...others] of byKey.values()) {
    if (first === undefined || store.find(first) !== undefined) continue;
    yield* stepsThrough([first, ...others], { previous: undefined, object: undefined });
  }
}

/** Yields the change of one object in steps, one for each passed state between its two states. */
export function* stepsThrough(
  passed: readonly StoredObject[],
  { previous, object }: Difference,
): Generator<Difference> {
  let known = previous;
  for (const state of passed) {
    if (!isLater(state, known) || (object !== undefined && !isLater(object, state))) continue;
    yield { previous: known, object: state, isGone: state.uid !== object?.uid };
    known = state;
  }
  if (known !== object) yield { previous: known, object };
}

/** Returns the states whose objects are not in the store. */
export function goneOf(passed: readonly StoredObject[], store: Store): readonly StoredObject[] {
  return passed.filter((object) => store.find(object)?.uid !== object.uid);
}

/** True if a state is later than the known one, or belongs to an object with another uid. */
function isLater(state: StoredObject, known: StoredObject | undefined): boolean {
  return state.uid !== known?.uid || isOlder(known.resourceVersion, state.resourceVersion);
}
