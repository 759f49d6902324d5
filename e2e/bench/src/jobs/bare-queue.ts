import type { QueueMetrics } from './queue-metrics.ts';

/** A key of a bare queue, with the times of its metrics. */
interface Entry<T> {
  readonly item: T;
  isQueued: boolean;
  addedAt: number;
  takenAt: number;
  /** The entry that was added after this one. */
  next: Entry<T> | undefined;
}

/**
 * The least code for the cases with metrics: a map that deduplicates, a linked list in the order of adds, and two durations
 * for each item. It has no priorities, groups, causes, locks or delays, forgets no key, and reads the clock once for each
 * item.
 */
export class BareQueue<T> {
  readonly #keyOf: (item: T) => string;
  readonly #metrics: QueueMetrics;
  readonly #entries = new Map<string, Entry<T>>();
  #first: Entry<T> | undefined;
  #last: Entry<T> | undefined;
  /** The entry that was taken last: a worker that finishes each item before it takes the next saves a search for the key. */
  #taken: Entry<T> | undefined;
  #time: number = performance.now();
  length = 0;

  constructor(keyOf: (item: T) => string, metrics: QueueMetrics) {
    this.#keyOf = keyOf;
    this.#metrics = metrics;
  }

  add(item: T): void {
    const key = this.#keyOf(item);
    let entry = this.#entries.get(key);
    if (entry === undefined) {
      entry = { item, isQueued: false, addedAt: 0.5, takenAt: 0.5, next: undefined };
      this.#entries.set(key, entry);
    }
    if (entry.isQueued) return;
    entry.isQueued = true;
    entry.addedAt = this.#time;
    this.#metrics.added();
    this.length += 1;
    if (this.#last === undefined) this.#first = entry;
    else this.#last.next = entry;
    this.#last = entry;
  }

  take(): Entry<T> | undefined {
    const entry = this.#first;
    if (entry === undefined) return undefined;
    this.#first = entry.next;
    if (entry.next === undefined) this.#last = undefined;
    entry.next = undefined;
    entry.isQueued = false;
    entry.takenAt = this.#time;
    this.#taken = entry;
    this.length -= 1;
    this.#metrics.taken(0, entry.takenAt - entry.addedAt);
    return entry;
  }

  done(item: T): void {
    const last = this.#taken;
    const entry = last?.item === item ? last : this.#entries.get(this.#keyOf(item));
    if (entry === undefined) return;
    this.#time = performance.now();
    this.#metrics.finished(this.#time - entry.takenAt);
  }
}
