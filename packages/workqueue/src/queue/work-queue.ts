import { Backlog } from '../backlog/backlog.ts';
import { BackoffWindows } from './backoff-windows.ts';
import { checkSignal } from '../contract/check-options.ts';
import { EntryTable, Place } from '../backlog/entry-table.ts';
import { WorkQueueError } from '../errors.ts';
import type { HeldItem } from '../backlog/held-item.ts';
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
 * A deduplicating queue with priorities, delays and backoff: at most one entry per key, and a key
 * that was handed out is locked until `done`.
 *
 * `Item` is what is queued, `Cause` what may be said about why, `Source` what a cause comes from. Without `keyOf` the item is its own
 * key (strings, numbers, or objects by identity).
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
  /** `draining`: only undelayed re-adds of held keys are accepted. `closed`: nothing is. */
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
    return this.#heldItems.size;
  }

  /** True from the first call of `shutDown`. */
  get isShutDown(): boolean {
    return this.#state !== 'open';
  }

  /**
   * Queues an item. An item already queued keeps its one entry: the earlier time and the higher
   * priority win. Throws `QUEUE_SHUT_DOWN` after `shutDown`, `INVALID_OPTION` for an invalid option.
   * After `shutDown`, a rate-limited add of a held item is dropped instead of refused: a worker that
   * reports a failure goes on.
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

  /** The best ready item whose key is free, now locked; `undefined` when there is none. */
  take(): WorkItem<Item, Cause> | undefined {
    const slot = this.#backlog.take();
    if (slot === -1) return undefined;
    const work = this.#hold(slot);
    this.#observer?.depthChanged?.(work.priority, -1);
    this.#observer?.taken?.(work.priority, work.queuedMs);
    return work;
  }

  /** Like `take`, but waits for an item; `undefined` once the queue is shut down. Rejects when `signal` aborts. */
  get(signal?: AbortSignal): Promise<WorkItem<Item, Cause> | undefined> {
    checkSignal(signal);
    if (signal?.aborted === true) return Promise.reject(signal.reason as Error);
    const work = this.#waiters.size === 0 ? this.take() : undefined;
    if (work !== undefined || this.isShutDown) return Promise.resolve(work);
    return this.#waiters.wait(signal);
  }

  /**
   * Calls `listener` in a microtask after items became available and no `get` waited for them: a
   * consumer without promises then calls `take` until it is full or gets `undefined`. Adds of one
   * turn are told once, so that the best of them goes first. The listener runs in the async context of
   * the add that wakes it. Returns the way to stop.
   */
  onAvailable(listener: () => void): () => void {
    const stop = this.#waiters.listen(listener);
    this.#announce();
    return stop;
  }

  /** Unlocks the item's key; what was added meanwhile goes out next. Harmless for a key that is not locked. */
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
   * Resets the backoff of an item; it stays queued or held if it is. An add that waited only for the
   * backoff to end is due at the time that it asked for.
   */
  forget(item: Item): void {
    const key = this.#key(item);
    const wantedAt = this.#windows.forget(key);
    const slot = wantedAt === Infinity ? undefined : this.#table.slotOf(key);
    if (slot !== undefined) this.#backlog.advance(slot, wantedAt, this.#now());
  }

  /** Failed runs of this item since the last `forget`: rate-limited adds that were charged. */
  failures(item: Item): number {
    return this.#windows.failures(this.#key(item));
  }

  /** Whether a worker holds the item's key. */
  isHeld(item: Item): boolean {
    const slot = this.#table.slotOf(this.#key(item));
    return slot !== undefined && this.#table.held[slot] !== undefined;
  }

  /** Held items, in the order in which they went out. */
  processing(): WorkItem<Item, Cause>[] {
    return [...this.#heldItems];
  }

  /** Held items with a cause of a matching source, also if that was withdrawn since. */
  processingFor(matches: (source: Source) => boolean): WorkItem<Item, Cause>[] {
    return [...this.#heldItems].filter(({ asked }) => this.#origins.has(asked, matches));
  }

  /** Whether a worker holds the item and every source that asked for it was withdrawn. */
  isWithdrawn(item: Item): boolean {
    const slot = this.#table.slotOf(this.#key(item));
    return slot !== undefined && this.#table.held[slot]?.isWithdrawn === true;
  }

  /** Ready items by priority, highest first. */
  depths(): Map<number, number> {
    return this.#backlog.depths();
  }

  /** Added up over the held items: how long each has been held, in ms. Its cost is constant. */
  unfinishedMs(): number {
    return this.#heldItems.unfinishedMs(this.#now());
  }

  /** How long the item held longest has been held, in ms; 0 if none is. Its cost is constant. */
  longestRunningMs(): number {
    return this.#heldItems.longestRunningMs(this.#now());
  }

  /**
   * Withdraws the sources for which `matches` is true from every entry and every held item. An entry
   * whose sources are all withdrawn is purged; held items are left to their workers. The backoff of a
   * purged item is forgotten unless it is held. Returns how many were purged.
   */
  withdraw(matches: (source: Source) => boolean): number {
    const left = this.#leftOf(matches);
    for (const held of this.#heldItems) held.reduce((origin) => left.get(origin) ?? origin);
    const purged = this.#backlog.withdraw(left);
    if (purged > 0) this.#observer?.purged?.(purged);
    this.#shrink();
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

  /** Whether an add counts after `shutDown`; throws if the add is refused. */
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

  /** When an add is due that reports no failure. */
  #due(key: unknown, options: AddOptions<Cause>, now: number): number {
    const { after = 0 } = options;
    const wanted = after > 0 ? now + after : now;
    if (options.rateLimited === true) return Math.max(wanted, this.#windows.retryAt(key, now));
    return this.#windows.admit(key, wanted, now);
  }

  /** Folds an add into the entry of its key. */
  #collapse(key: unknown, slot: number, options: AddOptions<Cause>): void {
    const origin = this.#origins.extend(this.#table.origins[slot], options);
    this.#backlog.merge(slot, origin, options.priority ?? 0);
    if (this.#backlog.isReady(slot)) return;
    const now = this.#now();
    this.#backlog.advance(slot, this.#due(key, options, now), now);
  }

  /** Records the failure of a run and queues its retry, which keeps what asked for the run. */
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

  /** Locks the key of an entry for the worker that is given it. */
  #hold(slot: number): HeldItem<Item, Cause, Source> {
    const table = this.#table;
    const startedAt = this.#now();
    const facts = {
      item: table.items[slot] as Item,
      priority: table.priority[slot] as number,
      failures: this.#windows.take(table.keys[slot], startedAt),
      queuedMs: startedAt - (table.readyAt[slot] as number),
      startedAt,
    };
    const held = this.#heldItems.push(facts, table.origins[slot]);
    table.clear(slot);
    table.held[slot] = held;
    return held;
  }

  /** What is left of each origin that has a source to withdraw, before anything changes: `matches` may throw or use the queue. */
  #leftOf(matches: (source: Source) => boolean): Map<Origin<Cause, Source>, Origin<Cause, Source>> {
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

  /** Gives the memory of a burst back. */
  #shrink(): void {
    if (this.#table.isSparse) this.#backlog.renumber(this.#table.compact());
  }

  #announce(): void {
    if (this.#backlog.available > 0) this.#waiters.wake();
  }

  #settleDrain(): void {
    if (this.#state === 'open') return;
    if (this.#state === 'draining' && (this.held > 0 || this.length > 0)) return;
    this.#state = 'closed';
    this.#drained?.resolve();
  }
}
