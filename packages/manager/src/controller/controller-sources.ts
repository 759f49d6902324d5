import {
  parseDuration,
  parseObjectKey,
  type KubernetesObject,
  type SharedSlice,
} from '@keelson/apimachinery';
import { ownerIndexer } from '@keelson/informer';
import {
  sourceOptionsOf,
  type ControllerOptions,
  type ControllerSettings,
} from './controller-options.ts';
import { sourceDebounce } from './event-rules/event-settings.ts';
import { sourceEventRate } from './governor/event-rate.ts';
import type { FightWatch } from './governor/fight-watch.ts';
import type { LoopSources } from './run-outcome.ts';
import type {
  IterableSource,
  IterableSourceOptions,
  SourcePhase,
} from './iterables/iterable-source.ts';
import { IterableSources } from './iterables/iterable-sources.ts';
import type { KindSource, WatchProvider } from './sources/kind-source.ts';
import { namespaceSet, withNamespaceSet, type NamespaceSet } from './sources/namespace-set.ts';
import type { OwnVersions } from './sources/own-versions.ts';
import { mapObjects, mapOwners, type EventMapper } from './sources/request-mapper.ts';
import { sourcePriorities } from './event-rules/request-priorities.ts';
import type { RequestSink } from './sources/request-sink.ts';
import type { CauseSet } from '../reconcile/cause.ts';
import type { Request } from '../reconcile/request.ts';
import { checkSameFunctions, checkTogether } from './sources/source-functions.ts';
import {
  clusterOf,
  type OwnsOptions,
  type SourceOptions,
  type SourceRole,
  type WatchOptions,
} from './sources/source-options.ts';
import { SourceWatches } from './sources/source-watches.ts';
import { unreadySources, type UnreadySource } from './sources/unready-source.ts';
import { WatchRemovals } from './sources/watch-removals.ts';
import { needsNamespaces, type WatchDefaults } from './sources/watch-defaults.ts';
import type { UserCode } from '../user-code/user-code.ts';

export interface ControllerSourcesOptions<Q extends object> {
  /** The owner of the handles in the cache's inventory: the name and the epoch of the controller. */
  readonly owner: string;
  readonly settings: ControllerSettings;
  readonly watchDefaults: WatchDefaults;
  /** The causes of the requests that the controller itself queues. */
  readonly ownCauses: CauseSet;
  readonly sink: RequestSink<Q>;
  /** The caches of the further clusters. */
  readonly clusters: { get(name: string): { readonly cache: WatchProvider } };
  readonly slice: SharedSlice;
  readonly userCode: UserCode;
  /** The writes of the controller. */
  readonly own: OwnVersions;
  readonly fights: FightWatch;
}

/** All sources of one controller: the watches of its options, dynamic watches, and async iterables. */
export class ControllerSources<Q extends object> implements LoopSources<Q> {
  readonly #setup: ControllerSourcesOptions<Q>;
  /** The removals of watches with `onWatchRemoved`. */
  readonly removals: WatchRemovals<Q>;
  readonly #sources = new Set<SourceWatches<Q>>();
  readonly #iterables: IterableSources<Q>;
  /** The predicates of all sources. */
  readonly #predicates: NonNullable<ControllerOptions['predicates']>;
  /** The watches of `for`. */
  #primary: SourceWatches<Q> | undefined;
  /** The namespaces of the controller itself. */
  #namespaces: NamespaceSet | undefined;
  #cache: WatchProvider | undefined;

  constructor(
    controller: ControllerOptions<KubernetesObject, Q>,
    setup: ControllerSourcesOptions<Q>,
  ) {
    this.#setup = setup;
    this.removals = new WatchRemovals(setup);
    this.#namespaces = withNamespaceSet(controller).namespaces;
    this.#predicates = [...(controller.predicates ?? [])];
    const { for: primary, owns = [], watches = [], reads = [], sources = [] } = controller;
    if (primary !== undefined) this.#addPrimary(sourceOptionsOf(primary), owns);
    for (const watch of watches) this.add(watch, true);
    for (const read of reads) this.#create('reads', sourceOptionsOf(read), undefined, true);
    this.#iterables = new IterableSources(sources, controller.phase ?? 'leader', setup);
  }

