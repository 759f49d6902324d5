import {
  keepViews,
  type EventHandlerRegistration,
  type InformerCache,
  type InformerEvent,
  type ObjectView,
  type WatchHandle,
  type WatchHealth,
} from '@keelson/informer';
import {
  hasCode,
  resourceId,
  systemClock,
  TimeSlice,
  type Clock,
  type ObjectName,
} from '@keelson/apimachinery';
import type { History } from '../history/history.ts';
import { CauseSet, CONTROLLER, type CauseReason } from '../reconcile/cause.ts';
import { ManagerError } from '../errors.ts';
import { isBuiltIn, isPassed, predicateName, type EventContext } from './event-rules/predicate.ts';
import type { OwnVersions } from './own-versions.ts';
import type { EventMapper } from './request-mapper.ts';
import { priorityOf, type ResolvedPriorities } from './event-rules/request-priorities.ts';
import { governorOf, isSameRate, type SourceGovernor } from '../fights/source-governor.ts';
import type { SourceRules } from './event-rules/source-rules.ts';
import type { SyncRetries } from './event-rules/sync-retries.ts';
import { delayedBy, type RequestAdd, type RequestSink } from './request-sink.ts';
import type { ShardPart } from './shard-part.ts';
import { clusterOf, queryOf, type SourceOptions } from './source-options.ts';
import { unlessBlocked, SyncClock } from './sync-clock.ts';
import type { ControllerTracing } from '../tracing/controllers/controller-tracing.ts';
import type { UserCall } from '../event-loop/user-calls.ts';
import type { UserCode } from '../user-code/user-code.ts';
import { WatchedObjects } from './watched-objects.ts';

/** The index of no predicate. */
const NONE = -1;

/** The part of the informer cache that a source uses. */
export type WatchProvider = Pick<InformerCache, 'acquire'>;

export interface KindSourceOptions<Q extends object> extends SourceRules {
  /** The name of the source in causes, such as `for WebApp` or `watch Secret`. */
  readonly name: string;
  /** The owner of the handle in the cache's inventory. */
  readonly owner: string;
  readonly options: SourceOptions;
  readonly required: boolean;
  readonly priorities: ResolvedPriorities;
  /** The predicates of the controller. */
  readonly sharedPredicates?: SourceOptions['predicates'];
  /** `undefined` for `reads`: events lead to no requests. */
  readonly mapper: EventMapper<Q> | undefined;
  /** The own writes whose events are ignored. Default: none. */
  readonly ignored?: OwnVersions | undefined;
  /** Called with the key of each object that is gone, even if predicates drop the event. Default: not called. */
  readonly onDeleted?: ((key: string) => void) | undefined;
  /** The part of the objects that a sharding caches in this replica. Default: all. */
  readonly part?: ShardPart | undefined;
  readonly sink: RequestSink<Q>;
  /** Default: the clock of the system. */
  readonly clock?: Clock | undefined;
  /** Keeps the latest events for `explain`; `undefined` if the controller keeps none. */
  readonly history?: History | undefined;
  /** Receives the events that queue a request. Default: none. */
  readonly tracing?: Pick<ControllerTracing, 'queued'> | undefined;
  /** False if events that lead to no request are usual, and would displace others in the history. Default true. */
  readonly keepsDrops?: boolean | undefined;
  readonly userCode: UserCode;
  readonly context: EventContext;
  /** The events that wait for the sync of other watches. */
  readonly retries: SyncRetries;
  /** True for an initial object whose state another watch of the source has delivered. Default: none. */
  readonly isKnown?: ((object: ObjectView) => boolean) | undefined;
}

/** The requests of an object that a sharding has moved to this replica. */
interface MovedSlots<Q extends object> {
  readonly reason: 'shard';
  accepts(request: Q): boolean;
}

/**
 * Turns the events of one watch into requests: filters them by predicates and maps them. It holds a handle from `open`
 * to `release`. After `detach` it emits no request, and `open` has no effect: a late start cannot attach it to a
 * stopped controller.
 */
