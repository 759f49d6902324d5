import { Backlog } from '../backlog/backlog.ts';
import { checkSignal, requireFunction } from '../contract/check-options.ts';
import { debounceOf, DueTimes } from './due-times.ts';
import {
  causedBy,
  clearEntry,
  EntryTable,
  HeldItems,
  Place,
  type Entry,
} from '../entries/entry-table.ts';
import type { Grouping } from '../contract/grouping.ts';
import { Origin, originOf, Origins, replaceOrigin } from '../entries/origin.ts';
import type { UserCode } from '../contract/user-code.ts';
import { ShutDown } from './shut-down.ts';
import { SourceChanges, type HeirsOf } from './source-changes.ts';
import { Waiters } from '../backlog/waiters.ts';
import type { ItemState } from '../contract/item-state.ts';
import type { WorkItem } from '../contract/work-item.ts';
import type { TurnClock } from '../contract/turn-clock.ts';
import {
  checkAddOptions,
  checkedAge,
  checkShutDownOptions,
  resolveLimits,
  resolveOptions,
  type AddOptions,
  type KeyOf,
  type LimitOptions,
  type ShutDownOptions,
  type WorkQueueOptions,
} from '../contract/work-queue-options.ts';
import type { WorkQueueObserver } from '../contract/work-queue-observer.ts';

const suspendsQuestion = {
  name: 'take.suspends',
  isValid: (result: unknown) => typeof result === 'boolean',
};

/** The options of an add without options: they need no check. */
const NO_OPTIONS: AddOptions<never> = Object.freeze({});

/**
 * A deduplicating queue with priorities, delays and backoff. A key has at most one entry, and a key that was handed out
 * is locked until `done`. `Cause` describes why an item was added, and `Source` is the origin of a cause. Without
 * `keyOf` the item is its own key.
 */
export class WorkQueue<Item, Cause = unknown, Source = Cause> implements AsyncDisposable {
  readonly name: string | undefined;
  readonly #keyOf: KeyOf<Item> | undefined;
  readonly #now: () => number;
  readonly #thisTurn: TurnClock['thisTurn'];
  readonly #grouping: Grouping<Item>;
  readonly #dueTimes: DueTimes;
  readonly #observer: WorkQueueObserver | undefined;
  readonly #onLeave: ((key: unknown) => void) | undefined;
  readonly #userCode: UserCode;
  readonly #table = new EntryTable<Item, Cause, Source>();
  readonly #heldItems = new HeldItems<Item, Cause, Source>();
  readonly #waiters: Waiters<WorkItem<Item, Cause>>;
  readonly #backlog: Backlog<Item, Cause, Source>;
  readonly #origins: Origins<Cause, Source>;
  readonly #sources: SourceChanges<Item, Cause, Source>;
  readonly #shutDown: ShutDown;

