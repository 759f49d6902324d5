import type {
  EventHandlerRegistration,
  InformerCache,
  InformerEvent,
  WatchHandle,
  WatchHealth,
} from '@keelson/informer';
import { resourceId, type ObjectName } from '@keelson/apimachinery';
import { CauseSet, type CauseReason, type QueuedCause } from '../../reconcile/cause.ts';
import { ManagerError } from '../../errors.ts';
import type { EventMapper } from './request-mapper.ts';
import { queryOf, type SourceOptions } from './source-options.ts';
import type { UserCode } from '../../user-code/user-code.ts';

/** What a source needs of the informer cache. */
export type WatchProvider = Pick<InformerCache, 'acquire'>;

/** Where a source puts what it finds. */
export interface RequestSink<Q extends object> {
  /** `receivedAt`: when the event arrived at the socket; `undefined` where that means nothing. */
  enqueue(request: Q, cause: QueuedCause, priority: number, receivedAt: number | undefined): void;
  /** The object is gone: a successor of its name starts without its failures. */
  forget(request: Q): void;
  /** A predicate or mapper threw; the event is handled nevertheless. */
  sourceError(source: string, error: unknown): void;
  /** An event took so many milliseconds to filter and map. */
  eventHandled(durationMs: number): void;
}

export interface KindSourceOptions<Q extends object> {
  /** `for WebApp`, `watch Secret`: names the source in causes. */
  readonly name: string;
  /** Names the holder of the watch in the cache's inventory. */
  readonly owner: string;
  readonly options: SourceOptions;
  readonly required: boolean;
  readonly initialPriority: number;
  /** `undefined`: the objects are read, and their events lead to no requests. */
  readonly mapper: EventMapper<Q> | undefined;
  readonly sink: RequestSink<Q>;
  readonly userCode: UserCode;
}

/**
 * A watch as a source of requests: hops 6 and 7. It holds a handle from `open` to `release`; after
 * `detach` nothing reaches the sink, and opening it does nothing, so that a start that comes late
 * cannot attach to a controller that is gone.
 */
export class KindSource<Q extends object> {
  readonly name: string;
  readonly required: boolean;
  readonly causes: CauseSet;
  /** The watch has synced and every initial object is in the queue. */
  readonly synced: Promise<void>;
  readonly options: SourceOptions;
  readonly #setup: KindSourceOptions<Q>;
  readonly #waiter = Promise.withResolvers<void>();
  #mapper: EventMapper<Q> | undefined;
  #predicates: NonNullable<SourceOptions['predicates']>;
  #handle: WatchHandle | undefined;
  #registration: EventHandlerRegistration | undefined;
  #hasSynced = false;
  #detached = false;

  constructor(setup: KindSourceOptions<Q>) {
    this.name = setup.name;
    this.required = setup.required;
    this.options = setup.options;
    this.causes = new CauseSet(setup.name);
    this.#setup = setup;
    this.#mapper = setup.mapper;
    this.#predicates = setup.options.predicates ?? [];
    this.synced = this.#waiter.promise;
    // A caller need not await it: the rejection of a removed watch must not end the process.
    this.synced.catch(() => undefined);
  }

  get hasSynced(): boolean {
    return this.#hasSynced;
  }

  /** `undefined` before it is opened. */
  get health(): WatchHealth | undefined {
    return this.#handle?.health;
  }

