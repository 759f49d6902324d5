import { TimeSlice } from '@keelson/apimachinery';
import { Change } from './change.ts';
import type { Lens } from './lens.ts';
import type { Registration, Transition } from './registration.ts';
import type { Store } from '../store/store.ts';
import type { StoredObject } from '../store/stored-object.ts';

/** The objects of a former store. Its handlers have seen those that the lens selects. */
export interface SeenObjects {
  readonly before: readonly StoredObject[];
  readonly lensBefore: Lens | undefined;
}

/** What handlers have seen of their former watch, and their lens on the new one. */
export interface HandlerMove extends SeenObjects {
  readonly lens: Lens | undefined;
}

/** Handlers, the state that they have seen, and the store that they follow from now on. */
export interface HandoverOptions extends HandlerMove {
  readonly registrations: readonly Registration[];
  readonly store: Store;
  readonly now: () => number;
}

/**
 * Moves handlers from one store to another: it delivers the difference between the two stores in
 * slices, object by object. A live change of an object that has not been compared yet is not
 * delivered, because the comparison delivers its result.
 */
export class Handover implements Transition {
  readonly #options: HandoverOptions;
  /** The objects that were compared, with the state that the handlers have reached. */
  readonly #reached = new Map<string, StoredObject | undefined>();
  /** Objects of changes that arrived before their comparison. */
  readonly #late: StoredObject[] = [];
  /** The last decision: all handlers decide about the same change. */
  #last: { readonly change: Change; readonly isSwallowed: boolean } | undefined;

  constructor(options: HandoverOptions) {
    this.#options = options;
    for (const registration of options.registrations) registration.during(this);
  }

  /** Runs the first slice before it returns. Resolves when the handlers have every difference. */
  async run(): Promise<void> {
    const { before, lensBefore, registrations, store, lens, now } = this.#options;
    const after = Array.from(store.all(lens?.namespace));
    const slice = new TimeSlice(now);
    for (const objects of [before, after, this.#late]) {
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

  #decide({ facts: { previous, object } }: Change): boolean {
    const either = object ?? previous;
    if (either === undefined) return true;
    const { key } = either;
    if (!this.#reached.has(key)) {
      this.#late.push(either);
      return true;
    }
    // The comparison was after the change of the store and before this delivery.
    if (this.#reached.get(key) === object) return true;
    this.#reached.set(key, object);
    return false;
  }

  /** Delivers the difference between the state that the handlers know and that of the store. */
  #compare(name: StoredObject, known: StoredObject | undefined): void {
    const { key } = name;
    if (this.#reached.has(key)) return;
    const { store, lens, registrations, now } = this.#options;
    const stored = store.find(name);
    this.#reached.set(key, stored);
    const current = stored !== undefined && lens?.selects(stored) !== false ? stored : undefined;
    if (isSame(known, current)) return;
    const change = new Change({
      previous: known,
      object: current,
      receivedAt: now(),
      initial: false,
      finalStateUnknown: stored === undefined,
      mayCombine: true,
      former: { lens: this.#options.lensBefore },
    });
    for (const registration of registrations) registration.call(change);
  }
}

function isSame(a: StoredObject | undefined, b: StoredObject | undefined): boolean {
  return a?.uid === b?.uid && a?.resourceVersion === b?.resourceVersion;
}
