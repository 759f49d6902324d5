import type { ObjectKey } from '@keelson/apimachinery';
import type { NormalQuery } from '@keelson/informer';
import type { Change, KindHistory } from '../server/kind-history.ts';
import { selects } from '../server/object-selection.ts';

/** The objects that a store shows: for each key the number of the change that made its state. */
export type Shown = ReadonlyMap<ObjectKey, number>;

/** Returns the numbers of the changes of an object by this process that readers may see before their events. */
export type OwnStamps = (key: ObjectKey) => readonly number[];

const NONE: OwnStamps = () => [];

/**
 * Finds the time of the server that a store shows. Times are numbers of changes. A store that combines states of
 * different times, or goes back, has no such time. Own writes may be shown before it.
 */
export class StoreTimeline {
  readonly #query: NormalQuery;
  readonly #history: KindHistory;
  readonly #own: OwnStamps;
  /** The earliest time that the store can show now. */
  #time = 0;

  constructor(query: NormalQuery, history: KindHistory, own: OwnStamps = NONE) {
    this.#query = query;
    this.#history = history;
    this.#own = own;
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

  /** True if the query has had the same object all the time from one state to another. */
  isKept(key: ObjectKey, from: number, to: number | undefined): boolean {
    const uid = this.#history.stateOf(from)?.identity.uid;
    const since = this.#history.of(key).filter(({ stamp }) => stamp > from && stamp <= (to ?? 0));
    const isSame = (change: Change): boolean =>
      this.#stateOf(change) !== undefined && change.state?.identity.uid === uid;
    return to !== undefined && since.every(isSame);
  }

  /** True if a state is that after a change of its object, or after a later one. */
  isSince(key: ObjectKey, stamp: number | undefined, since: number): boolean {
    return this.#history
      .of(key)
      .some((change) => change.stamp >= since && this.#stateOf(change) === stamp);
  }

  /** Returns the first time from now on at which the server had this state of a key. */
  #firstTime(key: ObjectKey, stamp: number | undefined): number | undefined {
    const changes = this.#history.of(key);
    let at = changes.length - 1;
    while (at >= 0 && stampOf(changes[at]) > this.#time) at--;
    if (this.#stateOf(changes[at]) === stamp) return this.#time;
    const later = changes.slice(at + 1).filter((change) => this.#stateOf(change) === stamp);
    const own = later.length === 0 ? [] : this.#own(key);
    if (later.some((change) => own.includes(change.stamp))) return this.#time;
    return later[0]?.stamp;
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
