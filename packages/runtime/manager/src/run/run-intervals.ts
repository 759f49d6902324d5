import { systemClock, type Clock } from '@keelson/apimachinery';
import type { CauseSet } from '../reconcile/cause.ts';
import type { IdentifiedRequest } from '../reconcile/request.ts';

/** The share of the interval by which a run may be early, so that objects of one list do not run again together. */
const JITTER = 0.1;
/** The number of buckets in one interval. Requests whose times are in one bucket become due together. */
const BUCKETS = 1024;
/** The number of requests of one turn of the event loop, so that they do not block it. */
const MAX_PER_TURN = 1000;

interface Entry<Q extends object> {
  readonly request: IdentifiedRequest<Q>;
  /** The source that the request is queued for at the end of the interval. */
  source: CauseSet;
  readonly bucket: number;
}

export interface RunIntervalsOptions<Q extends object> {
  /** Default: the clock of the system. */
  readonly clock?: Clock;
  /** Called when the interval of a request has ended. */
  readonly onDue: (request: IdentifiedRequest<Q>, source: CauseSet) => void;
  /** Calls a function in the async context of the controller, because timers keep the context in which they start. */
  readonly inContext: (act: () => void) => void;
}

/**
 * The requests that run again at the end of an interval, with one timer. Their times are rounded down to buckets, so
 * that a request is scheduled and cancelled in constant time.
 */
export class RunIntervals<Q extends object> {
  readonly #options: RunIntervalsOptions<Q>;
  readonly #clock: Clock;
  /** Milliseconds between the end of a run and the next one at the latest; 0 for no interval. `replace` changes it. */
  interval = 0;
  #width = 1;
  readonly #entries = new Map<string, Entry<Q>>();
  /** The keys of each bucket, by the number of the bucket since the origin of the clock. */
  readonly #buckets = new Map<number, Set<string>>();
  #stopTimer: (() => void) | undefined;
  /** The time at which the timer fires; `Infinity` without a timer. */
  #firesAt = Infinity;

  constructor(options: RunIntervalsOptions<Q>) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
  }

  /** Replaces the interval. A scheduled request keeps its time unless the new interval ends earlier. */
  replace(interval: number): void {
    const scheduled = Array.from(this.#entries.values(), (entry) => ({
      ...entry,
      at: entry.bucket * this.#width,
    }));
    this.close();
    this.interval = interval;
    this.#width = Math.max(1, interval / BUCKETS);
    if (interval === 0) return;
    for (const { request, source, at } of scheduled) {
      this.#schedule(request, source, Math.min(at, this.#end()));
    }
  }

  has(key: string): boolean {
    return this.#entries.has(key);
  }

  /** The reading of the controller's clock at which the interval of a request ends; `undefined` without one. */
  endOf(key: string): number | undefined {
    const entry = this.#entries.get(key);
    return entry && entry.bucket * this.#width;
  }

  /** The number of scheduled requests. */
  get size(): number {
    return this.#entries.size;
  }

  /** Schedules a request after the interval, instead of its former time. */
  schedule(request: IdentifiedRequest<Q>, source: CauseSet): void {
    this.#schedule(request, source, this.#end());
  }

  /** The end of an interval that begins now. */
  #end(): number {
    return this.#clock.monotonic() + this.interval * (1 - JITTER * this.#clock.random());
  }

  #schedule(request: IdentifiedRequest<Q>, source: CauseSet, at: number): void {
    const { key } = request;
    this.#remove(key);
    const bucket = Math.floor(at / this.#width);
    this.#entries.set(key, { request, source, bucket });
    const keys = this.#buckets.get(bucket);
    if (keys === undefined) this.#buckets.set(bucket, new Set([key]));
    else keys.add(key);
    this.#startTimer(bucket * this.#width);
  }

  cancel(key: string): void {
    this.#remove(key);
    this.#stopIfEmpty();
  }

  /** Cancels the requests of these sources. */
  withdraw(sources: ReadonlySet<CauseSet>): void {
    for (const [key, { source }] of this.#entries) if (sources.has(source)) this.#remove(key);
    this.#stopIfEmpty();
  }

  /** Replaces the source of each request by the one that continues it, and cancels the requests without one. */
  reassign(
    heirOf: (request: IdentifiedRequest<Q>, source: CauseSet) => CauseSet | undefined,
  ): void {
    for (const [key, entry] of this.#entries) {
      const heir = heirOf(entry.request, entry.source);
      if (heir === undefined) this.#remove(key);
      else entry.source = heir;
    }
    this.#stopIfEmpty();
  }

  close(): void {
    this.#entries.clear();
    this.#buckets.clear();
    this.#stopIfEmpty();
  }

  #remove(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    const keys = this.#buckets.get(entry.bucket);
    keys?.delete(key);
    if (keys?.size === 0) this.#buckets.delete(entry.bucket);
  }

  #startTimer(at: number): void {
    if (at >= this.#firesAt) return;
    this.#stopTimer?.();
    this.#firesAt = at;
    const delay = Math.max(0, Math.ceil(at - this.#clock.monotonic()));
    this.#options.inContext(() => {
      this.#stopTimer = this.#clock.startTimer(delay, () => this.#fire());
    });
  }

  #stopIfEmpty(): void {
    if (this.#entries.size > 0) return;
    this.#stopTimer?.();
    this.#stopTimer = undefined;
    this.#firesAt = Infinity;
  }

  #fire(): void {
    this.#firesAt = Infinity;
    const now = this.#clock.monotonic();
    let left = MAX_PER_TURN;
    for (const [bucket, keys] of this.#buckets) {
      if (bucket * this.#width > now) continue;
      for (const key of keys) {
        if (left === 0) break;
        left -= 1;
        this.#due(key);
      }
    }
    if (this.#buckets.size === 0) this.#stopIfEmpty();
    else this.#startTimer(Math.min(...this.#buckets.keys()) * this.#width);
  }

  #due(key: string): void {
    const entry = this.#entries.get(key);
    this.#remove(key);
    if (entry !== undefined) this.#options.onDue(entry.request, entry.source);
  }
}
