/** Milliseconds between two reconnects: 200 watches that were cut at once reconnect within 100 ms. */
const MS_APART = 0.5;
const MAX_DELAY_MS = 100;
/** Watches that are cut within this time of each other, in milliseconds, count as cut by one event. */
const ONE_EVENT_MS = 100;

/**
 * Spreads the reconnects of the watches of one cache. A server or proxy that restarts cuts all of them at once. The
 * first watch reconnects at once, because most cuts concern a single watch; each further one waits longer.
 */
export class ReconnectSpread {
  readonly #now: () => number;
  readonly #random: () => number;
  #lastCut = -Infinity;
  #cuts = 0;

  constructor(now: () => number, random: () => number) {
    this.#now = now;
    this.#random = random;
  }

  /** Counts a watch that was cut, and returns the milliseconds until it may reconnect. */
  delay(): number {
    const now = this.#now();
    this.#cuts = now - this.#lastCut > ONE_EVENT_MS ? 0 : this.#cuts + 1;
    this.#lastCut = now;
    const turn = this.#cuts === 0 ? 0 : this.#cuts - this.#random();
    return (turn * MS_APART) % MAX_DELAY_MS;
  }
}
