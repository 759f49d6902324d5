import { Backlog } from './backlog.ts';
import { EntryTable, Place } from './entry-table.ts';
import { WorkQueueError } from './errors.ts';
import type { RateLimiter } from './rate-limiter.ts';
import { Waiters } from './waiters.ts';
import type { WorkItem } from './work-item.ts';
import {
  checkAddOptions,
  checkShutDownOptions,
  resolveOptions,
  type AddOptions,
  type ShutDownOptions,
  type WorkQueueOptions,
} from './work-queue-options.ts';
import type { WorkQueueObserver } from './work-queue-observer.ts';

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
  /** The slot of every key that is queued or held. */
  readonly #slots = new Map<unknown, number>();
  readonly #table = new EntryTable<Item, Cause>();
  readonly #waiters = new Waiters<WorkItem<Item, Cause>>(() => this.take());
  readonly #backlog: Backlog<Item, Cause>;
  #held = 0;
  /** `draining`: only undelayed re-adds of held keys are accepted. `closed`: nothing is. */
  #state: 'open' | 'draining' | 'closed' = 'open';
  #drained: PromiseWithResolvers<void> | undefined;

  constructor(options: WorkQueueOptions<Item, Cause> = {}) {
    const resolved = resolveOptions(options);
    this.name = resolved.name;
    this.#keyOf = resolved.keyOf;
    this.#now = resolved.now;
    this.#limiter = resolved.rateLimiter;
    this.#observer = resolved.observer;
    this.#backlog = new Backlog({
      ...resolved,
      table: this.#table,
      onAvailable: () => this.#announce(),
      onDropped: (slot) => this.#dropped(slot),
    });
  }

  /** Ready items, held keys that were added again included; waiting items are not. */
  get length(): number {
    return this.#backlog.length;
  }

  /** Items whose delay has not ended. */
  get waiting(): number {
    return this.#backlog.waiting;
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
    if (this.#state !== 'open') this.#refuse(slot, options);
    const queued = slot !== undefined && this.#table.place[slot] !== Place.nowhere;
    const delay = this.#delay(key, options, queued);
    if (queued) this.#backlog.merge(slot, delay, options);
    else this.#backlog.enter(slot ?? this.#allocate(key), item, delay, options);
  }

  /** The best ready item whose key is free, now locked; `undefined` when there is none. */
  take(): WorkItem<Item, Cause> | undefined {
    const slot = this.#backlog.take();
    if (slot === -1) return undefined;
    const work = this.#work(slot);
    this.#table.clear(slot);
    this.#table.held[slot] = work;
    this.#held += 1;
    this.#observer?.depthChanged?.(work.priority, -1);
    this.#observer?.taken?.(work.priority, work.queuedMs);
    return work;
  }

  /** Like `take`, but waits for an item; `undefined` once the queue is shut down. Rejects when `signal` aborts. */
  get(signal?: AbortSignal): Promise<WorkItem<Item, Cause> | undefined> {
    if (signal?.aborted === true) return Promise.reject(signal.reason as Error);
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
    else this.#backlog.unlock(slot);
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
    return this.#backlog.depths();
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
   * asked for by those causes alone is purged; held items are left to their workers. The backoff of a
   * purged item is forgotten unless it is held. Returns how many were purged.
   */
  withdraw(matches: (cause: Cause) => boolean): number {
    const purged = this.#backlog.withdraw(matches);
    if (purged > 0) this.#observer?.purged?.(purged);
    this.#settleDrain();
    return purged;
  }

  /**
   * Ends the queue: waiting `get`s get `undefined`, queued items are dropped, later adds are
   * refused. With `drain` the promise resolves when every held item is done, and what is
   * added again for a held item still goes out; without, at once. A plain call ends a drain.
   */
  shutDown(options: ShutDownOptions = {}): Promise<void> {
    checkShutDownOptions(options);
    const drain = options.drain === true && this.#state !== 'closed';
    this.#state = drain ? 'draining' : 'closed';
    this.#backlog.clear(drain);
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

  #refuse(slot: number | undefined, options: AddOptions<Cause>): void {
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

  #work(slot: number): WorkItem<Item, Cause> {
    const table = this.#table;
    const startedAt = this.#now();
    return {
      item: table.items[slot] as Item,
      priority: table.priority[slot] as number,
      causes: table.causes[slot] ?? noCauses,
      failures: this.#limiter.failures(table.keys[slot]),
      queuedMs: startedAt - (table.readyAt[slot] as number),
      startedAt,
    };
  }

  #dropped(slot: number): void {
    const key = this.#table.keys[slot];
    if (this.#table.held[slot] !== undefined) {
      this.#table.clear(slot);
      return;
    }
    this.#limiter.forget(key);
    this.#release(slot, key);
  }

  #announce(): void {
    if (this.#backlog.available > 0) this.#waiters.wake();
  }

  #settleDrain(): void {
    if (this.#state === 'open') return;
    if (this.#state === 'draining' && (this.#held > 0 || this.length > 0)) return;
    this.#state = 'closed';
    this.#drained?.resolve();
  }
}
