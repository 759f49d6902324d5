import type { RequestInfo } from '../http/request-info.ts';
import { type FaultScope, isInScope } from './fault-scope.ts';

/** A fault that lasts until it is disposed or has reached its number of hits. */
export interface Fault extends Disposable {
  /** The number of requests that the fault affected. */
  readonly hits: number;
  /** Ends the fault. A second call does nothing. */
  end(): void;
}

/** The requests that a fault affects, and their number. */
export interface CountedScope extends FaultScope {
  /** Ends the fault after this number of hits. Default: no limit. */
  readonly times?: number;
}

interface Entry<Effect> {
  readonly scope: CountedScope;
  readonly effect: Effect;
  hits: number;
}

/** The active faults of one type with their effects. */
export class ActiveFaults<Effect> {
  readonly #entries = new Set<Entry<Effect>>();
  readonly #ended: () => void;

  /** Calls `ended` after each end of a fault. */
  constructor(ended: () => void = () => {}) {
    this.#ended = ended;
  }

  add(scope: CountedScope, effect: Effect): Fault {
    const entry: Entry<Effect> = { scope, effect, hits: 0 };
    this.#entries.add(entry);
    const end = (): void => {
      if (this.#entries.delete(entry)) this.#ended();
    };
    return {
      get hits() {
        return entry.hits;
      },
      end,
      [Symbol.dispose]: end,
    };
  }

  get isEmpty(): boolean {
    return this.#entries.size === 0;
  }

  /** The effects on a new request; counts a hit for each. */
  hit(info: RequestInfo): Effect[] {
    const affected = [...this.#entries].filter(({ scope }) => isInScope(scope, info));
    for (const entry of affected) {
      entry.hits++;
      if (entry.hits >= (entry.scope.times ?? Infinity)) this.#entries.delete(entry);
    }
    return affected.map(({ effect }) => effect);
  }

  /** The effects on an open request; counts nothing. */
  on(info: RequestInfo): Effect[] {
    return [...this.#entries]
      .filter(({ scope }) => isInScope(scope, info))
      .map((entry) => entry.effect);
  }

  clear(): void {
    this.#entries.clear();
    this.#ended();
  }
}
