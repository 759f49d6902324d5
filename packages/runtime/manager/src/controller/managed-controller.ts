import { endsWithin, invalidOption, type KubernetesObject } from '@keelson/apimachinery';
import type { CacheReader } from '@keelson/informer';
import { CauseSet, CONTROLLER } from '../reconcile/cause.ts';
import { Explainer } from '../explain/explainer.ts';
import type { ControllerExplanation, Explanation } from '../explain/explanation.ts';
import type { RequestPlace } from '../explain/obstacles.ts';
import type { SteeredController } from '../inspector/actions.ts';
import type { ControllerParts, RequestCluster } from '../inspector/inspected-manager.ts';
import type { ControllerHost } from './controller-host.ts';
import type { ControllerOptions, WorkPhase } from './controller-options.ts';
import {
  checkEnqueueOptions,
  watching,
  type PulledController,
  type DynamicSource,
  type EnqueueOptions,
} from './controller.ts';
import {
  checkRemoveOptions,
  type DynamicWatch,
  type RemoveOptions,
} from '../source-set/dynamic-watch.ts';
import { checkIterable, type IterableSourceOptions } from '../sources/iterables/iterable-source.ts';
import { IterableSources, removableSource } from '../sources/iterables/iterable-sources.ts';
import type { PulledWork, WorkOptions } from '../run/pulled-work.ts';
import { namespaceSet, type NamespaceSet } from '../sources/namespace-set.ts';
import { FirstPass } from '../run/first-pass.ts';
import { DynamicWatches } from '../source-set/dynamic-watches.ts';
import { RemovalBarrier } from '../source-set/removal-barrier.ts';
import { RequestOrigins } from '../source-set/request-origins.ts';
import type { FleetCluster } from '../source-set/source-factory.ts';
import type { Source } from '../source-set/source.ts';
import { SourceSet } from '../source-set/source-set.ts';
import type { KindSource } from '../sources/kind-source.ts';
import { WatchRemovals } from '../source-set/watch-removals.ts';
import { requestSink, type RequestAdd } from '../sources/request-sink.ts';
import { ManagerError } from '../errors.ts';
import { setLogLevel, type LogLevel } from '../logging/logger.ts';
import { ReconcileLoop } from '../run/reconcile-loop.ts';
import type {
  Changes,
  ReconfigureOptions,
  ReconfigureResult,
  Reconfiguration,
} from './reconfiguration.ts';
import { Reconfigurations } from './reconfigurations.ts';
import { identityOf } from './request-identity.ts';
import { carriesCluster } from '../sources/cluster-selection.ts';
import { withClusterGroups } from '../run/queue-options.ts';
import type { Reconcile } from '../reconcile/reconcile.ts';
import { requestOfKey, type ClusterRequest, type Request } from '../reconcile/request.ts';
import type { Watched } from '../sources/index-watches/watches-of.ts';
import {
  clusterOf,
  type SourceForm,
  type SourceOptions,
  type WatchOptions,
} from '../sources/source-options.ts';
import type { UnreadySource } from '../sources/unready-source.ts';
import { graceWithin } from '../phases/stop-deadline.ts';
import { InitialSync } from './initial-sync.ts';
import { ShardedFleet } from './sharded-fleet.ts';
import type { EventContext } from '../sources/event-rules/predicate.ts';
import type { ShardGate } from '../run/shard-gate.ts';
import { RequestDaemons } from '../daemons/request-daemons.ts';
import { ObjectTracker } from '../tracking/object-tracker.ts';
import { UserCode } from '../user-code/user-code.ts';

/** Where a request runs, for `explain`. */
function placeIn(shards: ShardGate | undefined, request: object, key: string): RequestPlace {
  if (shards === undefined) return { where: 'here', claimants: [] };
  const slot = shards.slotOf(request, key);
  const place = shards.placeOf(slot);
  const where = place === 'moving' ? 'elsewhere' : place;
  return { where, claimants: shards.replicas.claimantsOf(slot) };
}

/**
 * The watches whose objects are queued again when their slots start. A watch of a cluster that has not synced queues
 * them itself: its events begin after its sync.
 */
function queuesMoved<Q extends object>({ plan, opened }: Source<Q>): readonly KindSource<Q>[] {
  return plan.spans ? opened.filter(({ objects }) => !objects.isPending) : opened;
}

/** The result for an object that the cache lacks. Its event may come before, and leads to a run at once. */
const HIDDEN = { requeueAfter: '1s' } as const;

