import type { SharedWatch } from './shared-watch.ts';

/** The longest time in milliseconds for which a watch must be ready before it takes over handles again. */
const LONGEST_DELAY_MS = 5 * 60_000;
/** A watch that has not given handles back for this time in milliseconds counts as new. */
const FORGET_AFTER_MS = 10 * 60_000;

interface GivenBack {
  times: number;
  lastAt: number;
}

/**
 * Keeps handles from moving each time a wide query comes and goes. A watch takes over handles as
 * soon as it is ready. After it has given handles back, it must be ready for one linger period
 * first, and twice as long each further time, at most five minutes.
 */
export class TakeoverDelay {
  readonly #linger: number;
  readonly #now: () => number;
  readonly #givenBack = new Map<string, GivenBack>();

  constructor(linger: number, now: () => number) {
    this.#linger = linger;
    this.#now = now;
  }

  /** Records that a watch of this identity has given handles back to narrower watches. */
  gaveBack(id: string): void {
    const known = this.#known(id);
    const times = (known?.times ?? 0) + 1;
    this.#givenBack.set(id, { times, lastAt: this.#now() });
  }

  /** Returns the milliseconds until a watch may take over handles. */
  remaining(watch: SharedWatch): number {
    const known = this.#known(watch.id);
    if (known === undefined) return 0;
    const delay = Math.min(this.#linger * 2 ** (known.times - 1), LONGEST_DELAY_MS);
    return Math.max(0, delay - watch.readyFor);
  }

  #known(id: string): GivenBack | undefined {
    const known = this.#givenBack.get(id);
    if (known === undefined || this.#now() - known.lastAt < FORGET_AFTER_MS) return known;
    this.#givenBack.delete(id);
    return undefined;
  }
}
