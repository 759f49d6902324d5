import type { Clock } from '@keelson/apimachinery';
import { asError, informerError } from '../errors.ts';
import type { HealthRecord } from '../contract/watch-health.ts';
import { IdleWatchdog } from './timing/idle-watchdog.ts';
import type { ListCause, RestartCause } from '../contract/informer-observer.ts';
import { ListReader } from './list-reader.ts';
import type { ListerWatcher, WatchRequest } from '../contract/lister-watcher.ts';
import { Pause } from './timing/pause.ts';
import { PartGrowth, type Addition } from './part-growth.ts';
import { Recovery } from './recovery.ts';
import { isOlder } from './resource-version.ts';
import type { PartSelection } from '../contract/watch-part.ts';
import type { ReflectorObserver, ReflectorSink } from './reflector-sink.ts';
import type { ComparingState, ReflectorState, WaitingState } from './reflector-state.ts';
import { RequestedRelist } from './requested-relist.ts';
import { checkReached, compareNewest, isGoneFrom } from './server-checks.ts';
import type { ReconnectSpread } from './timing/reconnect-spread.ts';
import type { FreeSlot, StartSlots } from './timing/start-slots.ts';
import type { WatchListSupport } from './watch-list-support.ts';
import { watchSeconds, WatchStream, type StreamEnd } from './watch-stream.ts';

/** Milliseconds without data after which a request is aborted. */
const IDLE_TIMEOUT_MS = 60_000;

/**
 * Milliseconds between two waits that the source may end. A source that reports a server as back although each attempt
 * fails would otherwise be asked without a pause.
 */
const MIN_BACK_MS = 1_000;

/** The source, the target and the shared parts of a reflector. */
export interface ReflectorOptions {
  /** The watched kind, for messages. */
  readonly subject: string;
  readonly listerWatcher: () => ListerWatcher;
  readonly sink: ReflectorSink;
  readonly health: HealthRecord;
  readonly support: WatchListSupport;
  readonly spread: ReconnectSpread;
  readonly starts: StartSlots;
  /** The number of objects in one page of a list. */
  readonly pageSize: () => number;
  /** The part of the objects that the next list or watch selects; it is read when that begins. Default: all. */
  readonly selection?: (() => PartSelection) | undefined;
  readonly observer: ReflectorObserver;
  readonly now: () => number;
  /** Starts the timers. Default: the clock of the system. */
  readonly clock?: Clock | undefined;
  readonly random: () => number;
}

/**
 * Keeps a store equal to the API server through every kind of failure. It relists only when it
 * must: it resumes from the last seen version after any other end of a watch.
 */
export class Reflector {
  readonly #options: ReflectorOptions;
  readonly #recovery: Recovery;
  readonly #watchdog: IdleWatchdog;
  readonly #pause: Pause;
  readonly #relist = new RequestedRelist();
  #source: { readonly listerWatcher: ListerWatcher; readonly lists: ListReader } | undefined;
  #abort = new AbortController();
  /** True if `wake` was called during an attempt, which may have started before the server served the kind. */
  #wakeRequested = false;
  #stopped = false;
  /** True while the stream ends because the next one selects another part. */
  #reselects = false;
  /** The selection of the last stream. */
  #selection: PartSelection = {};
  /** The version up to which the store is current; `""` before the first sync. */
  #version = '';
  /**
   * The version from which the next watch starts, if it is older than `#version`: the part has grown, and the store has
   * only some objects up to `#version`.
   */
  #resumeAt: string | undefined;
  /** The growth of the part that has not ended. */
  #growth: PartGrowth | undefined;
  #listCause: ListCause = 'initial';
  /** Frees the slot of the first attempt; `undefined` when it has ended. */
  #freeSlot: FreeSlot | undefined;
  /** The time when the source last ended a wait, in monotonic milliseconds. */
  #backAt = -Infinity;

  constructor(options: ReflectorOptions) {
    this.#options = options;
    this.#recovery = new Recovery(options);
    this.#watchdog = new IdleWatchdog(options.now, options.clock);
    this.#pause = new Pause(options.clock);
  }