  /** What runs for the watch keeps the async context of the controller, not that of the caller. */
  open(cache: WatchProvider): void {
    if (this.#detached || this.#handle !== undefined) return;
    this.#setup.userCode.inContext(() => this.#acquire(cache));
  }

  #acquire(cache: WatchProvider): void {
    const { owner } = this.#setup;
    const handle = cache.acquire(queryOf(this.options), { owner, required: this.required });
    this.#handle = handle;
    this.#listen(handle).then(
      () => this.#settle(),
      (error: unknown) => this.#waiter.reject(error),
    );
  }

  /** Resolves when the watch has synced or was removed; rejects if it cannot sync. */
  async syncedOrRemoved(): Promise<void> {
    try {
      await this.synced;
    } catch (error) {
      if (!this.#detached) throw error;
    }
  }

  /** Whether the watch has an object of this name. */
  holds(name: ObjectName): boolean {
    try {
      return this.#handle?.store.has(name) ?? false;
    } catch {
      // A name that no object of the kind can have, a namespaced kind without a namespace for one.
      return false;
    }
  }

  /** Resolves when the watch has synced, or is known not to be able to for now. */
  async settled(): Promise<void> {
    const handle = this.#handle;
    if (handle === undefined || isBlocked(handle.health)) return;
    const blocked = Promise.withResolvers<void>();
    const listening = handle.onHealthChange((health) => {
      if (isBlocked(health)) blocked.resolve();
    });
    await Promise.race([this.synced, blocked.promise]).catch(() => undefined);
    listening[Symbol.dispose]();
  }

  /** Replaces predicates and mapper from the next event on; queued requests stay. */
  replace(mapper: EventMapper<Q>, predicates: SourceOptions['predicates']): void {
    this.#mapper = mapper;
    this.#predicates = predicates ?? [];
  }

  /** From now on nothing reaches the sink, whatever the watch is doing; its objects can still be read. */
  detach(): void {
    if (this.#detached) return;
    this.#detached = true;
    this.#registration?.remove();
    this.#waiter.reject(
      new ManagerError('WATCH_REMOVED', {
        source: this.name,
        resource: resourceId(this.options.resource),
      }),
    );
  }

  /** Gives the watch back. Harmless the second time. */
  release(): void {
    this.detach();
    this.#setup.userCode.inContext(() => this.#handle?.release());
  }

  /** Resolves when the initial objects are queued, or stored where there is nothing to queue. */
  async #listen(handle: WatchHandle): Promise<void> {
    if (this.#mapper === undefined) return handle.synced;
    this.#registration = handle.addEventHandler((event) => this.#hear(event));
    return this.#registration.synced;
  }

  #settle(): void {
    this.#hasSynced = true;
    this.#waiter.resolve();
  }

  #hear(event: InformerEvent): void {
    if (this.#detached) return;
    const startedAt = performance.now();
    // A predicate may have removed the watch.
    if (this.#passes(event) && !this.#detached) this.#map(event);
    this.#setup.sink.eventHandled(performance.now() - startedAt);
  }

  #map(event: InformerEvent): void {
    const reason = reasonOf(event);
    const quiet = reason === 'initial' || reason === 'resync';
    const priority = this.options.priority ?? (quiet ? this.#setup.initialPriority : 0);
    const cause = this.causes.of(reason);
    const receivedAt = quiet ? undefined : event.receivedAt;
    const { sink } = this.#setup;
    const failed = (error: unknown): void => sink.sourceError(this.name, error);
    const emit = (request: Q): void => {
      if (this.#detached) return; // by the mapper
      try {
        sink.enqueue(request, cause, priority, receivedAt);
      } catch (error) {
        // A value that is not a request must not lose the requests after it.
        failed(error);
      }
    };
    this.#mapper?.(event, emit, failed);
  }

  #passes(event: InformerEvent): boolean {
    return this.#predicates.every((predicate) => {
      try {
        return this.#setup.userCode.call(predicate, event);
      } catch (error) {
        // A predicate that throws counts as true.
        this.#setup.sink.sourceError(this.name, error);
        return true;
      }
    });
  }
}

/** True while waiting does not help, because the kind is not served or forbidden. */
export function isBlocked(health: WatchHealth): boolean {
  return health.state === 'forbidden' || health.state === 'parked';
}

function reasonOf(event: InformerEvent): CauseReason {
  if (event.type === 'added') return event.initial ? 'initial' : 'added';
  if (event.type === 'deleted') return 'deleted';
  return event.previous.resourceVersion === event.object.resourceVersion ? 'resync' : 'updated';
}