  /** Opens the watches, and later each added one. Resolves when the required watches have synced. */
  async open(cache: WatchProvider): Promise<void> {
    this.#cache = cache;
    for (const source of this.#sources) this.#open(source, cache);
    await Promise.all([this.synced(), this.consume('caches')]);
  }

  /** Resolves when every required watch has synced or was removed, including watches added during the wait. */
  async synced(): Promise<void> {
    const unsynced = (): KindSource<Q>[] => this.#required().filter(({ hasSynced }) => !hasSynced);
    for (let pending = unsynced(); pending.length > 0; pending = unsynced()) {
      await Promise.all(pending.map((source) => source.syncedOrRemoved()));
    }
  }

  /** Opens the iterables of a phase. Rejects with `SOURCE_FAILED`. */
  consume(phase: SourcePhase): Promise<void> {
    return this.#iterables.consume(phase);
  }

  addIterable(options: IterableSourceOptions<Q>): IterableSource<Q> {
    return this.#iterables.add(options);
  }

  closeIterable(source: IterableSource<Q>): void {
    this.#iterables.close(source);
  }

  taken(key: string): void {
    this.#iterables.taken(key);
  }

  pending(): ReadonlyMap<string, number> {
    return this.#iterables.pending();
  }

  /**
   * Resolves when every required watch has synced, or the server does not serve or allow its kind. Watches that are
   * added during the wait count too.
   */
  async settled(): Promise<void> {
    const seen = new Set<KindSource<Q>>();
    const fresh = (): KindSource<Q>[] => this.#required().filter((source) => !seen.has(source));
    for (let pending = fresh(); pending.length > 0; pending = fresh()) {
      for (const source of pending) seen.add(source);
      await Promise.all(pending.map((source) => source.settled()));
    }
  }

  /** The required watches that have not synced, or that the server does not serve or allow. */
  unready(): UnreadySource[] {
    return unreadySources(this.#required());
  }

  /** True if the request names an existing object of `for`. */
  exists(request: Q): boolean {
    // With `for` a request is a plain name, because `objectIdentity` drops other members.
    const name = request as unknown as Request;
    return this.#primary?.memberOf(name.namespace)?.holds(name) ?? false;
  }

  /**
   * Returns the causes with which a run queues its request again; `undefined` if the namespace of the request has left
   * `for` and only its watch caused the run.
   */
  repeatsOf(request: Q, isWithdrawn: boolean): CauseSet | undefined {
    const [own, { namespace }] = [this.#setup.ownCauses, request as Partial<Request>];
    if (this.#primary === undefined || namespace === undefined) return own;
    return this.#primary.memberOf(namespace)?.repeats ?? (isWithdrawn ? undefined : own);
  }

  /** Replaces the namespaces of the controller. Returns the watches that left, detached. Throws `INVALID_OPTION`. */
  setNamespaces(namespaces: NamespaceSet): readonly KindSource<Q>[] {
    const next = namespaceSet(namespaces, 'setNamespaces');
    if (this.#namespaces === undefined) throw needsNamespaces('the controller');
    this.#namespaces = next;
    return this.follow();
  }

  /** Applies changed namespaces of the controller or the manager. Returns the watches that left, detached. */
  follow(): readonly KindSource<Q>[] {
    return [...this.#sources].flatMap((source) => source.follow());
  }

  add(options: WatchOptions<KubernetesObject, Q>, required: boolean): SourceWatches<Q> {
    const source = this.#create('watch', options, this.#mapperOf(options), required);
    const cache = this.#cache;
    try {
      if (cache !== undefined) this.removals.open(source, () => this.#open(source, cache));
    } catch (error) {
      this.detach(source);
      throw error;
    }
    return source;
  }

  /**
   * Replaces the mapper and predicates of a watch from its next event on, and its namespaces. Returns the watches of the
   * namespaces that left, detached.
   */
  update(
    source: SourceWatches<Q>,
    options: WatchOptions<KubernetesObject, Q>,
  ): readonly KindSource<Q>[] {
    const { watchDefaults } = this.#setup;
    const completed = clusterOf(options) === undefined ? watchDefaults.complete(options) : options;
    checkSameFunctions(source.options, completed);
    return source.update(completed, this.#mapperOf(options));
  }

  /** Stops the requests of a source. Running reconciles may read its objects until it is released. */
  detach(source: SourceWatches<Q>): void {
    source.detach();
    this.#sources.delete(source);
  }

  /** Detaches every source. Returns a function that releases them, to be called after the last reconcile. */
  detachAll(): () => void {
    const members = [...this.#sources].flatMap((source) => source.members);
    for (const source of this.#sources) this.detach(source);
    this.#iterables.closeAll();
    return () => members.forEach((member) => member.release());
  }

  /** The sources that name this cluster. */
  ofCluster(name: string): readonly SourceWatches<Q>[] {
    return [...this.#sources].filter(({ options }) => clusterOf(options) === name);
  }

  #open(source: SourceWatches<Q>, main: WatchProvider): void {
    const cluster = clusterOf(source.options);
    source.open(cluster === undefined ? main : this.#setup.clusters.get(cluster).cache);
  }

  #required(): KindSource<Q>[] {
    const required = [...this.#sources].filter((source) => source.required);
    return required.flatMap(({ members }) => members);
  }

  #mapperOf({ map }: WatchOptions<KubernetesObject, Q>): EventMapper<Q> {
    return mapObjects(map, this.#setup.userCode);
  }

  #addPrimary(primary: SourceOptions, owns: NonNullable<ControllerOptions['owns']>): void {
    this.#primary = this.#create(
      'for',
      primary,
      asMapperOf(({ key }, emit) => emit(parseObjectKey(key))),
      true,
    );
    for (const owned of owns) {
      const options = withOwnerIndex(sourceOptionsOf<OwnsOptions>(owned));
      this.#create('owns', options, asMapperOf(mapOwners(primary.resource, options.owners)), true);
    }
  }

  #create(
    role: SourceRole,
    given: SourceOptions,
    mapper: EventMapper<Q> | undefined,
    requiredByDefault: boolean,
  ): SourceWatches<Q> {
    const { owner, settings, watchDefaults, sink, userCode, own, clusters, fights } = this.#setup;
    const cluster = clusterOf(given);
    if (cluster !== undefined) clusters.get(cluster);
    // The defaults of the manager and the namespaces of the controller are those of the main cluster.
    const options = cluster === undefined ? watchDefaults.complete(given) : given;
    for (const other of [{ options }, ...this.#sources]) checkTogether(other.options, options);
    const kind = `${role} ${options.resource.kind}`;
    const name = cluster === undefined ? kind : `${kind} of ${cluster}`;
    const rate = sourceEventRate(options, settings.eventRate);
    const source = new SourceWatches<Q>(options, mapper, {
      name,
      owner: `${owner}: ${name}`,
      required: options.required ?? requiredByDefault,
      priorities: sourcePriorities(options, settings.priorities),
      debounce: sourceDebounce(options, settings),
      governing: rate && { rate, ofRequests: role === 'for', fights },
      sharedPredicates: this.#predicates,
      resync: resyncOf(options, settings),
      ignored: options.ignoreOwn === true ? own.use() : undefined,
      onDeleted: role === 'for' ? (key) => sink.forget(parseObjectKey(key) as Q) : undefined,
      sink,
      userCode,
      defaultNamespaces: () =>
        cluster === undefined
          ? (this.#namespaces ?? watchDefaults.namespacesOf(options.resource))
          : undefined,
    });
    this.#sources.add(source);
    return source;
  }
}

function resyncOf({ resync }: SourceOptions, settings: ControllerSettings): number {
  return resync === undefined ? settings.resync : parseDuration(resync, 'resync');
}

/** Casts a mapper of plain names: by its types, a controller has `for` and `owns` only with such requests. */
function asMapperOf<Q extends object>(mapper: EventMapper<Request>): EventMapper<Q> {
  return mapper as unknown as EventMapper<Q>;
}

/** Adds the index with which `cache.owned` finds the children of an owner. */
function withOwnerIndex(options: OwnsOptions): OwnsOptions {
  const { indexers = [], owners } = options;
  return { ...options, indexers: [...indexers, ownerIndexer(owners)] };
}