  /** The time of the last data from the server, in monotonic milliseconds. */
  get lastActivityAt(): number | undefined {
    return this.#watchdog.lastDataAt;
  }

  /** Runs until `stop`; the promise settles when the last request has ended. */
  async run(): Promise<void> {
    let state: ReflectorState = { name: 'relisting', cause: 'initial' };
    await this.#takeSlot();
    while (!this.#stopped) {
      if (state.name === 'waiting') this.#started();
      if (this.#relist.take()) state = { name: 'relisting', cause: 'requested' };
      state = await this.#step(state).catch((error: unknown) => this.#restart(error));
    }
  }

  /** Waits until the first attempt may begin. */
  async #takeSlot(): Promise<void> {
    const slot = this.#options.starts.take(this.#abort.signal);
    this.#freeSlot = slot instanceof Promise ? await slot : slot;
    if (this.#stopped) this.#started();
  }

  /** Records that the first attempt has ended. */
  #started(): void {
    this.#freeSlot?.();
    this.#freeSlot = undefined;
  }

  stop(): void {
    this.#stopped = true;
    this.#started();
    this.#endGrowth();
    this.#abort.abort();
    this.#pause.end();
    this.#relist.stop(informerError('CACHE_CLOSED'));
  }

  /** Lists again at once. Resolves when the handlers have received the differences. */
  async relist(): Promise<void> {
    if (this.#stopped) throw informerError('CACHE_CLOSED');
    await this.#relist.request(() => {
      if (this.#relist.isDue) this.#abort.abort();
      this.#pause.end();
    });
  }