/**
 * - `created`: the options are checked; no watch is open.
 * - `filling`: the watches are open and fill the queue; workers wait.
 * - `running`: workers take requests.
 * - `stopping`: the sources are detached, and running reconciles end.
 * - `stopped`: the watches are released, and the name is free.
 */
type State = 'created' | 'filling' | 'running' | 'stopping' | 'stopped';

/** The most paused requests with which an action may pause another one: a pause takes memory until it ends. */
const MAX_PAUSED_BY_ACTIONS = 1000;

/** A controller with the methods that its manager calls, from `fill` and `run` to `end`. Calls after `end` have no effect. */
export class ManagedController<Q extends object> implements PulledController<Q> {
  readonly name: string;
  readonly phase: WorkPhase;
  readonly cache: CacheReader;
  readonly clusters: EventContext['clusters'];
  readonly #host: ControllerHost;
  /** True for a controller with `keyOf`. */
  readonly #hasOwnKeys: boolean;
  readonly #fleet: ShardedFleet;
  readonly #loop: ReconcileLoop<Q>;
  readonly #sources: SourceSet<Q>;
  readonly #iterables: IterableSources<Q>;
  readonly #origins: RequestOrigins<Q>;
  readonly #barrier: RemovalBarrier<Q>;
  readonly #removals: WatchRemovals<Q>;
  /** The causes of `enqueue` and `requeueAfter`, which are never withdrawn. */
  readonly #own = new CauseSet(CONTROLLER);
  readonly #watches: DynamicWatches<Q>;
  readonly #reconfigurations: Reconfigurations<Q>;
  readonly #sync: InitialSync;
  readonly #explainer: Explainer<Q>;
  /** `undefined` unless `readiness` is `'reconciled'`. */
  readonly #firstPass: FirstPass<Q, RequestAdd> | undefined;
  /** Aborts when the controller stops. */
  readonly #stopped = new AbortController();
  #state: State = 'created';
  #ending: Promise<void> | undefined;
  /** Resolves when the time of a later call of `end`, which was shorter, is over. */
  readonly #shortened = Promise.withResolvers<void>();

