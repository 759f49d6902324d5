import { addCauses, withoutCauses } from './causes.ts';
import { DelayHeap } from './delay-heap.ts';
import { EntryTable, Place } from './entry-table.ts';
import { WorkQueueError } from './errors.ts';
import type { RateLimiter } from './rate-limiter.ts';
import { ReadyLevels } from './ready-levels.ts';
import { WakeTimer } from './wake-timer.ts';
import { Waiters } from './waiters.ts';
import type { WorkItem } from './work-item.ts';
import { checkAddOptions, resolveOptions, type AddOptions } from './work-queue-options.ts';
import type { WorkQueueOptions } from './work-queue-options.ts';
import type { WorkQueueObserver } from './work-queue-observer.ts';

/** Entries that become ready in one turn; more of them wait for the next, so that the event loop breathes. */
const promotedPerTurn = 8192;

const noCauses: readonly never[] = Object.freeze([]);

/**
 * A deduplicating queue with priorities, delays and backoff: at most one entry per key, and a key
 * that was handed out is locked until `done`.
 *
 * `Item` is what is queued, `Cause` what may be said about why. Without `keyOf` the item is its own
 * key (strings, numbers, or objects by identity).
 */
export class WorkQueue<Item, Cause = unknown> implements AsyncDisposable {
  readonly name: string | undefined;
  readonly #keyOf: ((item: Item) => unknown) | undefined;
  readonly #now: () => number;
  readonly #limiter: RateLimiter;
  readonly #observer: WorkQueueObserver | undefined;
  readonly #sameCause: (one: Cause, other: Cause) => boolean;
  /** The slot of every key that is queued or held. */
  readonly #slots = new Map<unknown, number>();
  readonly #table = new EntryTable<Item, Cause>();
  readonly #ready = new ReadyLevels<Item, Cause>(this.#table);
  readonly #waiting = new DelayHeap(this.#table);
  readonly #waiters = new Waiters<WorkItem<Item, Cause>>(() => this.take());
  readonly #timer: WakeTimer;
  #held = 0;
  /** `draining`: only re-adds of held keys are accepted. `closed`: nothing is. */
  #state: 'open' | 'draining' | 'closed' = 'open';
  #drained: PromiseWithResolvers<void> | undefined;

  constructor(options: WorkQueueOptions<Item, Cause> = {}) {
    const resolved = resolveOptions(options);
    this.name = resolved.name;
    this.#keyOf = resolved.keyOf;
    this.#now = resolved.now;
    this.#limiter = resolved.rateLimiter;
    this.#observer = resolved.observer;
    this.#sameCause = resolved.sameCause;
    this.#timer = new WakeTimer(this.#now, () => this.#promote());
  }

  /** Ready items, held keys that were added again included; waiting items are not. */
  get length(): number {
    return this.#ready.length;
  }

  /** Items whose delay has not ended. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** Items handed out and not done. */
  get held(): number {
    return this.#held;
  }

  /** True from the first call of `shutDown`. */
  get isShutDown(): boolean {
    return this.#state !== 'open';
  }

  /**
   * Queues an item. An item already queued keeps its one entry: the earlier time and the higher
   * priority win. Throws `QUEUE_SHUT_DOWN` after `shutDown`, `INVALID_OPTION` for a number that is none.
   */
  add(item: Item, options: AddOptions<Cause> = {}): void {
    checkAddOptions(options);
    const key = this.#key(item);
    const slot = this.#slots.get(key);
    this.#refuseAfterShutDown(slot, options);
    const queued = slot !== undefined && this.#table.place[slot] !== Place.nowhere;
    const delay = this.#delay(key, options, queued);
    if (queued) this.#merge(slot, delay, options);
    else this.#enter(slot ?? this.#allocate(key), item, delay, options);
  }