  /**
   * Lists further objects beside the running stream, and then resumes it with the present selection. Resolves with false
   * if the watch must list all objects instead.
   */
  async grow(addition: Addition): Promise<boolean> {
    const isLive = !this.#stopped && this.#options.health.current.state === 'live';
    if (!isLive || this.#growth !== undefined || this.#resumeAt !== undefined) return false;
    const growth = new PartGrowth(addition);
    this.#growth = growth;
    const isListed = await growth.list(async ({ list, selection }, signal) => {
      const { lists } = this.#open();
      return lists
        .with({ sink: { replacement: () => list }, selection: () => selection })
        .read(this.#version, signal);
    });
    if (isListed) this.#interrupt();
    else if (this.#growth === growth) this.#growth = undefined;
    return growth.merged;
  }

  /** Ends a live stream, so that the next one has the present selection. */
  #interrupt(): void {
    if (this.#stopped || this.#reselects || this.#options.health.current.state !== 'live') return;
    this.#reselects = true;
    this.#abort.abort();
  }

  /** Resumes a live watch with the present selection, which selects no objects that the last one did not. */
  reselect(): void {
    if (!isSame(this.#options.selection?.() ?? {}, this.#selection)) this.#interrupt();
  }

  /** Retries now, or after a running attempt: the server has started to serve the kind. */
  wake(): void {
    this.#wakeRequested = true;
    if (this.#isParked) this.#pause.end();
  }

  /** True while the reflector waits because the server does not serve the kind, or the memory budget has no room. */
  get #isParked(): boolean {
    const { state } = this.#options.health.current;
    return state === 'parked' || state === 'over-budget';
  }

  async #step(state: ReflectorState): Promise<ReflectorState> {
    switch (state.name) {
      case 'relisting': {
        this.#wakeRequested = false;
        if (this.#recovery.isUnordered) this.#options.sink.distrustVersions();
        const name = this.#options.support.isExpected ? 'watch-listing' : 'listing';
        return { name, cause: state.cause };
      }
      case 'watch-listing':
        return this.#watchList(state.cause);
      case 'listing':
        return this.#list(state.cause);
      case 'watching':
        return this.#watch(state.cause);
      case 'checking':
      case 'comparing':
        return this.#compare(state);
      case 'waiting':
        if (!(this.#wakeRequested && this.#isParked)) await this.#wait(state);
        this.#wakeRequested = false;
        return state.next;
    }
  }

  /** Waits for the delay, but not after the server responds again. */
  async #wait({ delay, failure }: WaitingState): Promise<void> {
    const over = new AbortController();
    const isSettled = this.#options.now() - this.#backAt >= MIN_BACK_MS;
    if (failure !== undefined && isSettled) void this.#endWhenBack(failure, over.signal);
    await this.#pause.wait(delay);
    over.abort();
  }

  /** Ends the delay when the source reports that the server is back. */
  async #endWhenBack(failure: Error, signal: AbortSignal): Promise<void> {
    try {
      const back = this.#source?.listerWatcher.recovered?.(failure, signal);
      if (back === undefined) return;
      await back;
    } catch {
      // The delay ends by itself.
      return;
    }
    if (signal.aborted) return;
    this.#backAt = this.#options.now();
    this.#recovery.serverIsBack();
    this.#pause.end();
  }

  async #watchList(cause: ListCause): Promise<ReflectorState> {
    this.#beginList(cause);
    const end = await this.#stream({
      resourceVersion: this.#recovery.needsNewest ? '' : this.#version,
      resourceVersionMatch: 'NotOlderThan',
      sendInitialEvents: true,
    });
    if (this.#relist.isDue) return { name: 'relisting', cause: 'requested' };
    if (this.#isReselected) return { name: 'watching', cause: undefined };
    if (end.how !== 'ended' || !end.complete) this.#report(end.error);
    return this.#recovery.afterWatchList(end, cause);
  }

  async #list(cause: ListCause): Promise<ReflectorState> {
    this.#beginList(cause);
    const from = this.#recovery.needsNewest ? '' : this.#version || '0';
    try {
      this.#version = await this.#ask(async (signal) => this.#open().lists.read(from, signal));
    } catch (error) {
      return await this.#afterFailedList(asError(error), cause);
    }
    const next = this.#recovery.afterList(this.#version, from);
    if (next.name === 'watching') {
      this.#started();
      this.#relist.synced();
    }
    return next;
  }

  #beginList(cause: ListCause): void {
    this.#relist.listing();
    this.#endGrowth();
    this.#listCause = cause;
    this.#options.health.listing(cause);
    this.#options.observer.listing(cause);
  }

  /** Ends a growth of the part: the list that begins has all objects. */
  #endGrowth(): void {
    this.#growth?.cancel();
    this.#growth = undefined;
    this.#resumeAt = undefined;
  }

  /** Makes the next stream start with all objects of the part, if a growth has listed the further ones. */
  #merge(): void {
    if (this.#growth?.isListed !== true) return;
    const { version, resumeAt } = this.#growth.merge(this.#version);
    this.#growth = undefined;
    this.#resumeAt = version === resumeAt ? undefined : resumeAt;
    this.#version = version;
  }

  async #afterFailedList(error: Error, cause: ListCause): Promise<ReflectorState> {
    this.#report(error);
    if (!(await this.#isGone(error))) return this.#recovery.afterFailedList(error, cause);
    if (this.#version !== '') await this.#removeAll();
    return this.#recovery.afterNotServed(error);
  }

  async #isGone(error: Error): Promise<boolean> {
    if (this.#stopped) return false;
    const { listerWatcher } = this.#open();
    try {
      return await this.#ask(async (signal) => isGoneFrom(listerWatcher, error, signal));
    } catch (unconfirmed) {
      this.#report(asError(unconfirmed));
      return false;
    }
  }

  /** Removes every object, because the server does not serve the kind. */
  async #removeAll(): Promise<void> {
    this.#version = '';
    await this.#options.sink.replacement().commit('', this.#options.now());
  }

  async #watch(cause: RestartCause | undefined): Promise<ReflectorState> {
    if (cause !== undefined) this.#options.observer.restarting(cause);
    this.#merge();
    const end = await this.#stream({ resourceVersion: this.#resumeAt ?? this.#version });
    // The relist ended the stream, so its end is not reported as an error.
    if (this.#relist.isDue) return { name: 'relisting', cause: 'requested' };
    if (this.#isReselected) return { name: 'watching', cause: undefined };
    if (end.how !== 'ended') this.#report(end.error);
    return this.#recovery.afterWatch(end);
  }

  /**
   * Reads one object to check that the server has reached the last seen version, or to find out whether it has a newer
   * one.
   */
  async #compare({ name, cause }: ComparingState): Promise<ReflectorState> {
    const check = name === 'checking' ? checkReached : compareNewest;
    try {
      const found = await this.#ask(async (signal) =>
        check(this.#open().listerWatcher, this.#version, signal),
      );
      if (found === 'behind') this.#options.sink.forgetVersions();
      return this.#recovery.afterComparison(found, cause);
    } catch (error) {
      this.#report(asError(error));
      return this.#recovery.afterFailedComparison(asError(error), { name, cause });
    }
  }

  /** Sends a request, which the watchdog ends after a minute of silence. */
  async #ask<T>(request: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const signal = this.#begin();
    this.#watchdog.start(IDLE_TIMEOUT_MS, () => this.#abort.abort(informerError('WATCH_IDLE')));
    try {
      return await request(signal);
    } catch (error) {
      throw asError(signal.aborted ? signal.reason : error);
    } finally {
      this.#watchdog.stop();
    }
  }

  async #stream(request: Omit<WatchRequest, 'signal'>): Promise<StreamEnd> {
    const { sink, now, random, health } = this.#options;
    const selection = this.#options.selection?.() ?? {};
    this.#selection = selection;
    this.#begin();
    const stream = new WatchStream(
      {
        listerWatcher: this.#open().listerWatcher,
        sink,
        now,
        watchdog: this.#watchdog,
        abort: this.#abort,
        onSyncing: () => health.syncing(this.#listCause),
        onLive: () => health.live(),
        onSynced: (version) => this.#synced(version),
      },
      {
        ...request,
        ...selection,
        allowWatchBookmarks: true,
        timeoutSeconds: watchSeconds(random),
      },
    );
    try {
      return await stream.run();
    } finally {
      if (stream.version !== undefined) this.#reached(stream.version);
    }
  }

  #reached(version: string): void {
    if (this.#resumeAt !== undefined && isOlder(version, this.#version)) {
      this.#resumeAt = version;
      return;
    }
    this.#resumeAt = undefined;
    this.#version = version;
    this.#recovery.reached(version);
  }

