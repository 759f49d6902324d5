import { expect } from '@jest/globals';
import { createInformerCache, type InformerCache } from '../cache/informer-cache.ts';
import type { InformerCacheOptions } from '../cache/informer-cache-options.ts';
import type { EventHandlerRegistration, InformerEvent } from '../contract/informer-event.ts';
import type { InformerObserver } from '../contract/informer-observer.ts';
import {
  eventually,
  ScriptedSource,
  Thing,
  type SeenRequest,
} from './scripted-source.test-support.ts';
import type { WatchHandle } from '../contract/watch-handle.ts';
import type { WatchQuery } from '../contract/watch-query.ts';

/** Records every call of an observer as a short text, and its errors. */
export class ObserverLog implements InformerObserver {
  readonly lines: string[] = [];
  readonly errors: unknown[] = [];

  watchStarted(): void {
    this.lines.push('started');
  }
  watchStopped(): void {
    this.lines.push('stopped');
  }
  healthChanged(_watch: unknown, { state }: { state: string }): void {
    this.lines.push(`health ${state}`);
  }
  listing(_watch: unknown, cause: string): void {
    this.lines.push(`listing ${cause}`);
  }
  restarting(_watch: unknown, cause: string): void {
    this.lines.push(`restarting ${cause}`);
  }
  skipped(_watch: unknown, cause: string): void {
    this.lines.push(`skipped ${cause}`);
  }
  watchError(_watch: unknown, error: Error): void {
    this.errors.push(error);
  }
  handlerError(_watch: unknown, owner: string, error: unknown): void {
    this.lines.push(`handler error ${owner}`);
    this.errors.push(error);
  }
  indexerError(_watch: unknown, indexer: string): void {
    this.lines.push(`indexer error ${indexer}`);
  }
  loopRestarted(_watch: unknown, error: unknown): void {
    this.lines.push('loop restarted');
    this.errors.push(error);
  }
  lingerReused(): void {
    this.lines.push('linger reused');
  }
  handleLeaked(_watch: unknown, owner: string): void {
    this.lines.push(`leaked ${owner}`);
  }

  of(prefix: string): string[] {
    return this.lines.filter((line) => line.startsWith(prefix));
  }
}

/** A cache over scripted sources, by default one for each kind. */
export class Harness implements AsyncDisposable {
  readonly source: ScriptedSource = new ScriptedSource();
  readonly observer: ObserverLog = new ObserverLog();
  readonly cache: InformerCache;
  #leapt = 0;

  constructor(options: Partial<InformerCacheOptions> = {}) {
    this.cache = createInformerCache({
      listerWatcher: () => this.source,
      freeze: true,
      observer: this.observer,
      random: () => 1,
      now: () => performance.now() + this.#leapt,
      ...options,
    });
  }

  acquire(query: Partial<WatchQuery<Thing>> = {}, owner = 'test'): WatchHandle<Thing> {
    return this.cache.acquire({ resource: Thing, ...query }, { owner });
  }

  /**
   * Advances the clock so that every open connection counts as stable and the reflector reconnects without a backoff.
   */
  leap(): void {
    this.#leapt += 20_000;
  }

  /**
   * Makes changes while the watch is down, and compacts the log of the server before it reconnects.
   */
  missed(happens: () => void): void {
    this.leap();
    this.source.cut();
    happens();
    this.source.compact();
  }

  /** The last request to the source. */
  get lastRequest(): SeenRequest | undefined {
    return this.source.requests.at(-1);
  }

  /** Returns a synced handle whose store is equal to the source. */
  async synced(
    query: Partial<WatchQuery<Thing>> = {},
    owner = 'test',
  ): Promise<WatchHandle<Thing>> {
    const handle = this.acquire(query, owner);
    await handle.synced;
    await this.caughtUp(handle);
    return handle;
  }

  /**
   * Waits until the store has the version of the source, and lets the events of a relist arrive: the informer pauses
   * between them when they take long, as on a busy machine.
   */
  async caughtUp(handle: WatchHandle<Thing>): Promise<void> {
    await eventually(
      () =>
        handle.store.resourceVersion === this.source.version && this.source.openWatches.size > 0,
      'catching up',
    );
    for (let turn = 0; turn < 4; turn++) await new Promise<void>((done) => setImmediate(done));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.cache.close();
  }
}

/** A harness whose source does not support WatchList. */
export function listing(options: Partial<InformerCacheOptions> = {}): Harness {
  const harness = new Harness(options);
  harness.source.supportsWatchList = false;
  return harness;
}

/** Matches an error with a code. */
export function withCode(code: string): unknown {
  return expect.objectContaining({ code });
}

/** Adds a handler and records its events as short strings. */
export class RecordingHandler {
  readonly events: InformerEvent<Thing>[] = [];
  readonly registration: EventHandlerRegistration;

  constructor(
    handle: WatchHandle<Thing>,
    onEvent: (event: InformerEvent<Thing>) => void = () => undefined,
  ) {
    this.registration = handle.addEventHandler((event) => {
      this.events.push(event);
      onEvent(event);
    });
  }

  get lines(): string[] {
    return this.events.map(describeEvent);
  }
}

function describeEvent(event: InformerEvent<Thing>): string {
  const { name } = event.object;
  if (event.type === 'added') return event.initial ? `initial ${name}` : `added ${name}`;
  if (event.type === 'updated') return `updated ${name}`;
  return event.finalStateUnknown ? `gone ${name}` : `deleted ${name}`;
}

export function namesIn(handle: WatchHandle<Thing>): string[] {
  return handle.store
    .views()
    .map(({ name }) => name)
    .toSorted();
}