  constructor(options: WorkQueueOptions<Item, Cause, Source> = {}) {
    const resolved = resolveOptions(options);
    this.name = resolved.name;
    this.#keyOf = resolved.keyOf;
    this.#now = resolved.now;
    this.#thisTurn = resolved.thisTurn;
    this.#grouping = resolved.grouping;
    this.#userCode = resolved.userCode;
    this.#onLeave = resolved.onLeave;
    this.#waiters = new Waiters(() => this.take(), resolved.userCode);
    this.#dueTimes = new DueTimes(resolved.rateLimiter);
    this.#observer = resolved.observer;
    this.#backlog = new Backlog({
      ...resolved,
      table: this.#table,
      weightOf: (path) => resolved.grouping.weightOf(path),
      hasGroups: resolved.grouping.isUsed,
      waiters: this.#waiters,
    });
    this.#origins = new Origins(resolved);
    this.#shutDown = new ShutDown(this.name ?? '(unnamed)');
    this.#sources = new SourceChanges({
      ...resolved,
      table: this.#table,
      heldItems: this.#heldItems,
      backlog: this.#backlog,
      origins: this.#origins,
    });
  }

  /** The number of ready items, including suspended ones and held keys that were added again, without waiting items. */
  get length(): number {
    return this.#backlog.ready.length;
  }

  /** The number of items whose delay has not ended. */
  get waiting(): number {
    return this.#backlog.waiting.size;
  }

  /** The number of items that were handed out and are not done. */
  get held(): number {
    return this.#heldItems.size;
  }

  /** True from the first call of `shutDown`. */
  get isShutDown(): boolean {
    return this.#shutDown.state !== 'open';
  }

  /**
   * Queues an item. A queued item keeps its single entry, with the earlier time and the higher priority. Throws
   * `INVALID_OPTION`, and `QUEUE_SHUT_DOWN` after `shutDown`, except for a rate-limited add of a held item: it is
   * dropped, so that a worker can report.
   */
  add(item: Item, options: AddOptions<Cause> = NO_OPTIONS): void {
    if (options !== NO_OPTIONS) checkAddOptions(options);
    const key = this.#key(item);
    if (this.#shutDown.state !== 'open' && !this.#accepts(key, options)) return;
    const entry = this.#table.get(key);
    if (options.rateLimited === true && isFailure(entry)) {
      this.#addRetry(item, key, entry, options);
    } else if (entry !== undefined && entry.place >= Place.waiting) {
      this.#collapse(entry, options);
    } else {
      const { after, debounce, rateLimited } = options;
      const isDelayed = after !== undefined || debounce !== undefined || rateLimited === true;
      const now = isDelayed ? this.#now() : this.#thisTurn();
      const due =
        isDelayed || !this.#dueTimes.isEmpty
          ? this.#dueTimes.due(key, options, now, Infinity)
          : now;
      const claimed = this.#table.claim(key, entry, item, options.priority ?? 0);
      if (this.#grouping.isUsed) claimed.group = this.#grouping.groupOf(item);
      if (options.causes === undefined) causedBy(claimed, options.cause, now);
      else this.#origins.begin(claimed, options, now);
      if (due <= now) this.#backlog.makeReady(claimed, now);
      else this.#backlog.delay(claimed, due, debounceOf(options) === undefined);
    }
  }

  /**
   * Locks and returns the best ready item whose key is not locked; `undefined` without such an item. An item for which
   * `suspends` returns true is not handed out: it stays queued as it is, counts as ready, and no `take` returns it before
   * `resume`. After many such items the call returns `undefined`, and calls the listeners again.
   */
  take(suspends?: (item: Item) => boolean): WorkItem<Item, Cause> | undefined {
    if (this.#userCode.running !== undefined) this.#userCode.refuseReentry();
    const { ready, waiting } = this.#backlog;
    const isDelayed = waiting.size > 0 || !this.#dueTimes.isEmpty;
    const now = isDelayed ? this.#now() : this.#thisTurn('once');
    if (waiting.size > 0) this.#backlog.promote(now);
    const refuses = suspends === undefined ? undefined : this.#guardedSuspends(suspends);
    const entry = ready.take(now, refuses) as Entry<Item, Cause, Source> | undefined;
    if (entry === undefined) {
      if (ready.available > 0) this.#backlog.wakeWaiters();
      return undefined;
    }
    const failures = this.#dueTimes.isEmpty ? 0 : this.#dueTimes.take(entry.key, now);
    const work = this.#heldItems.hold(entry, failures, now);
    this.#onLeave?.(entry.key);
    this.#observer?.depthChanged?.(work.priority, -1);
    this.#observer?.taken?.(work.priority, work.queuedMs);
    return work;
  }

  /** Lets a suspended item be handed out again, at its old place. Returns false for an item that is not suspended. */
  resume(item: Item): boolean {
    const entry = this.#table.get(this.#key(item));
    if (entry?.place !== Place.suspended) return false;
    this.#backlog.unlock(entry);
    return true;
  }

  /** Waits for an item to take; `undefined` after `shutDown`. Rejects with the reason of `signal` when it aborts. */
  get(signal?: AbortSignal): Promise<WorkItem<Item, Cause> | undefined> {
    if (signal !== undefined) checkSignal(signal);
    if (signal?.aborted === true) return Promise.reject(signal.reason as Error);
    const work = this.#waiters.size === 0 ? this.take() : undefined;
    if (work !== undefined || this.isShutDown) return Promise.resolve(work);
    return this.#waiters.wait(signal);
  }

  /**
   * Calls `listener` in a microtask when items are available and no `get` waits for them. The listener calls `take`
   * until it is busy or gets `undefined`. Adds of one turn cause one call, so that the highest priority is taken first.
   * It runs in the async context of the add that caused the call. Returns a function that removes the listener.
   */
  onAvailable(listener: () => void): () => void {
    requireFunction('onAvailable.listener', listener);
    const stop = this.#waiters.listen(listener);
    this.#backlog.wakeWaiters();
    return stop;
  }

  /** Unlocks the key of an item. An item that was added while held is handed out again. No effect without a lock. */
  done(item: Item): void {
    if (this.#userCode.running !== undefined) this.#userCode.refuseReentry();
    const last = this.#heldItems.lastEntry;
    const entry = last?.held?.item === item ? last : this.#table.get(this.#key(item));
    const held = entry === undefined ? undefined : this.#heldItems.release(entry);
    if (entry === undefined || held === undefined) return;
    this.#observer?.finished?.(this.#now() - held.startedAt);
    if (entry.place >= Place.waiting) this.#backlog.unlock(entry);
    else this.#table.release(entry);
    if (this.#shutDown.state !== 'open') this.#settleDrain();
  }

  /**
   * Resets the backoff of an item, which stays queued or held. An add that waited only for the backoff becomes due at
   * the time that it requested.
   */
  forget(item: Item): void {
    const key = this.#key(item);
    // Without a backoff the failures of the key are 0 in the limiters of this package, so there is nothing to reset.
    if (this.#dueTimes.isEmpty && !this.#dueTimes.isForeign) return;
    const due = this.#dueTimes.forget(key);
    if (due === undefined) return;
    const entry = this.#table.get(key);
    if (entry !== undefined) this.#backlog.advance(entry, due, this.#now());
  }

  /** The number of failed attempts of this item since the last `forget`, as `WorkItem.failures`. */
  failures(item: Item): number {
    return this.#dueTimes.failures(this.#key(item));
  }

  /** True if the item is ready, waits, or is held by a worker. */
  has(item: Item): boolean {
    const entry = this.#table.get(this.#key(item));
    return entry !== undefined && (entry.place >= Place.waiting || entry.held !== undefined);
  }

  /** Returns where an item is; `undefined` for one that is neither queued nor held. */
  stateOf(item: Item): ItemState | undefined {
    const entry = this.#table.get(this.#key(item));
    if (entry === undefined) return undefined;
    const { at, priority, place } = entry;
    const isHeld = entry.held !== undefined;
    if (place < Place.waiting) return isHeld ? { isHeld, queued: undefined } : undefined;
    const isSuspended = place === Place.suspended;
    const isReady = this.#backlog.isReady(entry);
    return { isHeld, queued: { isReady, isSuspended, at, priority } };
  }

  /** True until the retry of the last failure is due. A failure that is reported before it is not a new attempt. */
  isBackingOff(item: Item): boolean {
    return this.#dueTimes.isBackingOff(this.#key(item), this.#now());
  }

  /**
   * Lets the next add of an item run before the end of its backoff, although an early run came before: for a person
   * who asks for a run. The backoff and its failures stay, and the early run does not count as an attempt.
   */
  allowEarlyRun(item: Item): void {
    this.#dueTimes.allowEarlyRun(this.#key(item));
  }

  /** The time on the queue's clock at which the retry of the last failure is due; `undefined` after `forget`. */
  backoffEnd(item: Item): number | undefined {
    return this.#dueTimes.backoffEnd(this.#key(item));
  }

  /** True if a worker holds the key of the item. */
  isHeld(item: Item): boolean {
    return this.#table.get(this.#key(item))?.held !== undefined;
  }

  /** The held items, in the order in which they were handed out. */
  processing(): WorkItem<Item, Cause>[] {
    return [...this.#heldItems];
  }

  /** The held items with a cause of a matching source, also if the source was withdrawn. */
  processingFor(matches: (source: Source) => boolean): WorkItem<Item, Cause>[] {
    return this.#sources.heldFor(matches);
  }

  /** True if a worker holds the item and all its sources were withdrawn. */
  isWithdrawn(item: Item): boolean {
    return this.#table.get(this.#key(item))?.held?.isWithdrawn === true;
  }

  /** The number of ready items by priority, highest first. */
  depths(): Map<number, number> {
    return this.#backlog.ready.depths();
  }

  /** The sum of the times for which items have been held, in ms. The cost is constant. */
  unfinishedMs(): number {
    return this.#heldItems.unfinishedMs(this.#now());
  }

  /** The longest time for which an item has been held, in ms; 0 without held items. The cost is constant. */
  longestRunningMs(): number {
    return this.#heldItems.longestRunningMs(this.#now());
  }

  /**
   * Withdraws the matching sources from every entry and held item, and purges entries without a remaining source. The
   * backoff of a purged item is reset, unless a worker holds it and has not reported a failure. Returns the number of
   * purged entries.
   */
  withdraw(matches: (source: Source) => boolean): number {
    return this.#purged(this.#sources.withdraw(matches));
  }

  /** Replaces the causes of matching sources in every entry and held item, and purges as `withdraw` does. */
  reassign(matches: (source: Source) => boolean, heirsOf: HeirsOf<Item, Cause>): number {
    return this.#purged(this.#sources.reassign(matches, heirsOf));
  }

  /**
   * Purges the queued entries of the matching items, as `withdraw` does. Held items stay. Returns the number. `sources`
   * are those of the entry, and are found when they are read.
   */
  purge(matches: (item: Item, sources: Iterable<Source>) => boolean): number {
    return this.#purged(this.#sources.purge(matches));
  }

  /**
   * Replaces `backoff` or `rateLimiter` for the next failures. Times and attempts so far stay. Throws `INVALID_OPTION`.
   */
  limitRetries(options: LimitOptions): void {
    this.#dueTimes.limitBy(resolveLimits(options, this.#userCode));
  }

  /** Replaces `ageAfter`, also for the items that are ready. Throws `INVALID_OPTION`. */
  set ageAfter(milliseconds: number) {
    this.#backlog.ready.ageAfter(checkedAge(milliseconds));
  }

  /**
   * Shuts the queue down: waiting `get`s resolve with `undefined`, queued items are dropped, later adds are rejected.
   * It resolves at once. With `drain` it resolves when every held item is done, and items that are added again while
   * held are still handed out, also suspended ones after `resume`. A later call without `drain` ends the drain.
   */
  shutDown(options: ShutDownOptions = {}): Promise<void> {
    checkShutDownOptions(options);
    this.#userCode.refuseReentry();
    const drains = this.#shutDown.begin(options.drain === true);
    for (const entry of this.#backlog.clear(drains)) this.#leave(entry);
    this.#waiters.end();
    const end = this.#shutDown.end();
    this.#settleDrain();
    return end;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.shutDown();
  }

  #key(item: Item): unknown {
    if (this.#userCode.running !== undefined) this.#userCode.refuseReentry();
    const keyOf = this.#keyOf;
    if (keyOf === undefined) return item;
    return typeof keyOf === 'function' ? this.#userCode.keyOf(keyOf, item) : item[keyOf];
  }

  /** An item for which the function fails is not suspended. */
  #guardedSuspends(
    suspends: (item: Item) => boolean,
  ): (entry: { readonly item: unknown }) => boolean {
    requireFunction('take.suspends', suspends);
    return ({ item }) => this.#userCode.ask(suspendsQuestion, suspends, item as Item) === true;
  }

  /** Merges an add into the entry of its key. */
  #collapse(entry: Entry<Item, Cause, Source>, options: AddOptions<Cause>): void {
    this.#origins.extend(entry, options);
    this.#backlog.raise(entry, options.priority ?? 0);
    if (this.#backlog.isReady(entry)) return;
    const now = this.#now();
    if (debounceOf(options) === undefined) {
      this.#advance(entry, this.#dueTimes.due(entry.key, options, now, Infinity), now);
      return;
    }
    // An entry that is due is not postponed, even if the timer is late.
    if (entry.at <= now) return;
    const due = this.#dueTimes.due(entry.key, options, now, entry.at);
    this.#backlog.reschedule(entry, Math.min(due, this.#dueTimes.fixedAt(entry.key)), now);
  }

  #advance(entry: Entry<Item, Cause, Source>, due: number, now: number): void {
    this.#dueTimes.fix(entry.key, due);
    this.#backlog.advance(entry, due, now);
  }

  /** Records the failure of a run and queues its retry, which keeps the sources of the run. */
  #addRetry(
    item: Item,
    key: unknown,
    known: Entry<Item, Cause, Source> | undefined,
    options: AddOptions<Cause>,
  ): void {
    const { after = 0, priority = 0 } = options;
    const now = this.#now();
    const due = Math.max(this.#dueTimes.fail(key, now, options.backoff), now + after);
    const held = known?.held;
    if (held !== undefined) held.hasFailed = true;
    if (known !== undefined && known.place >= Place.waiting) {
      const origin = originOf(known) ?? new Origin(true);
      replaceOrigin(known, this.#origins.inherit(held?.origin, origin, options));
      this.#backlog.raise(known, priority);
      this.#advance(known, due, now);
      return;
    }
    const entry = this.#table.claim(key, known, item, priority);
    if (this.#grouping.isUsed) entry.group = this.#grouping.groupOf(item);
    if (held === undefined) this.#origins.begin(entry, options, now);
    else replaceOrigin(entry, this.#origins.inherit(held.origin, undefined, options));
    if (due <= now) this.#backlog.makeReady(entry, now);
    else this.#backlog.delay(entry, due, true);
  }

  /** Returns false for a dropped add after `shutDown`; throws for a rejected one. */
  #accepts(key: unknown, options: AddOptions<Cause>): boolean {
    const isHeld = this.#table.get(key)?.held !== undefined;
    const isHeldBack =
      this.#shutDown.state === 'draining' && this.#dueTimes.holdsBack(key, this.#now());
    if (this.#shutDown.accepts({ isHeld, isHeldBack }, options)) return true;
    this.#observer?.dropped?.();
    return false;
  }

  /** Releases purged entries. Returns their number. */
  #purged(entries: readonly Entry<Item, Cause, Source>[]): number {
    for (const entry of entries) this.#leave(entry);
    if (entries.length > 0) this.#observer?.purged?.(entries.length);
    this.#settleDrain();
    return entries.length;
  }

  /** Ends an entry that was dropped before it was handed out. */
  #leave(entry: Entry<Item, Cause, Source>): void {
    const { key, held } = entry;
    // A worker that has not reported a failure may still do so, and then continues the backoff.
    this.#dueTimes.drop(key, held?.hasFailed === false);
    clearEntry(entry);
    if (held === undefined) this.#table.release(entry);
    this.#onLeave?.(key);
  }

  #settleDrain(): void {
    this.#shutDown.settle(this.held + this.length);
  }
}

/**
 * True if a rate-limited add counts as a failure: the first one of a run, or one that creates an entry without a run.
 */
function isFailure<Item, Cause, Source>(entry: Entry<Item, Cause, Source> | undefined): boolean {
  if (entry === undefined) return true;
  return entry.held === undefined ? entry.place < Place.waiting : !entry.held.hasFailed;
}
