import { isNotFound } from '@keelson/apimachinery';
import { informerError } from '../errors.ts';
import type { HealthRecord } from './health-record.ts';
import { IdleWatchdog } from './idle-watchdog.ts';
import type { ListCause, RestartCause } from '../contract/informer-observer.ts';
import { ListReader } from './list-reader.ts';
import type { ListerWatcher, WatchRequest } from '../contract/lister-watcher.ts';
import { Pause } from './pause.ts';
import { Recovery } from './recovery.ts';
import type { ReflectorSink } from './reflector-sink.ts';
import type { ReflectorState } from './reflector-state.ts';
import type { ReconnectSpread } from './reconnect-spread.ts';
import type { WatchListSupport } from './watch-list-support.ts';
import { WatchStream, type StreamEnd } from './watch-stream.ts';

/** Seconds that a watch asks to be kept, spread so that watches begun together do not end together. */
const shortestWatch = 300;
const longestWatch = 600;

/** Silence in the middle of a list that is taken for a dead connection. */
const listSilence = 60_000;

/** Receives the measurements of a reflector. */
export interface ReflectorObserver {
  listing(cause: ListCause): void;
  restarting(cause: RestartCause): void;
  error(error: Error): void;
  /** The loop threw what it should not have. */
  loopRestarted(error: unknown): void;
}

/** What a reflector is made of. */
export interface ReflectorOptions {
  /** What is watched, for people to read. */
  readonly subject: string;
  readonly listerWatcher: () => ListerWatcher;
  readonly sink: ReflectorSink;
  readonly health: HealthRecord;
  readonly support: WatchListSupport;
  readonly spread: ReconnectSpread;
  readonly observer: ReflectorObserver;
  readonly now: () => number;
  readonly random: () => number;
}

/**
 * Keeps a store equal to what the API server has, over every kind of failure, until it is stopped.
 * It lists only when it has to: the version last seen is kept over every end of a watch.
 */
export class Reflector {
  readonly #options: ReflectorOptions;
  readonly #recovery: Recovery;
  readonly #watchdog: IdleWatchdog;
  readonly #pause = new Pause();
  #source: { readonly listerWatcher: ListerWatcher; readonly lists: ListReader } | undefined;
  #abort = new AbortController();
  /** The kind has come to be served since the last attempt began, which may not have seen it. */
  #isNews = false;
  #stopped = false;
  /** The version up to which the store is current; `""` before there is one. */
  #version = '';
  #heardAt: number | undefined;

  constructor(options: ReflectorOptions) {
    this.#options = options;
    this.#recovery = new Recovery(options);
    this.#watchdog = new IdleWatchdog(options.now);
  }

  /** When the server last gave a sign of life. */
  get heardAt(): number | undefined {
    return this.#heardAt;
  }

  /** Runs until it is stopped; the promise settles when the last request has ended. */
  async run(): Promise<void> {
    let state: ReflectorState = { name: 'relisting', cause: 'initial' };
    while (!this.#stopped) {
      state = await this.#step(state).catch((error: unknown) => this.#restart(error));
    }
  }

  stop(): void {
    this.#stopped = true;
    this.#abort.abort();
    this.#pause.end();
  }

  /** The kind is served now: look at once, or again after an attempt that began before. */
  wake(): void {
    this.#isNews = true;
    if (this.#isParked) this.#pause.end();
  }

  get #isParked(): boolean {
    return this.#options.health.current.state === 'parked';
  }

