import { Backlog } from '../backlog/backlog.ts';
import { BackoffWindows } from './backoff-windows.ts';
import { checkSignal } from '../contract/check-options.ts';
import { EntryTable, Place } from '../backlog/entry-table.ts';
import { WorkQueueError } from '../errors.ts';
import { HeldItem } from '../backlog/held-item.ts';
import { HeldItems } from './held-items.ts';
import { Origin, Origins } from '../backlog/origin.ts';
import { Waiters } from './waiters.ts';
import type { WorkItem } from '../contract/work-item.ts';
import {
  checkAddOptions,
  checkShutDownOptions,
  resolveOptions,
  type AddOptions,
  type ShutDownOptions,
  type WorkQueueOptions,
} from '../contract/work-queue-options.ts';
import type { WorkQueueObserver } from '../contract/work-queue-observer.ts';

/**
 * A deduplicating queue with priorities, delays and backoff. A key has at most one entry, and a key
 * that was handed out is locked until `done`.
 *
 * `Item` is the type of the items, `Cause` describes why an item was added, and `Source` is the
 * origin of a cause. Without `keyOf` the item is its own key: strings and numbers by value, objects
 * by identity.
 */
export class WorkQueue<Item, Cause = unknown, Source = Cause> implements AsyncDisposable {
  readonly name: string | undefined;
  readonly #keyOf: ((item: Item) => unknown) | undefined;
  readonly #now: () => number;
  readonly #windows: BackoffWindows;
  readonly #observer: WorkQueueObserver | undefined;
  readonly #table = new EntryTable<Item, Cause, Source>();
  readonly #heldItems = new HeldItems<Item, Cause, Source>();
  readonly #origins: Origins<Cause, Source>;
  readonly #waiters = new Waiters<WorkItem<Item, Cause>>(() => this.take());
  readonly #backlog: Backlog<Item, Cause, Source>;
  /** `draining` accepts only re-adds of held keys without a delay. `closed` accepts no adds. */
  #state: 'open' | 'draining' | 'closed' = 'open';
  #drained: PromiseWithResolvers<void> | undefined;