  #synced(version: string): void {
    this.#started();
    this.#version = version;
    this.#recovery.synced(version);
    this.#relist.synced();
  }

  /** True if the stream has ended for another selection. Called once after each stream. */
  get #isReselected(): boolean {
    const reselects = this.#reselects;
    this.#reselects = false;
    return reselects;
  }

  /** Starts a new request, which `stop` can abort. */
  #begin(): AbortSignal {
    this.#abort = new AbortController();
    if (this.#stopped) this.#abort.abort();
    return this.#abort.signal;
  }

  /**
   * Returns the source. It is created in the first step of the loop, so that an error of it leads to a retry like other
   * failures.
   */
  #open(): { readonly listerWatcher: ListerWatcher; readonly lists: ListReader } {
    if (this.#source !== undefined) return this.#source;
    const { sink, pageSize, selection, now, observer, health } = this.#options;
    const listerWatcher = this.#options.listerWatcher();
    const lists = new ListReader({
      listerWatcher,
      sink,
      pageSize,
      selection,
      now,
      onRestart: (cause) => observer.listing(cause),
      onActivity: () => {
        health.syncing(this.#listCause);
        this.#watchdog.activity(false);
      },
    });
    this.#source = { listerWatcher, lists };
    return this.#source;
  }

  #report(error: Error): void {
    if (!this.#stopped && !this.#relist.isDue) this.#options.observer.error(error);
  }

  #restart(error: unknown): ReflectorState {
    if (!this.#stopped) this.#options.observer.loopRestarted(error);
    return this.#recovery.afterDefect(asError(error));
  }
}

function isSame(one: PartSelection, other: PartSelection): boolean {
  return one.shardSelector === other.shardSelector && one.labelSelector === other.labelSelector;
}
