/** A bookmark may be late by half its usual interval and this much. */
const margin = 5_000;

/** Intervals seen before they are relied on. */
const enough = 2;

/** What kube-apiserver means to keep between two bookmarks. */
const usualInterval = 60_000;

/**
 * Notices a stream that has fallen silent although its connection stands. It expects a sign of life
 * as often as the server's bookmarks have come so far, every minute as long as too few have; a
 * server that sends none is trusted until it should have ended the stream itself.
 */
export class IdleWatchdog {
  readonly #now: () => number;
  #heardAt = 0;
  #bookmarkAt: number | undefined;
  #hasBookmarks = false;
  #longestInterval = 0;
  #intervals = 0;
  /** Streams in a row that were given up and had said nothing at all. */
  #mute = 0;
  #hasSpoken = false;
  #bound = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #onIdle: () => void = () => undefined;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Watches a new stream. `bound`: milliseconds of silence that are too many in any case. */
  start(bound: number, onIdle: () => void): void {
    this.#onIdle = onIdle;
    this.#bookmarkAt = undefined;
    this.#hasSpoken = false;
    this.limit(bound);
  }

  /** Another bound from now on. */
  limit(bound: number): void {
    this.#bound = bound;
    this.#heardAt = this.#now();
    this.#arm(this.#allowed());
  }

  /** Any byte has arrived. */
  heard(): void {
    this.#heardAt = this.#now();
  }

  /** An event or a bookmark has arrived. */
  spoke(): void {
    this.#hasSpoken = true;
    this.#mute = 0;
  }

  /** A bookmark has arrived, be it the one that ends the initial state. */
  bookmark(): void {
    const now = this.#now();
    this.#hasBookmarks = true;
    if (this.#bookmarkAt !== undefined) {
      this.#longestInterval = Math.max(this.#longestInterval, now - this.#bookmarkAt);
      this.#intervals++;
    }
    this.#bookmarkAt = now;
    if (this.#intervals <= enough) this.#arm(this.#allowed());
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /**
   * A server sends no bookmark of the version that a stream began at, so that one of a kind that rests
   * may be mute for long: it is given more time each time.
   */
  #allowed(): number {
    if (!this.#hasBookmarks) return this.#bound;
    const interval = this.#intervals < enough ? usualInterval : this.#longestInterval;
    return Math.min(this.#bound, interval * 1.5 * 2 ** this.#mute + margin);
  }

  /** One timer, looked after when it fires and not at every sign of life. */
  #arm(delay: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      const silent = this.#now() - this.#heardAt;
      const allowed = this.#allowed();
      if (silent >= allowed) this.#fire();
      else this.#arm(allowed - silent);
    }, delay);
  }

  #fire(): void {
    if (!this.#hasSpoken) this.#mute++;
    this.#onIdle();
  }
}