export class KindSource<Q extends object> {
  readonly name: string;
  readonly required: boolean;
  readonly causes: CauseSet;
  /** Resolves when the watch has synced and every initial object is in the queue. */
  readonly synced: Promise<void>;
  readonly options: SourceOptions;
  readonly #options: KindSourceOptions<Q>;
  readonly #waiter = Promise.withResolvers<void>();
  #rules: SourceRules;
  #governor: SourceGovernor | undefined;
  /** Names this source in the report of an event that blocks the event loop. */
  readonly #call: UserCall;
  #mapper: EventMapper<Q> | undefined;
  #predicates: NonNullable<SourceOptions['predicates']> = [];
  /** True if predicates of user code receive the events, and may keep their views. */
  #showsEvents = false;
  #handle: WatchHandle | undefined;
  /** Labels the objects of the watch for a sharding. */
  #labelling: Disposable | undefined;
  #clock: SyncClock | undefined;
  #registration: EventHandlerRegistration | undefined;
  #repeats: CauseSet | undefined;
  #hasSynced = false;
  #detached = false;

  constructor(options: KindSourceOptions<Q>) {
    this.name = options.name;
    this.required = options.required;
    this.options = options.options;
    this.causes = new CauseSet(options.name, clusterOf(options.options));
    this.#options = options;
    this.#rules = options;
    this.#governor = governorOf(options);
    this.#call = { role: 'event', source: options.name };
    this.#mapper = options.mapper;
    this.#setPredicates(options.options.predicates);
    this.synced = this.#waiter.promise;
    // Awaiting it is optional, so the rejection of a removed watch must not end the process.
    this.synced.catch(() => undefined);
  }

  get hasSynced(): boolean {
    return this.#hasSynced;
  }

