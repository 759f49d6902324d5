import type { ObjectKey } from '@keelson/apimachinery';
import type { NormalQuery } from '@keelson/informer';
import type { Change, KindHistory } from '../server/kind-history.ts';
import { selects } from '../server/object-selection.ts';

/** The objects that a store shows: for each key the number of the change that made its state. */
export type Shown = ReadonlyMap<ObjectKey, number>;

/**
 * Finds the time of the server that a store shows. Times are numbers of changes. A store that combines states of
 * different times, or goes back, has no such time.
 */
export class StoreTimeline {
  readonly #query: NormalQuery;
  readonly #history: KindHistory;
  /** The earliest time that the store can show now. */
  #time = 0;

  constructor(query: NormalQuery, history: KindHistory) {
    this.#query = query;
    this.#history = history;
  }

  /** Returns what is wrong with the objects of the store; `undefined` if they are the state at one time. */
  advance(shown: Shown): string | undefined {
    for (;;) {
      const before = this.#time;
      for (const key of this.#history.keys) {
        const time = this.#firstTime(key, shown.get(key));
        if (time === undefined) return this.#describe(key, shown);
        this.#time = time;
      }
      if (this.#time === before) return undefined;
    }
  }

  /** Returns the first time from now on at which the server had this state of a key. */
  #firstTime(key: ObjectKey, stamp: number | undefined): number | undefined {
    const changes = this.#history.of(key);
    let at = changes.length - 1;
    while (at >= 0 && stampOf(changes[at]) > this.#time) at--;
    if (this.#stateOf(changes[at]) === stamp) return this.#time;
    for (at++; at < changes.length; at++) {
      if (this.#stateOf(changes[at]) === stamp) return stampOf(changes[at]);
    }
    return undefined;
  }

  /** Returns the state of the query after a change. */
  #stateOf(change: Change | undefined): number | undefined {
    const state = change?.state;
    return state !== undefined && selects(this.#query, state) ? state.stamp : undefined;
  }

  #describe(key: ObjectKey, shown: Shown): string {
    const stamp = shown.get(key);
    const what = stamp === undefined ? `does not have ${key}` : `has ${key} in state ${stamp}`;
    return `it ${what}, which the server did not have at change ${this.#time} or later`;
  }
}

function stampOf(change: Change | undefined): number {
  return change?.stamp ?? 0;
}