  async #step(state: ReflectorState): Promise<ReflectorState> {
    switch (state.name) {
      case 'relisting': {
        this.#isNews = false;
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
      case 'asking':
        return this.#ask(state.cause);
      case 'waiting':
        if (!(this.#isNews && this.#isParked)) await this.#pause.wait(state.delay);
        return state.next;
    }
  }

  async #watchList(cause: ListCause): Promise<ReflectorState> {
    this.#options.observer.listing(cause);
    const end = await this.#stream({
      resourceVersion: this.#recovery.needsNewest ? '' : this.#version,
      resourceVersionMatch: 'NotOlderThan',
      sendInitialEvents: true,
    });
    if (end.how !== 'ended' || !end.complete) this.#report(end.error);
    return this.#recovery.afterWatchList(end, cause);
  }

  async #list(cause: ListCause): Promise<ReflectorState> {
    this.#options.observer.listing(cause);
    const signal = this.#begin();
    this.#watchdog.start(listSilence, () => this.#abort.abort(informerError('WATCH_IDLE')));
    try {
      const from = this.#version === '' ? '0' : this.#version;
      const { lists } = this.#open();
      this.#version = await lists.read(this.#recovery.needsNewest ? '' : from, signal);
      this.#recovery.synced();
      return { name: 'watching', cause: undefined };
    } catch (error) {
      return await this.#afterFailedList(asError(signal.aborted ? signal.reason : error), cause);
    } finally {
      this.#watchdog.stop();
    }
  }

  async #afterFailedList(error: Error, cause: ListCause): Promise<ReflectorState> {
    this.#report(error);
    if (!(await this.#isGone(error))) return this.#recovery.afterFailedList(error, cause);
    if (this.#version !== '') await this.#vanish();
    return this.#recovery.afterNotServed(error);
  }

  /** Whether a 404 means that the kind is gone: discovery has to say so too. */
  async #isGone(error: Error): Promise<boolean> {
    if (!isNotFound(error) || this.#stopped) return false;
    const { listerWatcher } = this.#open();
    if (listerWatcher.isServed === undefined) return true;
    const signal = this.#begin();
    this.#watchdog.start(listSilence, () => this.#abort.abort(informerError('WATCH_IDLE')));
    try {
      const isServed = await listerWatcher.isServed(signal);
      return !isServed && !signal.aborted;
    } catch (unconfirmed) {
      this.#report(asError(unconfirmed));
      return false;
    } finally {
      this.#watchdog.stop();
    }
  }

  /** The kind is gone, and every object with it. */
  async #vanish(): Promise<void> {
    this.#version = '';
    await this.#options.sink.replacement().commit('', this.#options.now());
  }

  async #watch(cause: RestartCause | undefined): Promise<ReflectorState> {
    if (cause !== undefined) this.#options.observer.restarting(cause);
    const end = await this.#stream({ resourceVersion: this.#version });
    if (end.how !== 'ended') this.#report(end.error);
    return this.#recovery.afterWatch(end);
  }

  /** One object is sent; where a selector matches few, the server may look at all to find it. */
  async #ask(cause: RestartCause): Promise<ReflectorState> {
    const signal = this.#begin();
    this.#watchdog.start(listSilence, () => this.#abort.abort(informerError('WATCH_IDLE')));
    try {
      const { lists } = this.#open();
      if (await lists.isBehind(this.#version, signal)) {
        this.#options.sink.forgetVersions();
        return this.#recovery.afterServerBehind();
      }
    } catch (error) {
      this.#report(asError(error));
      this.#recovery.versionUnknown();
    } finally {
      this.#watchdog.stop();
    }
    return { name: 'watching', cause };
  }

  async #stream(request: Omit<WatchRequest, 'signal'>): Promise<StreamEnd> {
    const { sink, now, random, health } = this.#options;
    this.#begin();
    const stream = new WatchStream(
      {
        listerWatcher: this.#open().listerWatcher,
        sink,
        now,
        watchdog: this.#watchdog,
        abort: this.#abort,
        onSign: () => this.#sign(),
        onLive: () => health.good('live', 'following the changes'),
        onSynced: () => this.#recovery.synced(),
        onVersion: (version) => {
          this.#version = version;
        },
      },
      {
        ...request,
        allowWatchBookmarks: true,
        timeoutSeconds: Math.round(shortestWatch + random() * (longestWatch - shortestWatch)),
      },
    );
    return stream.run();
  }

  /** A new request, which `stop` can end. */
  #begin(): AbortSignal {
    this.#abort = new AbortController();
    if (this.#stopped) this.#abort.abort();
    return this.#abort.signal;
  }

  /** The source is made at the first step, so that what it throws is met like any other failure. */
  #open(): { readonly listerWatcher: ListerWatcher; readonly lists: ListReader } {
    if (this.#source !== undefined) return this.#source;
    const { sink, now, observer } = this.#options;
    const listerWatcher = this.#options.listerWatcher();
    const lists = new ListReader({
      listerWatcher,
      sink,
      now,
      onRestart: (cause) => observer.listing(cause),
      onSign: () => this.#sign(),
    });
    this.#source = { listerWatcher, lists };
    return this.#source;
  }

  #sign(): void {
    this.#watchdog.heard();
    this.#heardAt = this.#options.now();
  }

  #report(error: Error): void {
    if (!this.#stopped) this.#options.observer.error(error);
  }

  #restart(error: unknown): ReflectorState {
    if (!this.#stopped) this.#options.observer.loopRestarted(error);
    return this.#recovery.afterDefect(asError(error));
  }
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