  /** The causes with which the controller queues the objects of `for` again. They are withdrawn with the watch. */
  get repeats(): CauseSet {
    return (this.#repeats ??= new CauseSet(CONTROLLER));
  }

  /** The causes that are withdrawn with the watch. */
  get causeSets(): readonly CauseSet[] {
    return this.#repeats === undefined ? [this.causes] : [this.causes, this.#repeats];
  }

  /** The health of the watch; `undefined` before `open`. */
  get health(): WatchHealth | undefined {
    return this.#handle?.health;
  }

  /** The milliseconds since `open` in which the server served and allowed the kind. */
  get syncingMs(): number {
    return this.#clock?.elapsed ?? 0;
  }

  /**
   * Acquires the watch in the async context of the controller. Its events begin after the promise `after`, its reads at
   * once.
   */
  open(cache: WatchProvider, after?: Promise<unknown>): void {
    if (this.#detached || this.#handle !== undefined) return;
    this.#options.userCode.inContext(() => this.#acquire(cache, after));
  }

  #acquire(cache: WatchProvider, after: Promise<unknown> | undefined): void {
    const { owner, part } = this.#options;
    const own = queryOf(this.options);
    const query = part === undefined ? own : { ...own, part: part.watch };
    const handle = cache.acquire(query, { owner, required: this.required });
    this.#handle = handle;
    this.#labelling = part?.labels?.open(own, handle);
    this.#options.retries.opened(this);
    this.#clock = SyncClock.of(handle, this.#options.clock ?? systemClock);
    this.#listen(handle, after).then(
      () => this.#waiter.resolve(),
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

  /** The objects of the watch. */
  get objects(): WatchedObjects {
    return new WatchedObjects(this.options, this.#handle);
  }

  /** True if the handler of the watch has received exactly this state of an object. */
  hasSeen(object: ObjectView): boolean {
    if (this.#detached || this.#registration?.isCurrent !== true) return false;
    const known = this.objects.view(object);
    return known?.uid === object.uid && known.resourceVersion === object.resourceVersion;
  }

  /** Names a predicate by its index in the order of calls: those of the controller first, then those of the source. */
  predicateText(index: number): string {
    const shared = this.#options.sharedPredicates?.length ?? 0;
    const name = predicateName(this.#predicates[index]);
    const place =
      index < shared
        ? `predicates[${index}] of the controller`
        : `predicates[${index - shared}] of ${this.name}`;
    return name === undefined ? place : `${name} (${place})`;
  }

  /** Returns the requests to which the mapper maps an object. Predicates are not called. */
  requestsOf(object: ObjectView): Q[] {
    const requests: Q[] = [];
    const event = initialEventOf(object);
    // An error of the mapper was reported when it received the object.
    this.#mapper?.(
      event,
      (request) => void requests.push(request),
      () => undefined,
    );
    return requests;
  }

  /** Resolves when the watch has synced, or its kind is not served or allowed; at once in a further cluster. */
  async settled(): Promise<void> {
    const handle = this.causes.cluster === undefined ? this.#handle : undefined;
    if (handle !== undefined) await unlessBlocked(handle, () => this.synced);
  }

  /**
   * Makes the watch follow a change of its part. Resolves when the objects that have entered it are in the store and
   * their events were handled, or the kind is not served or allowed. It does not reject.
   */
  async followPart(): Promise<void> {
    const handle = this.#handle;
    if (this.#options.part === undefined || handle === undefined || this.#detached) return;
    await unlessBlocked(handle, () => handle.followPart());
  }

  /**
   * True if the watch lacks an object that exists, because its label for the sharding is missing or wrong. Rejects if the
   * API server does not respond.
   */
  async isHidden(name: ObjectName): Promise<boolean> {
    const labels = this.#options.part?.labels;
    if (labels === undefined || this.#detached || this.objects.has(name)) return false;
    return labels.isHidden(queryOf(this.options), name);
  }

  /** Replaces the predicates and the mapper from the next event on; queued requests stay. */
  replace(mapper: EventMapper<Q> | undefined, predicates: SourceOptions['predicates']): void {
    this.#mapper = mapper;
    this.#setPredicates(predicates);
  }

  /** Replaces the rules from the next event on. An unchanged rate keeps the tokens of the objects. */
  adopt(rules: SourceRules): void {
    const before = this.#rules;
    this.#rules = rules;
    if (!isSameRate(before.governing, rules.governing)) {
      this.#governor?.close();
      this.#governor = governorOf({ ...this.#options, ...rules });
    }
    if (before.resync === rules.resync) return;
    this.#options.userCode.inContext(() => this.#registration?.resyncEvery(rules.resync));
  }

  /** Stops the requests of the source at once. Its objects can be read until `release`. */
  detach(): void {
    if (this.#detached) return;
    this.#detached = true;
    this.#registration?.remove();
    this.#options.retries.removed(this);
    this.#governor?.close();
    const { namespace, resource } = this.options;
    const facts = { source: this.name, resource: resourceId(resource), namespace };
    this.#waiter.reject(new ManagerError('WATCH_REMOVED', facts));
  }

  /** Detaches the source and releases its handle. A second call has no effect. */
  release(): void {
    this.detach();
    this.#labelling?.[Symbol.dispose]();
    this.#labelling = undefined;
    this.#options.userCode.inContext(() => this.#handle?.release());
  }

  /** Resolves when the initial objects are in the queue or, without a mapper, in the store. */
  async #listen(handle: WatchHandle, after: Promise<unknown> | undefined): Promise<void> {
    // A watch without a mapper has no events that could come too early.
    if (after !== undefined && this.#mapper !== undefined) await after;
    if (this.#detached) return;
    if (this.#mapper !== undefined) {
      const { resync } = this.#rules;
      this.#registration = handle.addEventHandler(this.onEvent, { resync, keepsViews: false });
    }
    await (this.#registration ?? handle).synced;
    const retried = this.#options.retries.synced(this);
    if (retried !== undefined) await retried;
    this.#hasSynced = true;
  }

  /** Handles an event of the watch, or one that the watch did not receive because another one had the object. */
  readonly onEvent = (event: InformerEvent): void => {
    if (this.#detached) return;
    if (this.#options.ignored?.made(event) === true) return this.#ignore(event);
    if (event.type === 'added' && event.initial && this.#options.isKnown?.(event.object)) return;
    if (event.type === 'deleted') this.#options.onDeleted?.(event.key);
    const startedAt = performance.now();
    const refusing = this.#refusing(event);
    if (refusing !== NONE) {
      const drop = { reason: 'filtered', predicate: refusing, at: startedAt } as const;
      this.#options.history?.drop(this.causes, event, drop);
    } else if (!this.#detached) {
      // A predicate may have removed the watch.
      this.#map(event, startedAt);
    }
    const endedAt = performance.now();
    const { sink, userCode } = this.#options;
    sink.eventHandled(endedAt - startedAt);
    if (endedAt - startedAt < userCode.warnAfter) return;
    userCode.blocked({ ...this.#call, facts: { object: event.key } }, { startedAt, endedAt });
  };

  #ignore(event: InformerEvent): void {
    const { history } = this.#options;
    history?.drop(this.causes, event, { reason: 'own-write', at: performance.now() });
  }

  /**
   * Queues the requests that a sharding has moved to this replica, for the objects that predicates pass. It waits for
   * the first sync: before it, objects may have been dropped whose requests ran elsewhere.
   */
  async queueMoved(isMoved: (request: Q) => boolean, signal: AbortSignal): Promise<void> {
    await this.syncedOrRemoved();
    const slice = new TimeSlice(() => performance.now());
    const queue = (object: ObjectView): void => {
      const event = initialEventOf(object);
      if (this.#detached || this.#refusing(event) !== NONE) return;
      this.#map(event, performance.now(), { reason: 'shard', accepts: isMoved });
    };
    if (this.#mapper !== undefined) await slice.each(this.objects.views(), queue, signal);
  }

  #map(event: InformerEvent, now: number, moved?: MovedSlots<Q>): void {
    const reason = moved?.reason ?? reasonOf(event);
    const isReplay = moved !== undefined || reason === 'initial' || reason === 'resync';
    const receivedAt = isReplay ? undefined : event.receivedAt;
    const { history, priorities, retries, sink, tracing } = this.#options;
    const { causes } = this;
    const again = (): void => void (this.#detached || this.#map(event, now, moved));
    let hasFailed = false;
    let isQueued = false;
    const failed = (error: unknown): void => {
      hasFailed = true;
      if (!retries.keeps(this, event.key, error, again)) sink.sourceError(this.name, error);
    };
    // Created for the first request, because an event without requests takes no token of its object.
    let add: RequestAdd | undefined;
    const emit = (request: Q, known?: string): void => {
      if (this.#detached) return; // The mapper removed the watch.
      try {
        if (moved?.accepts(request) === false) return;
        const isFirst = add === undefined;
        if (add === undefined) {
          const { debounce } = this.#rules;
          const delay = this.#governor?.delayOf(event, reason) ?? 0;
          add = {
            priority: priorityOf(event, reason, priorities),
            cause: causes.by[reason],
            debounce,
          };
          if (delay > 0) add = delayedBy(add, delay);
        }
        const key = sink.enqueue(request, add, receivedAt, known);
        if (isFirst && add.after !== undefined) this.#governor?.delayed(event, key);
        if (key === undefined) return;
        isQueued = true;
        history?.queued(key, add, event, now);
        tracing?.queued(key, event);
      } catch (error) {
        // An invalid request must not drop the requests after it.
        failed(error);
      }
    };
    this.#mapper?.(event, emit, failed);
    // The objects of a move have had their events.
    if (isQueued || this.#detached || moved !== undefined) return;
    if (this.#options.keepsDrops === false) return;
    // At each start most objects are of other replicas, and would displace the events that explain something.
    if (isReplay && add !== undefined && !hasFailed) return;
    const unqueued = add === undefined ? 'no-request' : 'other-shard';
    const why = hasFailed ? 'mapper-failed' : unqueued;
    history?.drop(this.causes, event, { reason: why, at: now });
  }

  #setPredicates(own: SourceOptions['predicates'] = []): void {
    this.#predicates = [...(this.#options.sharedPredicates ?? []), ...own];
    this.#showsEvents = !this.#predicates.every(isBuiltIn);
  }

  /** The index of the predicate that does not pass the event; `NONE` if all pass it. */
  #refusing(event: InformerEvent): number {
    if (this.#showsEvents) keepViews(event);
    const { userCode, context, sink } = this.#options;
    for (const [index, predicate] of this.#predicates.entries()) {
      try {
        const result: unknown = userCode.call(predicate, event, context);
        if (result !== true && !isPassed(predicate, result)) return index;
      } catch (error) {
        // If a predicate throws, the event passes. `NOT_SYNCED` is expected during a start, so it is not reported.
        if (!hasCode(error, 'NOT_SYNCED')) sink.sourceError(this.name, error);
      }
    }
    return NONE;
  }
}

/** Returns the reason of the requests of an event. A resync announces an object without a change. */
function reasonOf(event: InformerEvent): CauseReason {
  if (event.type === 'added') return event.initial ? 'initial' : 'added';
  if (event.type === 'deleted') return 'deleted';
  return event.previous.resourceVersion === event.object.resourceVersion ? 'resync' : 'updated';
}

/** The event by which a watch would announce an object that it has already. */
function initialEventOf(object: ObjectView): InformerEvent {
  return { type: 'added', key: object.key, object, initial: true, receivedAt: 0 };
}
