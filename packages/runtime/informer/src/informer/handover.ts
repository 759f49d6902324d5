import { TimeSlice, type Clock } from '@keelson/apimachinery';
import { Change } from './change.ts';
import type { Lens } from './lens.ts';
import { stepsThrough } from '../overlay/passed-writes.ts';
import type { Registration, ChangeFilter } from './registration.ts';
import type { Store } from '../store/store.ts';
import type { StoredObject } from '../store/stored-object.ts';

/** The objects of a former store. The handlers have seen those that the lens selects. */
export interface SeenObjects {
  readonly before: readonly StoredObject[];
  readonly lensBefore: Lens | undefined;
}

/** The objects that handlers have seen of their former watch, and their lens on the new one. */
export interface HandlerMove extends SeenObjects {
  readonly lens: Lens | undefined;
  /** Own writes that readers saw in the former watch, and that the new one has passed. */
  readonly passed: readonly StoredObject[];
}

/** Handlers, the state that they have seen, and the store that they follow from now on. */
export interface HandoverOptions extends HandlerMove {
  readonly registrations: readonly Registration[];
  readonly store: Store;
  readonly clock: Clock;
}

/**
 * Moves handlers from one store to another: it delivers the difference between the two stores in
 * slices, object by object. A live change of an object that has not been compared yet is not
 * delivered, because the comparison delivers its result.
 */
export class Handover implements ChangeFilter {
  readonly #options: HandoverOptions;
  /** The objects that were compared, with the state that the handlers have reached. */
  readonly #reached = new Map<string, StoredObject | undefined>();
  /** Objects of changes that arrived before their comparison. */
  readonly #late: StoredObject[] = [];
  /** The last decision. All handlers receive the same change in a row, so it is decided once. */
  #last: { readonly change: Change; readonly isSwallowed: boolean } | undefined;

  constructor(options: HandoverOptions) {
    this.#options = options;
    for (const registration of options.registrations) registration.during(this);
    // The former store may replace an object before its comparison.
    for (const object of options.before) object.shown();
  }

  /** Runs the first slice before it returns. Resolves when the handlers have every difference. */
  async run(): Promise<void> {
    const { before, lensBefore, registrations, store, lens, passed, clock } = this.#options;
    const after = Array.from(store.all(lens?.namespace));
    const slice = new TimeSlice(() => clock.monotonic());
    for (const objects of [before, after, passed, this.#late]) {
      for (const object of objects) {
        const isKnown = objects === before && lensBefore?.selects(object) !== false;
        this.#compare(object, isKnown ? object : undefined);
        if (!slice.isDue()) continue;
        await slice.pause();
        if (registrations.every(({ isRemoved }) => isRemoved)) return;
      }
    }
    for (const registration of registrations) registration.during(undefined);
  }

  swallows(change: Change): boolean {
    if (this.#last?.change !== change) {
      this.#last = { change, isSwallowed: this.#decide(change) };
    }
    return this.#last.isSwallowed;
  }

  #decide({ previous, object }: Change): boolean {
    const either = object ?? previous;
    if (either === undefined) return true;
    const { key } = either;
    if (!this.#reached.has(key) && !this.#isUnknown(either, previous)) {
      this.#late.push(either);
      return true;
    }
    // The comparison came after the store changed and before this delivery, so it has delivered the result already.
    if (this.#reached.get(key) !== previous) return true;
    this.#reached.set(key, object);
    return false;
  }

  /** True if neither store has the object: it is an own write that the new store has passed in the meantime. */
  #isUnknown(object: StoredObject, previous: StoredObject | undefined): boolean {
    const { store, before } = this.#options;
    if (previous !== undefined || store.find(object) !== undefined) return false;
    return !before.some(({ key }) => key === object.key);
  }

  /** Delivers the difference between the state that the handlers know and that of the store. */
  #compare(name: StoredObject, known: StoredObject | undefined): void {
    const { key } = name;
    if (this.#reached.has(key)) return;
    const { store, lens, lensBefore, registrations, clock } = this.#options;
    const stored = store.find(name);
    this.#reached.set(key, stored);
    const seen = (object?: StoredObject): StoredObject | undefined =>
      object !== undefined && lens?.selects(object) !== false ? object : undefined;
    const passed = this.#options.passed.filter((object) => object.key === key);
    for (const step of stepsThrough(passed, { previous: known, object: stored })) {
      // The first step begins at the state in the former store. The other states have the form of the new store.
      const isFirst = step.previous === known;
      const previous = isFirst ? known : seen(step.previous);
      const object = seen(step.object);
      if (isSame(previous, object)) continue;
      const change = new Change(
        { previous, object, finalStateUnknown: step.object === undefined },
        {
          receivedAt: clock.monotonic(),
          initial: false,
          mayCombine: true,
          ...(isFirst && { former: { lens: lensBefore } }),
        },
      );
      for (const registration of registrations) registration.call(change);
    }
  }
}

function isSame(a: StoredObject | undefined, b: StoredObject | undefined): boolean {
  return a?.uid === b?.uid && a?.resourceVersion === b?.resourceVersion;
}
