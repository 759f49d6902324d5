import type { RequestInfo } from '../http/request-info.ts';
import { type FaultScope, isInScope } from './fault-scope.ts';

/** A fault that lasts until it is disposed, or has struck as often as it was asked to. */
export interface Fault extends Disposable {
  /** How often it has struck. */
  readonly hits: number;
  /** Ends the fault. Ending it twice is harmless. */
  end(): void;
}

/** Which requests a fault means, and how many of them. */
export interface CountedScope extends FaultScope {
  /** Ends by itself after so many hits. Default: never. */
  readonly times?: number;
}

interface Entry<Effect> {
  readonly scope: CountedScope;
  readonly effect: Effect;
  hits: number;
}

/** The faults of one sort that are in force, each with its effect. */
export class ActiveFaults<Effect> {
  readonly #entries = new Set<Entry<Effect>>();
  readonly #ended: () => void;

  /** `ended` is called after any of them has ended. */
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

  /** The effects that strike a request; each counts. */
  strike(info: RequestInfo): Effect[] {
    const struck = [...this.#entries].filter(({ scope }) => isInScope(scope, info));
    for (const entry of struck) {
      entry.hits++;
      if (entry.hits >= (entry.scope.times ?? Infinity)) this.#entries.delete(entry);
    }
    return struck.map(({ effect }) => effect);
  }

  /** The effects in force on a request that goes on; nothing is counted. */
  on(info: RequestInfo): Effect[] {
    if (this.#entries.size === 0) return [];
    return [...this.#entries]
      .filter(({ scope }) => isInScope(scope, info))
      .map((entry) => entry.effect);
  }

  clear(): void {
    this.#entries.clear();
    this.#ended();
  }
}
