import { systemClock, type Clock } from '@keelson/apimachinery';

/** A bookmark may be late by half its interval plus this time in milliseconds. */
const LATENESS_MS = 5_000;

/** The number of intervals after which the watchdog relies on the measured interval. */
const MIN_INTERVALS = 2;

/** The bookmark interval of kube-apiserver, in milliseconds. */
const SERVER_BOOKMARK_INTERVAL_MS = 60_000;

/**
 * The shortest interval in milliseconds that is used. Bookmarks that arrive together after a pause would otherwise make
 * it 0, and doubling would not increase it.
 */
const MIN_INTERVAL_MS = 1_000;

/**
 * Detects a stream that is silent although its connection is open. It expects data as often as the
 * server has sent bookmarks, or every minute until two intervals are known. A server without
 * bookmarks may be silent until the timeout of the watch.
 */
export class IdleWatchdog {
  /** The time of the last data from the server. */
  lastDataAt: number | undefined = undefined;
  readonly #now: () => number;
  readonly #clock: Clock;
  /** The start of the present silence. */
  #silentSince = 0;
  #bookmarkAt: number | undefined;
  #hasBookmarks = false;
  #longestInterval = 0;
  #intervals = 0;
  /** Number of idle streams in a row that sent no event and no bookmark. */
  #silentStreams = 0;
  #hasEvents = false;
  #bound = 0;
  #stopTimer: (() => void) | undefined;
  #onIdle: () => void = () => undefined;

  constructor(now: () => number, clock: Clock = systemClock) {
    this.#now = now;
    this.#clock = clock;
  }

  /**
   * Starts to monitor a new stream. `bound`: the longest silence in milliseconds, with or without
   * bookmarks.
   */
  start(bound: number, onIdle: () => void): void {
    this.#onIdle = onIdle;
    this.#bookmarkAt = undefined;
    this.#hasEvents = false;
    this.limit(bound);
  }

  /** Replaces the longest allowed silence, in milliseconds. */
  limit(bound: number): void {
    this.#bound = bound;
    this.#silentSince = this.#now();
    this.#arm(this.#allowed());
  }

  /** Records the arrival of data, which may have an event or a bookmark. */
  activity(hasEvent: boolean): void {
    this.lastDataAt = this.#now();
    this.#silentSince = this.lastDataAt;
    if (!hasEvent) return;
    this.#hasEvents = true;
    this.#silentStreams = 0;
  }

  /** Records a bookmark, including the one that ends the initial state. */
  bookmark(): void {
    const now = this.#now();
    this.#hasBookmarks = true;
    if (this.#bookmarkAt !== undefined) {
      this.#longestInterval = Math.max(this.#longestInterval, now - this.#bookmarkAt);
      this.#intervals++;
    }
    this.#bookmarkAt = now;
    if (this.#intervals <= MIN_INTERVALS) this.#arm(this.#allowed());
  }

  stop(): void {
    this.#stopTimer?.();
    this.#stopTimer = undefined;
  }

  /**
   * Returns the allowed silence in milliseconds. A server sends no bookmark at the version where a stream started, so
   * the stream of a quiet kind may be silent for long. Each silent stream therefore doubles the allowed time.
   */
  #allowed(): number {
    if (!this.#hasBookmarks) return this.#bound;
    const interval =
      this.#intervals < MIN_INTERVALS
        ? SERVER_BOOKMARK_INTERVAL_MS
        : Math.max(this.#longestInterval, MIN_INTERVAL_MS);
    return Math.min(this.#bound, interval * 1.5 * 2 ** this.#silentStreams + LATENESS_MS);
  }

  /** Starts the timer. It is not restarted for each arrival of data; when it fires, the watchdog checks the silence. */
  #arm(delay: number): void {
    this.#stopTimer?.();
    this.#stopTimer = this.#clock.startTimer(delay, () => {
      const silent = this.#now() - this.#silentSince;
      const allowed = this.#allowed();
      if (silent >= allowed) this.#fire();
      else this.#arm(allowed - silent);
    });
  }

  #fire(): void {
    if (!this.#hasEvents) this.#silentStreams++;
    this.#onIdle();
  }
}