  constructor(options: ControllerOptions<KubernetesObject, Q>, host: ControllerHost) {
    const { name } = options;
    const { phase, shards } = host;
    // Created here, in the async context of `addController`: later callers of the controller have other contexts.
    const userCode = new UserCode(host.tracing?.withSlowEvents(host.calls) ?? host.calls);
    const identify = identityOf(options, userCode);
    this.name = name;
    this.phase = phase;
    this.#hasOwnKeys = options.keyOf !== undefined;
    this.#host = host;
    this.cache = host.cache;
    this.clusters = host.clusters;
    const tracker = new ObjectTracker<Q>();
    const daemons = new RequestDaemons<Q>({ ...host, controller: name, userCode });
    this.#loop = new ReconcileLoop({
      controller: name,
      reconcile: carriesCluster(options)
        ? this.#inCluster(options.reconcile)
        : this.#unlessHidden(options),
      queueOptions: withClusterGroups(options),
      spansClusters: carriesCluster(options),
      settings: host.settings,
      dependencies: host,
      observer: host.observer,
      shards,
      slice: host.slice,
      callScope: host.callScope,
      userCode,
      identify,
      history: host.history,
      earlierRuns: host.earlierRuns,
      tracker,
      daemons,
    });
    if (options.readiness === 'reconciled') this.#firstPass = new FirstPass(this.#loop);
    const queue = this.#firstPass ?? this.#loop;
    this.#fleet = new ShardedFleet(host.fleet, shards);
    const sourceHost = {
      ...host,
      fleet: this.#fleet,
      owner: `${name}#${host.epoch}`,
      sink: requestSink({ ...host, queue, keyOf: (request) => identify(request).key }),
      userCode,
    };
    this.#removals = new WatchRemovals(sourceHost);
    this.#sources = new SourceSet(options, { ...sourceHost, removals: this.#removals });
    this.#iterables = new IterableSources([...(options.sources ?? [])], phase, sourceHost);
    this.#origins = new RequestOrigins(this.#sources, this.#iterables, {
      own: this.#own,
      isElsewhere: (request) =>
        shards !== undefined && shards.placeOf(this.#slotOf(shards, request)) !== 'here',
    });
    this.#loop.connect(this.#origins, this.#firstPass);
    this.#barrier = new RemovalBarrier(this.#loop, host.callScope, this.#removals);
    const { callScope, clock, log, settings } = host;
    const { signal: stopped } = this.#stopped;
    const limits = { controller: name, timeout: settings.cacheSyncTimeout, log, clock };
    const parts = { sources: this.#sources, iterables: this.#iterables, barrier: this.#barrier };
    const changing = { ...parts, queue: this.#loop, callScope, removals: this.#removals, stopped };
    tracker.connect({ ...parts, controller: name, sink: sourceHost.sink, log, stopped });
    daemons.connect({
      isNeeded: (request) => this.#origins.repeatsOf(request, true) !== undefined,
      enqueue: (request) => this.enqueue(request),
    });
    this.#watches = new DynamicWatches({ ...limits, ...changing });
    const configured = { loop: this.#loop, options, host, stopped };
    this.#reconfigurations = new Reconfigurations({ ...parts, ...configured });
    this.#sync = new InitialSync(this.#sources, { ...limits, unready: this.unready });
    this.#explainer = new Explainer({
      name,
      phase,
      clock: host.clock,
      history: host.history,
      sources: this.#sources,
      loop: this.#loop,
      reading: () => ({
        state: this.#state,
        phase,
        isPaused: this.#loop.isPaused(),
        isLeader: host.isLeader(),
      }),
      keyOf: (request) => identify(request).key,
      placeOf: (request, key) => placeIn(shards, request, key),
      clientOf: (cluster) =>
        cluster === undefined ? host.client : host.clusters.get(cluster).client,
    });
  }

  get synced(): Promise<void> {
    return this.#sync.done;
  }

  get length(): number {
    return this.#loop.length;
  }

  get running(): number {
    return this.#loop.reading.running;
  }

  watch<T extends KubernetesObject, P extends SourceForm = 'full'>(
    options: WatchOptions<T, Q, P>,
  ): DynamicWatch {
    this.#refuseWhenStopped();
    return this.#watches.add(watching(options)).watch;
  }

  async replaceWatches(
    set: string,
    watches: readonly unknown[],
    options: RemoveOptions = {},
  ): Promise<readonly DynamicWatch[]> {
    this.#refuseWhenStopped();
    return this.#watches.replace(set, watches, options);
  }

  addSource(options: IterableSourceOptions<Q>): DynamicSource {
    this.#refuseWhenStopped();
    checkIterable(options, 'addSource');
    const source = this.#iterables.add(options);
    const remove = async (bounds: RemoveOptions = {}): Promise<void> => {
      checkRemoveOptions(bounds, 'remove');
      this.#iterables.close(source);
      await this.#barrier.remove([removableSource(source)], bounds.signal);
    };
    return {
      name: source.name,
      get pending() {
        return source.pending;
      },
      remove,
      [Symbol.asyncDispose]: () => remove(),
    };
  }

  async setNamespaces(namespaces: NamespaceSet, options: RemoveOptions = {}): Promise<void> {
    this.#refuseWhenStopped();
    checkRemoveOptions(options, 'setNamespaces');
    // Later changes of the given list have no effect, even if the turn comes later.
    const set = namespaceSet(namespaces, 'setNamespaces');
    const change = (): Promise<void> => this.#watches.setNamespaces(set, options);
    await this.#reconfigurations.inTurn(change, options.signal);
  }

  async reconfigure<
    T extends KubernetesObject,
    Kinds extends readonly Watched[],
    P extends SourceForm,
  >(
    changes: Reconfiguration<T, Q, Kinds, P>,
    options: ReconfigureOptions = {},
  ): Promise<ReconfigureResult> {
    this.#refuseWhenStopped();
    // The types have checked the functions against the resources.
    return this.#reconfigurations.reconfigure(changes as Changes<Q>, options);
  }

  enqueue(request: Q, options: EnqueueOptions = {}): void {
    this.#refuseWhenStopped();
    const { priority, after } = checkEnqueueOptions(options);
    const add = { priority, after, cause: this.#own.by.manual };
    const key = this.#loop.add(request, add);
    if (key === undefined) return;
    this.#host.history?.queued(key, add, undefined, performance.now());
    this.#host.tracing?.queued(key, undefined);
  }

  work(options?: WorkOptions): AsyncGenerator<PulledWork<Q>, void, undefined> {
    return this.#loop.work(options);
  }

  get logLevel(): LogLevel | undefined {
    return this.#host.log.level as LogLevel | undefined;
  }

  set logLevel(level: LogLevel | undefined) {
    setLogLevel(this.#host.log, level, 'controller.logLevel');
  }

  get isPaused(): boolean {
    return this.#loop.isPaused();
  }

  pause(request?: Q): void {
    this.#refuseWhenStopped();
    this.#loop.pause(request && this.#loop.keyOf(request));
  }

  resume(request?: Q): void {
    this.#refuseWhenStopped();
    this.#loop.resume(request && this.#loop.keyOf(request));
  }

  explain(): ControllerExplanation;
  explain(request: Q): Explanation;
  explain(request?: Q): ControllerExplanation | Explanation {
    if (request === undefined) return this.#explainer.controller();
    return this.#explainer.request(this.#loop.keyOf(request), request);
  }

  /** Explains the request of this key. */
  readonly explainKey = (key: string): Explanation => this.#explainer.request(key);

  /** The parts that the inspector reads beside the explanations. */
  get parts(): ControllerParts {
    const { clock, history } = this.#host;
    const loop = this.#loop;
    return {
      clock,
      history,
      clusterOf: (key) => this.#clusterOf(requestOfKey(key).cluster),
      depths: () => loop.reading.depths(),
      runTimes: loop.runTimes,
      isPaused: (key) => loop.isPaused(key),
      writerReads: (key) => this.#explainer.writerReads(key),
    };
  }

  /** A cluster as the inspector reads it; `undefined` for an unknown one. */
  #clusterOf(name: string | undefined): RequestCluster | undefined {
    const primary = this.#sources.primaryIn(name)?.options.resource;
    const owned = this.#sources.all
      .filter(({ plan, options }) => plan.role === 'owns' && clusterOf(options) === name)
      .map(({ options }) => options.resource);
    const { client } = this.#host;
    if (name === undefined) return { name, primary, owned, cache: this.cache, client };
    try {
      return { ...this.#host.clusters.get(name), primary, owned };
    } catch {
      return undefined; // It was removed.
    }
  }

  /** The methods that the actions of the inspector call. */
  steered(): SteeredController {
    const loop = this.#loop;
    const level = {
      read: (): LogLevel | undefined => this.logLevel,
      write: (value: string | undefined): void => {
        this.logLevel = value as LogLevel | undefined;
      },
    };
    return {
      get logLevel() {
        return level.read();
      },
      set logLevel(value) {
        level.write(value);
      },
      run: (key) => {
        const request = this.#requestOf(key);
        loop.allowEarlyRun(key);
        this.enqueue(request);
      },
      pause: (key) => {
        this.#checkPause(key);
        loop.pause(key);
      },
      resume: (key) => loop.resume(key),
      limit: (concurrency) => this.reconfigure({ concurrency }),
    };
  }

  /** Throws `INVALID_OPTION` if so many requests are paused that an action may pause no further one. */
  #checkPause(key: string | undefined): void {
    if (key === undefined || this.#loop.isPaused(key)) return;
    if (this.#loop.pausedRequests < MAX_PAUSED_BY_ACTIONS) return;
    const reason = 'cannot be paused, because too many are: pause the controller';
    throw invalidOption('request', reason, { limit: MAX_PAUSED_BY_ACTIONS });
  }

  /** The request of a key that names an object. Throws `INVALID_OPTION` for the key of another request. */
  #requestOf(key: string): Q {
    const request = requestOfKey(key) as object as Q;
    // The key of an own request lacks its other members, and a `keyOf` for them could accept the name alone.
    if (!this.#hasOwnKeys && this.#loop.keyOf(request) === key) return request;
    throw invalidOption('request', 'must be the key of an object: requests with `keyOf` have none');
  }

  async stop(): Promise<void> {
    const ended = this.end(this.#host.gracePeriod);
    // A reconcile that waited for the end of its controller would wait for its own end.
    const wait = this.#loop.runsCaller ? Promise.race([ended, this.#loop.endedOrWaiting()]) : ended;
    await this.#host.callScope.inBarrier(() => wait);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  /** Opens the watches, which fill the queue. A failure rejects `synced`. */
  fill(): void {
    if (this.#state !== 'created') return;
    this.#state = 'filling';
    void this.#sync.begin(() =>
      Promise.all([this.#sources.open(this.#host.cache), this.#iterables.consume('caches')]),
    );
  }

  /**
   * Resolves when every required watch has synced, or the server does not serve or allow its kind. Rejects as
   * `synced` does, unless the controller was stopped.
   */
  settled(): Promise<void> {
    return this.#sync.settled();
  }

  /**
   * Waits for the sync, then opens the sources of the phase. If the workers run in this phase, starts them too. Rejects
   * if the sync fails.
   */
  async run(phase: WorkPhase): Promise<void> {
    if (phase === this.phase) this.#firstPass?.expect();
    await this.#sync.doneOrStopped();
    if (phase !== this.phase) {
      if (this.#ending === undefined) await this.#iterables.consume(phase);
      return;
    }
    // A required watch may have been added after the sync.
    await this.#sync.late();
    if (this.#state !== 'filling') return;
    this.#state = 'running';
    await this.#iterables.consume(phase);
    if (this.#ending !== undefined) return;
    this.#firstPass?.begin();
    this.#loop.start();
    this.#host.log.info({}, 'controller started');
  }

  /**
   * Stops within this many milliseconds. Running reconciles may finish in 90 % of that time, then their signals
   * abort. The controller logs reconciles that ignore the abort and does not wait for them. A second call waits for
   * the first, and aborts the signals earlier if its time ends earlier.
   */
  end(milliseconds: number): Promise<void> {
    if (this.#ending !== undefined) {
      void this.#shorten(this.#ending, milliseconds);
      return this.#ending;
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    // Set first: components that are closed below may call `end` again.
    this.#ending = promise;
    resolve(this.#end(milliseconds));
    return promise;
  }

  /** Waits up to this many milliseconds for the reconciles that outlived the stop. Returns at once before the stop. */
  async drained(milliseconds: number): Promise<void> {
    if (this.#state !== 'stopped') return;
    await endsWithin(Promise.race([this.#loop.idle(), this.#shortened.promise]), milliseconds);
  }

  /** Resolves when every running reconcile has ended. */
  readonly idle = (): Promise<void> => this.#loop.idle();

  /** The keys of the running reconciles, each with its end. */
  readonly runs = (): [key: string, ended: Promise<void>][] => this.#loop.runs();

  /** Queues the requests of slots that this replica runs from now on. */
  startSlots(slots: ReadonlySet<number>): void {
    const { shards, log } = this.#host;
    if (shards === undefined || this.#ending !== undefined) return;
    const started = this.#loop.startMoved();
    const isMoved = (request: Q): boolean => slots.has(this.#slotOf(shards, request));
    // A request that has waited runs already. A run before the sync of its cluster is skipped, so that it is queued again.
    const isNew = (request: Q): boolean =>
      isMoved(request) && (started.size === 0 || !started.has(this.#loop.keyOf(request)));
    const { signal } = this.#stopped;
    for (const source of this.#sources.opened.flatMap(queuesMoved)) {
      source.queueMoved(source.hasSynced ? isNew : isMoved, signal).catch((error: unknown) => {
        if (!signal.aborted) log.error({ source: source.name, err: error }, 'source failed');
      });
    }
    // After the sources that are open: those of a cluster that comes queue its objects themselves.
    for (const cluster of this.#fleet.of(slots)) this.#engage(cluster);
  }

  /** Drops the requests that wait for slots that another replica runs. */
  dropMoved(): void {
    this.#loop.dropMoved();
  }

  /**
   * Opens the sources of the clusters whose slots this replica has claimed, so that they list while the former owner ends
   * its runs, and removes those of other replicas.
   */
  followClusters(): void {
    if (this.#ending !== undefined) return;
    for (const cluster of this.#fleet.all) {
      if (this.#fleet.has(cluster)) this.#engage(cluster);
      else if (this.#sources.spans(cluster.name)) void this.#watches.leaveSpanned(cluster.name);
    }
  }

  /** Resolves when the watches of each cluster have synced, or its server does not serve or allow their kinds. */
  async clustersSettled(): Promise<void> {
    const watches = this.#sources.opened.flatMap(({ plan, opened }) => (plan.spans ? opened : []));
    await Promise.all(watches.map(({ objects }) => objects.readable()));
  }

  /** Makes the watches follow a change of the slots whose objects this replica caches. */
  async followParts(): Promise<void> {
    const watches = this.#sources.opened.flatMap(({ opened }) => opened);
    await Promise.all(watches.map((watch) => watch.followPart()));
  }

  /** Drops the requests of slots that leave this replica, and their clusters. Returns the ends of their running reconciles. */
  leaveSlots(slots: ReadonlySet<number>): [slot: number, ended: Promise<void>][] {
    const ends = this.#loop.leaveSlots(slots);
    for (const { name } of this.#fleet.of(slots)) void this.#watches.leaveSpanned(name);
    return ends;
  }

  /**
   * Skips a run if the manager does not have the cluster of its request. With `for` it also skips a run before the
   * objects of the cluster are queued, because their requests follow.
   */
  #inCluster(reconcile: Reconcile<Q> | undefined): Reconcile<Q> | undefined {
    if (reconcile === undefined) return undefined;
    return (request, context) => {
      const { cluster = '' } = request as Partial<ClusterRequest>;
      const { fleet } = this.#host;
      const isPending = this.#sources.hasFor && !this.#sources.delivers(cluster);
      if (fleet.find(cluster) !== undefined && !isPending) return reconcile(request, context);
      context.log.debug({}, 'the cluster is not engaged');
      return undefined;
    };
  }

  /**
   * Delays the runs of objects that exist and that the cache lacks. With labels as selectors of a sharding, an object
   * whose label another client has removed or changed would else look deleted.
   */
  #unlessHidden({
    for: primary,
    reconcile,
  }: ControllerOptions<KubernetesObject, Q>): Reconcile<Q> | undefined {
    const usesLabels = this.#host.shards?.usesLabels === true;
    if (reconcile === undefined || primary === undefined || !usesLabels) return reconcile;
    return async (request, context) => {
      const { namespace, name = '' } = request as Partial<Request>;
      const source = this.#sources.primaryOf({ namespace });
      if ((await source?.isHidden({ namespace, name })) !== true) {
        return reconcile(request, context);
      }
      context.log.debug({}, 'the object exists, and is not in the cache without its label');
      return HIDDEN;
    };
  }

  #slotOf(shards: ShardGate, request: Q): number {
    return shards.slotOf(request, this.#loop.keyOf(request));
  }

  /** The queries of its watches in the main cluster. */
  readonly queries = (): readonly SourceOptions[] => this.#sources.queries;

  /** Applies changed namespaces of the manager. Resolves as `setNamespaces` does. */
  readonly follow = (options: RemoveOptions): Promise<void> => this.#watches.follow(options);

  /** Opens the sources with `clusters` in a cluster that was added. */
  readonly engage = (cluster: FleetCluster): void => {
    if (this.#ending === undefined && this.#fleet.has(cluster)) this.#engage(cluster);
  };

  #engage(cluster: FleetCluster): void {
    this.#reconfigurations.engage(cluster, (one) => this.#fleet.has(one));
  }

  /** Removes the watches of a cluster. Resolves as the removal of a watch does. */
  readonly leaveCluster = (cluster: string): Promise<void> => {
    this.#reconfigurations.leaveCluster(cluster);
    return this.#watches.leaveCluster(cluster);
  };

  /** The number of initial requests that keep the manager from being ready. A standby does not wait for them. */
  readonly initialRequests = (): number => this.#firstPass?.left() ?? 0;

  /** The required watches that keep the manager from being ready. */
  readonly unready = (): UnreadySource[] => this.#sources.unready();

  async #end(milliseconds: number): Promise<void> {
    const began = this.#state !== 'created';
    this.#state = 'stopping';
    const stopped = new ManagerError('CONTROLLER_STOPPED', { controller: this.name });
    this.#sync.stop(stopped);
    this.#stopped.abort(stopped);
    const { log, observer } = this.#host;
    const release = this.#sources.detachAll();
    this.#iterables.closeAll();
    const loopEnd = this.#loop.stop(graceWithin(milliseconds));
    await endsWithin(Promise.race([loopEnd, this.#shortened.promise]), milliseconds);
    const { running } = this;
    if (running > 0) log.warn({ running }, 'reconciles still run after the stop');
    const daemons = this.#loop.reading.daemons();
    if (daemons > 0) log.warn({ daemons }, 'daemons still run after the stop');
    release();
    this.#removals.close();
    this.#state = 'stopped';
    observer.removed();
    this.#host.removed();
    if (began) log.info({}, 'controller stopped');
  }

  /** Shortens a stop that is under way to this many milliseconds from now. */
  async #shorten(ending: Promise<void>, milliseconds: number): Promise<void> {
    void this.#loop.stop(graceWithin(milliseconds));
    const ended = ending.then(() => this.#loop.idle());
    if (!(await endsWithin(ended, milliseconds))) this.#shortened.resolve();
  }

  #refuseWhenStopped(): void {
    if (this.#ending === undefined) return;
    throw new ManagerError('CONTROLLER_STOPPED', { controller: this.name });
  }
}