  /** The best ready item whose key is free, now locked; `undefined` when there is none. */
  take(): WorkItem<Item, Cause> | undefined {
    // The timer may be late when the event loop was busy: what is due counts as ready all the same.
    if (this.#waiting.size > 0) this.#promote();
    const slot = this.#ready.take();
    if (slot === -1) return undefined;
    const startedAt = this.#now();
    const work: WorkItem<Item, Cause> = {
      item: this.#table.items[slot] as Item,
      priority: this.#table.priority[slot] as number,
      causes: this.#table.causes[slot] ?? noCauses,
      queuedMs: startedAt - (this.#table.readyAt[slot] as number),
      startedAt,
    };
    this.#table.clear(slot);
    this.#table.held[slot] = work;
    this.#held += 1;
    this.#observer?.depthChanged?.(work.priority, -1);
    this.#observer?.taken?.(work.priority, work.queuedMs);
    return work;
  }

  /** Like `take`, but waits for an item; `undefined` once the queue is shut down. Rejects when `signal` aborts. */
  get(signal?: AbortSignal): Promise<WorkItem<Item, Cause> | undefined> {
    if (signal?.aborted === true) return Promise.reject(signal.reason);
    const work = this.#waiters.size === 0 ? this.take() : undefined;
    if (work !== undefined || this.isShutDown) return Promise.resolve(work);
    return this.#waiters.wait(signal);
  }

  /**
   * Calls `listener` in a microtask after items became available and no `get` waited for them: a
   * consumer without promises then calls `take` until it is full or gets `undefined`. Adds of one
   * turn are told once, so that the best of them goes first. Returns the way to stop.
   */
  onAvailable(listener: () => void): () => void {
    const stop = this.#waiters.listen(listener);
    this.#announce();
    return stop;
  }

  /** Unlocks the item's key; what was added meanwhile goes out next. Harmless for a key that is not locked. */
  done(item: Item): void {
    const key = this.#key(item);
    const slot = this.#slots.get(key);
    const work = slot === undefined ? undefined : this.#table.held[slot];
    if (slot === undefined || work === undefined) return;
    this.#table.held[slot] = undefined;
    this.#held -= 1;
    this.#observer?.finished?.(this.#now() - work.startedAt);
    if (this.#table.place[slot] === Place.nowhere) this.#release(slot, key);
    else if (this.#table.place[slot] !== Place.waiting) this.#unlock(slot);
    this.#settleDrain();
  }

  /** Resets the backoff of an item; it stays queued or held if it is. */
  forget(item: Item): void {
    this.#limiter.forget(this.#key(item));
  }

  /** Rate-limited adds of this item that were charged since the last `forget`. */
  failures(item: Item): number {
    return this.#limiter.failures(this.#key(item));
  }

  /** Whether a worker holds the item's key. */
  isHeld(item: Item): boolean {
    const slot = this.#slots.get(this.#key(item));
    return slot !== undefined && this.#table.held[slot] !== undefined;
  }

  /** What is handed out and not done, in no particular order. */
  processing(): WorkItem<Item, Cause>[] {
    if (this.#held === 0) return [];
    return this.#table.held.filter((work) => work !== undefined);
  }

  /** Ready items by priority, highest first. */
  depths(): Map<number, number> {
    return this.#ready.depths();
  }

  /** Added up over the held items: how long each has been held, in ms. */
  unfinishedMs(): number {
    const now = this.#now();
    return this.processing().reduce((sum, work) => sum + now - work.startedAt, 0);
  }

  /** How long the item held longest has been held, in ms; 0 when none is. */
  longestRunningMs(): number {
    const now = this.#now();
    return this.processing().reduce((most, work) => Math.max(most, now - work.startedAt), 0);
  }

  /**
   * Withdraws the causes for which `matches` is true from every queued entry. An entry that was
   * asked for by those causes alone is purged and its backoff forgotten; held items are left to
   * their workers. Returns how many were purged.
   */
  withdraw(matches: (cause: Cause) => boolean): number {
    let purged = 0;
    for (let slot = 0; slot < this.#table.size; slot += 1) {
      if (this.#table.place[slot] === Place.nowhere) continue;
      const causes = withoutCauses(this.#table.causes[slot], matches);
      if (causes !== undefined && causes.length === 0 && this.#table.uncaused[slot] === 0) {
        this.#purge(slot);
        purged += 1;
      } else {
        this.#table.causes[slot] = causes;
      }
    }
    if (purged > 0) this.#observer?.purged?.(purged);
    this.#settleDrain();
    return purged;
  }

  /**
   * Ends the queue: waiting `get`s get `undefined`, queued items are dropped, later adds are
   * refused. With `drain` the promise resolves when every held item is done, and what is
   * added again for a held item still goes out; without, at once. A plain call ends a drain.
   */
  shutDown(options: { readonly drain?: boolean } = {}): Promise<void> {
    const drain = options.drain === true && this.#state !== 'closed';
    this.#state = drain ? 'draining' : 'closed';
    this.#drop(drain);
    this.#timer.clear();
    this.#waiters.end();
    this.#drained ??= Promise.withResolvers<void>();
    this.#settleDrain();
    return this.#drained.promise;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.shutDown();
  }

  #key(item: Item): unknown {
    return this.#keyOf === undefined ? item : this.#keyOf(item);
  }

  #allocate(key: unknown): number {
    const slot = this.#table.allocate(key);
    this.#slots.set(key, slot);
    return slot;
  }

  #release(slot: number, key: unknown): void {
    this.#table.release(slot);
    this.#slots.delete(key);
  }

  #refuseAfterShutDown(slot: number | undefined, options: AddOptions<Cause>): void {
    if (this.#state === 'open') return;
    const held = slot !== undefined && this.#table.held[slot] !== undefined;
    const delayed = options.rateLimited === true || (options.after ?? 0) > 0;
    if (this.#state === 'draining' && held && !delayed) return;
    throw new WorkQueueError('QUEUE_SHUT_DOWN', { queue: this.name ?? '(unnamed)' });
  }

  #delay(key: unknown, options: AddOptions<Cause>, queued: boolean): number {
    const after = options.after ?? 0;
    if (options.rateLimited !== true) return after;
    const delay = Math.max(after, this.#limiter.delay(key));
    if (!queued) this.#limiter.charge(key);
    return delay;
  }

  #enter(slot: number, item: Item, delay: number, options: AddOptions<Cause>): void {
    this.#table.items[slot] = item;
    this.#table.priority[slot] = options.priority ?? 0;
    this.#addCauses(slot, options);
    if (delay > 0) {
      this.#observer?.retried?.();
      this.#waiting.push(slot, this.#now() + delay);
      this.#timer.set(this.#waiting.deadline);
    } else {
      this.#makeReady(slot);
    }
  }

  #merge(slot: number, delay: number, options: AddOptions<Cause>): void {
    this.#addCauses(slot, options);
    this.#raise(slot, options.priority ?? 0);
    if (this.#table.place[slot] !== Place.waiting) return;
    if (delay > 0) {
      this.#waiting.advance(slot, this.#now() + delay);
    } else {
      this.#waiting.remove(slot);
      this.#makeReady(slot);
    }
    this.#timer.set(this.#waiting.deadline);
  }

  #raise(slot: number, priority: number): void {
    const before = this.#table.priority[slot] as number;
    if (priority <= before) return;
    const waits = this.#table.place[slot] === Place.waiting;
    if (!waits) this.#ready.remove(slot);
    this.#table.priority[slot] = priority;
    if (waits) return;
    this.#ready.push(slot);
    this.#observer?.depthChanged?.(before, -1);
    this.#observer?.depthChanged?.(priority, 1);
  }

  #addCauses(slot: number, { cause, causes }: AddOptions<Cause>): void {
    const table = this.#table;
    const before = table.causes[slot];
    if (cause === undefined && (causes === undefined || causes.length === 0)) {
      table.uncaused[slot] = 1;
      return;
    }
    const added = cause === undefined ? (causes ?? noCauses) : [cause, ...(causes ?? noCauses)];
    const merged = addCauses(before, added, this.#sameCause);
    table.causes[slot] = merged.causes;
    if (!merged.complete) table.uncaused[slot] = 1;
  }

  #makeReady(slot: number): void {
    const priority = this.#table.priority[slot] as number;
    this.#table.readyAt[slot] = this.#now();
    this.#ready.push(slot);
    this.#observer?.added?.(priority);
    this.#observer?.depthChanged?.(priority, 1);
    this.#announce();
  }

  #unlock(slot: number): void {
    this.#ready.unlock(slot);
    this.#announce();
  }

  #announce(): void {
    if (this.#ready.available > 0) this.#waiters.wake();
  }

  #promote(): void {
    const now = this.#now();
    for (let count = 0; count < promotedPerTurn && this.#waiting.deadline <= now; count += 1) {
      this.#makeReady(this.#waiting.pop());
    }
    this.#timer.set(this.#waiting.deadline);
  }

  #purge(slot: number): void {
    const key = this.#table.keys[slot];
    this.#limiter.forget(key);
    this.#dropEntry(slot, key);
    this.#timer.set(this.#waiting.deadline);
  }

  #drop(keepHeld: boolean): void {
    for (let slot = 0; slot < this.#table.size; slot += 1) {
      const place = this.#table.place[slot];
      if (place === Place.nowhere) continue;
      const kept = keepHeld && place !== Place.waiting && this.#table.held[slot] !== undefined;
      if (!kept) this.#dropEntry(slot, this.#table.keys[slot]);
    }
  }

  #dropEntry(slot: number, key: unknown): void {
    if (this.#table.place[slot] === Place.waiting) {
      this.#waiting.remove(slot);
    } else {
      this.#ready.remove(slot);
      this.#observer?.depthChanged?.(this.#table.priority[slot] as number, -1);
    }
    if (this.#table.held[slot] === undefined) this.#release(slot, key);
    else this.#table.clear(slot);
  }

  #settleDrain(): void {
    if (this.#state === 'open') return;
    if (this.#state === 'draining' && (this.#held > 0 || this.#ready.length > 0)) return;
    this.#state = 'closed';
    this.#drained?.resolve();
  }
}
