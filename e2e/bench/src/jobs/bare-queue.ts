import type { QueueMetrics } from './queue-metrics.ts';

/** A key of a bare queue, with the times of its metrics. */
interface Entry<T> {
  readonly item: T;
  isQueued: boolean;
  addedAt: number;
  takenAt: number;
}

/**
 * The least code for the cases with metrics: a map that deduplicates, a list in the order of adds, and two durations for
 * each item. It has no priorities, groups, causes, locks or delays, forgets no key, and reads the clock once for each item.
 */
export class BareQueue<T> {
  readonly #keyOf: (item: T) => string;
  readonly #metrics: QueueMetrics;
  readonly #entries = new Map<string, Entry<T>>();
  #ready: Entry<T>[] = [];
  #head = 0;
  #time: number = performance.now();

  constructor(keyOf: (item: T) => string, metrics: QueueMetrics) {
    this.#keyOf = keyOf;
    this.#metrics = metrics;
  }

  get length(): number {
    return this.#ready.length - this.#head;
  }

  add(item: T): void {
    const key = this.#keyOf(item);
    const known = this.#entries.get(key);
    if (known?.isQueued === true) return;
    const entry = known ?? { item, isQueued: true, addedAt: 0, takenAt: 0 };
    if (known === undefined) this.#entries.set(key, entry);
    entry.isQueued = true;
    entry.addedAt = this.#time;
    this.#metrics.added();
    this.#ready.push(entry);
  }

  take(): Entry<T> | undefined {
    const entry = this.#ready[this.#head];
    if (entry === undefined) return undefined;
    this.#head += 1;
    if (this.#head > 1000 && this.#head * 2 > this.#ready.length) this.#dropTaken();
    entry.isQueued = false;
    entry.takenAt = this.#time;
    this.#metrics.taken(0, entry.takenAt - entry.addedAt);
    return entry;
  }

  done(item: T): void {
    const entry = this.#entries.get(this.#keyOf(item));
    if (entry === undefined) return;
    this.#time = performance.now();
    this.#metrics.finished(this.#time - entry.takenAt);
  }

  #dropTaken(): void {
    this.#ready = this.#ready.slice(this.#head);
    this.#head = 0;
  }
}