  constructor(options: WorkQueueOptions<Item, Cause, Source> = {}) {
    const resolved = resolveOptions(options);
    this.name = resolved.name;
    this.#keyOf = resolved.keyOf;
    this.#now = resolved.now;
    this.#windows = new BackoffWindows(resolved.rateLimiter);
    this.#origins = new Origins(resolved);
    this.#observer = resolved.observer;
    this.#backlog = new Backlog({
      ...resolved,
      table: this.#table,
      onAvailable: () => this.#notify(),
      onDropped: (slot) => this.#dropped(slot),
    });
  }

  /**
   * The number of ready items, including held keys that were added again. Waiting items do not
   * count.
   */
  get length(): number {
    return this.#backlog.length;
  }

  /** The number of items whose delay has not ended. */
  get waiting(): number {
    return this.#backlog.waiting;
  }

  /** The number of items that were handed out and are not done. */
  get held(): number {
    return this.#heldItems.size;
  }

  /** True from the first call of `shutDown`. */
  get isShutDown(): boolean {
    return this.#state !== 'open';
  }

  /**
   * Queues an item. A queued item keeps its single entry, with the earlier time and the higher
   * priority.
   * Throws `QUEUE_SHUT_DOWN` after `shutDown`, and `INVALID_OPTION` for an invalid option. After
   * `shutDown`, a rate-limited add of a held item is dropped instead, so that a worker can report a
   * failure without an error.
   */
  add(item: Item, options: AddOptions<Cause> = {}): void {
    checkAddOptions(options);
    const key = this.#key(item);
    const slot = this.#table.slotOf(key);
    const held = slot === undefined ? undefined : this.#table.held[slot];
    if (this.#state !== 'open' && !this.#accepts(key, held, options)) return;
    const queued = slot !== undefined && this.#table.place[slot] !== Place.nowhere;
    if (options.rateLimited === true && (held === undefined ? !queued : !held.hasFailed)) {
      this.#addRetry(item, key, slot, options);
    } else if (queued) {
      this.#collapse(key, slot, options);
    } else {
      const now = this.#now();
      const due = this.#due(key, options, now);
      const origin = this.#origins.begin(options, now);
      const priority = options.priority ?? 0;
      this.#backlog.enter(slot ?? this.#table.allocate(key), { item, priority, origin, due, now });
    }
  }

  /**
   * Locks and returns the best ready item whose key is not locked; `undefined` without such
   * an item.
   */
  take(): WorkItem<Item, Cause> | undefined {
    const slot = this.#backlog.take();
    if (slot === -1) return undefined;
    const work = this.#hold(slot);
    this.#observer?.depthChanged?.(work.priority, -1);
    this.#observer?.taken?.(work.priority, work.queuedMs);
    return work;
  }

  /**
   * Like `take`, but waits for an item. Resolves with `undefined` after `shutDown`. Rejects with
   * the reason of `signal` when it aborts.
   */
  get(signal?: AbortSignal): Promise<WorkItem<Item, Cause> | undefined> {
    checkSignal(signal);
    if (signal?.aborted === true) return Promise.reject(signal.reason as Error);
    const work = this.#waiters.size === 0 ? this.take() : undefined;
    if (work !== undefined || this.isShutDown) return Promise.resolve(work);
    return this.#waiters.wait(signal);
  }

  /**
   * Calls `listener` in a microtask when items are available and no `get` waits for them. The
   * listener then calls `take` until it is busy or gets `undefined`.
   * Adds of one turn cause one call, so that the highest priority is taken first. The listener runs
   * in the async context of the add that caused the call. Returns a function that removes the
   * listener.
   */
  onAvailable(listener: () => void): () => void {
    const stop = this.#waiters.listen(listener);
    this.#notify();
    return stop;
  }

  /**
   * Unlocks the key of an item. If the item was added while held, it is handed out again. No effect
   * for a key that is not locked.
   */
  done(item: Item): void {
    const key = this.#key(item);
    const slot = this.#table.slotOf(key);
    const held = slot === undefined ? undefined : this.#table.held[slot];
    if (slot === undefined || held === undefined) return;
    this.#table.held[slot] = undefined;
    this.#heldItems.remove(held);
    this.#observer?.finished?.(this.#now() - held.startedAt);
    if (this.#table.place[slot] === Place.nowhere) this.#table.release(slot);
    else this.#backlog.unlock(slot);
    this.#shrink();
    this.#settleDrain();
  }

  /**
   * Resets the backoff of an item, which stays queued or held. An add that only waited for the end
   * of the backoff becomes due at its own time.
   */
  forget(item: Item): void {
    const key = this.#key(item);
    const wantedAt = this.#windows.forget(key);
    const slot = wantedAt === Infinity ? undefined : this.#table.slotOf(key);
    if (slot !== undefined) this.#backlog.advance(slot, wantedAt, this.#now());
  }

  /**
   * The number of failed runs of this item since the last `forget`, that is, of charged
   * rate-limited adds.
   */
  failures(item: Item): number {
    return this.#windows.failures(this.#key(item));
  }

  /** True if a worker holds the key of the item. */
  isHeld(item: Item): boolean {
    const slot = this.#table.slotOf(this.#key(item));
    return slot !== undefined && this.#table.held[slot] !== undefined;
  }

  /** The held items, in the order in which they were handed out. */
  processing(): WorkItem<Item, Cause>[] {
    return [...this.#heldItems];
  }

  /** The held items with a cause of a matching source, even if the source was withdrawn later. */
  processingFor(matches: (source: Source) => boolean): WorkItem<Item, Cause>[] {
    return [...this.#heldItems].filter(({ initialOrigin }) =>
      this.#origins.has(initialOrigin, matches),
    );
  }

  /** True if a worker holds the item and all its sources were withdrawn. */
  isWithdrawn(item: Item): boolean {
    const slot = this.#table.slotOf(this.#key(item));
    return slot !== undefined && this.#table.held[slot]?.isWithdrawn === true;
  }

  /** The number of ready items by priority, highest first. */
  depths(): Map<number, number> {
    return this.#backlog.depths();
  }

  /** The sum of the times for which items have been held, in ms. The cost is constant. */
  unfinishedMs(): number {
    return this.#heldItems.unfinishedMs(this.#now());
  }

  /**
   * The longest time for which an item has been held, in ms; 0 without held items. The cost is
   * constant.
   */
  longestRunningMs(): number {
    return this.#heldItems.longestRunningMs(this.#now());
  }

  /**
   * Withdraws the sources for which `matches` returns true from every entry and every held item. It
   * purges entries without a remaining source; held items stay with their workers. The backoff of a
   * purged item is reset unless the item is held. Returns the number of purged entries.
   */
  withdraw(matches: (source: Source) => boolean): number {
    const left = this.#remainingOrigins(matches);
    for (const held of this.#heldItems) held.reduce((origin) => left.get(origin) ?? origin);
    const purged = this.#backlog.withdraw(left);
    if (purged > 0) this.#observer?.purged?.(purged);
    this.#shrink();
    this.#settleDrain();
    return purged;
  }

  /**
   * Shuts the queue down: waiting `get`s resolve with `undefined`, queued items are dropped, later
   * adds are rejected. It resolves at once.
   * With `drain` it resolves when every held item is done, and items that are added again while
   * held are still handed out. A later call without `drain` ends the drain.
   */
  shutDown(options: ShutDownOptions = {}): Promise<void> {
    checkShutDownOptions(options);
    const drain = options.drain === true && this.#state !== 'closed';
    this.#state = drain ? 'draining' : 'closed';
    this.#backlog.clear(drain);
    this.#shrink();
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

  /**
   * Returns true if the queue accepts an add after `shutDown`, false if it drops the add; throws if
   * it rejects the add.
   */
  #accepts(
    key: unknown,
    held: HeldItem<Item, Cause, Source> | undefined,
    options: AddOptions<Cause>,
  ): boolean {
    const { rateLimited = false, after = 0 } = options;
    const drains = this.#state === 'draining' && held !== undefined;
    const now = this.#now();
    const isHeldBack = drains && this.#windows.admit(key, now, now) > now;
    if (held !== undefined && (rateLimited || (isHeldBack && after <= 0))) {
      this.#observer?.dropped?.();
      return false;
    }
    if (drains && after <= 0) return true;
    throw new WorkQueueError('QUEUE_SHUT_DOWN', { queue: this.name ?? '(unnamed)' });
  }

  /** Returns the time when an add is due that reports no failure. */
  #due(key: unknown, options: AddOptions<Cause>, now: number): number {
    const { after = 0 } = options;
    const wanted = after > 0 ? now + after : now;
    if (options.rateLimited === true) return Math.max(wanted, this.#windows.retryAt(key, now));
    return this.#windows.admit(key, wanted, now);
  }

  /** Merges an add into the entry of its key. */
  #collapse(key: unknown, slot: number, options: AddOptions<Cause>): void {
    const origin = this.#origins.extend(this.#table.origins[slot], options);
    this.#backlog.merge(slot, origin, options.priority ?? 0);
    if (this.#backlog.isReady(slot)) return;
    const now = this.#now();
    this.#backlog.advance(slot, this.#due(key, options, now), now);
  }

  /** Records the failure of a run and queues its retry, which keeps the sources of the run. */
  #addRetry(item: Item, key: unknown, slot: number | undefined, options: AddOptions<Cause>): void {
    const { after = 0, priority = 0 } = options;
    const now = this.#now();
    const due = Math.max(this.#windows.fail(key, now), now + after);
    const held = slot === undefined ? undefined : this.#table.held[slot];
    held?.fail();
    if (slot !== undefined && this.#table.place[slot] !== Place.nowhere) {
      const entry = this.#table.origins[slot] ?? new Origin(true);
      const origin = this.#origins.inherit(held?.origin, entry, options);
      this.#backlog.merge(slot, origin, priority);
      this.#backlog.advance(slot, due, now);
      return;
    }
    const origin = this.#retryOrigin(held, options, now);
    this.#backlog.enter(slot ?? this.#table.allocate(key), { item, priority, origin, due, now });
  }

  #retryOrigin(
    held: HeldItem<Item, Cause, Source> | undefined,
    options: AddOptions<Cause>,
    now: number,
  ): Origin<Cause, Source> | undefined {
    if (held === undefined) return this.#origins.begin(options, now);
    return this.#origins.inherit(held.origin, undefined, options);
  }

  /** Locks the key of an entry for the worker that receives it. */
  #hold(slot: number): HeldItem<Item, Cause, Source> {
    const table = this.#table;
    const startedAt = this.#now();
    const held = new HeldItem(
      table.items[slot] as Item,
      table.priority[slot] as number,
      this.#windows.take(table.keys[slot], startedAt),
      startedAt - (table.readyAt[slot] as number),
      startedAt,
      table.origins[slot],
      this.#heldItems.last,
    );
    this.#heldItems.push(held);
    table.clear(slot);
    table.held[slot] = held;
    return held;
  }

  /**
   * Computes the remaining origin of each origin with a withdrawn source. It changes nothing yet,
   * because `matches` may throw or call the queue.
   */
  #remainingOrigins(
    matches: (source: Source) => boolean,
  ): Map<Origin<Cause, Source>, Origin<Cause, Source>> {
    const left = new Map<Origin<Cause, Source>, Origin<Cause, Source>>();
    const held = Array.from(this.#heldItems, ({ origin }) => origin);
    for (const origin of [...this.#table.origins, ...held]) {
      if (origin === undefined) continue;
      const reduced = this.#origins.without(origin, matches);
      if (reduced !== origin) left.set(origin, reduced);
    }
    return left;
  }

  #dropped(slot: number): void {
    const key = this.#table.keys[slot];
    if (this.#table.held[slot] !== undefined) {
      this.#table.clear(slot);
      this.#windows.drop(key);
      return;
    }
    this.#windows.forget(key);
    this.#table.release(slot);
  }

  /** Frees the memory of a past burst. */
  #shrink(): void {
    if (this.#table.isSparse) this.#backlog.renumber(this.#table.compact());
  }

  #notify(): void {
    if (this.#backlog.available > 0) this.#waiters.wake();
  }

  #settleDrain(): void {
    if (this.#state === 'open') return;
    if (this.#state === 'draining' && (this.held > 0 || this.length > 0)) return;
    this.#state = 'closed';
    this.#drained?.resolve();
  }
}
