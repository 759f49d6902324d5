import {
  hasCode,
  ignoreRejections,
  isPromised,
  parseDuration,
  parseObjectKey,
  type ApiResource,
  type Clock,
  type Hint,
  type KubernetesObject,
} from '@keelson/apimachinery';
import { ownerIndexer } from '@keelson/informer';
import { sourceDebounce, type EventSettings } from '../sources/event-rules/event-settings.ts';
import { sourceEventRate } from '../fights/event-rate.ts';
import type { FightWatch } from '../fights/fight-watch.ts';
import type { History } from '../history/history.ts';
import { sourcePriorities } from '../sources/event-rules/request-priorities.ts';
import { ManagerError } from '../errors.ts';
import {
  selectionOf,
  type ClusterFacts,
  type ClustersChoice,
  type ClusterSelection,
} from '../sources/cluster-selection.ts';
import { indexOf, mapByIndex, withIndexes } from '../sources/index-watches/index-watch.ts';
import { SyncRetries } from '../sources/event-rules/sync-retries.ts';
import type { EventContext, Predicate } from '../sources/event-rules/predicate.ts';
import type { Request } from '../reconcile/request.ts';
import type { ControllerTracing } from '../tracing/controllers/controller-tracing.ts';
import type { UserCode } from '../user-code/user-code.ts';
import type { OwnVersions } from '../sources/own-versions.ts';
import { mapItself, mapObjects, mapOwners, type EventMapper } from '../sources/request-mapper.ts';
import type { RequestSink } from '../sources/request-sink.ts';
import {
  clusterOf,
  sourceOptionsOf,
  type ClusterChoice,
  type OwnsOptions,
  type ReadsOptions,
  type SourceOptions,
  type SourceRole,
  type WatchOptions,
} from '../sources/source-options.ts';
import type { ShardGate, ShardedSource } from '../run/shard-gate.ts';
import type { SourceRules } from '../sources/event-rules/source-rules.ts';
import type { SourcePlan } from './source.ts';
import type { WatchDefaults } from '../sources/watch-defaults.ts';

/** A further cluster that sources with `clusters` may select. */
export interface FleetCluster extends ClusterFacts {
  /** The namespaces and the defaults of kinds in the cluster. */
  readonly watchDefaults: WatchDefaults;
  /** True from the start of its removal on. */
  readonly isRemoved: boolean;
}

/** The further clusters of a manager. */
export interface Fleet {
  /** The clusters that are not being removed, and whose requests run in this process. */
  readonly present: readonly FleetCluster[];
  /** The cluster of this name, also during its removal. */
  find(name: string): FleetCluster | undefined;
}

/** The parts of a controller that its sources use. */
export interface SourceFactoryOptions<Q extends object> extends EventContext {
  /** The owner of the handles in the cache's inventory: the name and the epoch of the controller. */
  readonly owner: string;
  readonly settings: SourceSettings;
  readonly watchDefaults: WatchDefaults;
  readonly fleet: Fleet;
  readonly sink: RequestSink<Q>;
  /** Default: the clock of the system. */
  readonly clock?: Clock;
  /** Keeps the latest events for `explain`; `undefined` if the controller keeps none. */
  readonly history?: History | undefined;
  /** Receives the events that queue a request. Default: none. */
  readonly tracing?: ControllerTracing | undefined;
  readonly userCode: UserCode;
  /** The versions that the controller wrote itself. */
  readonly own: OwnVersions;
  readonly fights: FightWatch;
  /** Selects the objects that this replica caches; `undefined` unless the controller is sharded. */
  readonly shards?: Pick<ShardGate, 'partOf'> | undefined;
}

/** The settings of a controller for its sources. */
export interface SourceSettings extends EventSettings {
  /** Milliseconds; 0 for none. */
  readonly resync: number;
}

/** The options of a controller that name its watches. */
export interface DeclaredSources<Q extends object> {
  readonly for?: GivenSource<SourceOptions>;
  readonly owns?: readonly GivenSource<OwnsOptions>[];
  readonly watches?: readonly WatchOptions<KubernetesObject, Q>[];
  readonly reads?: readonly GivenSource<ReadsOptions>[];
}

type GivenSource<O> = ApiResource | O | Hint<string>;

/** One source of a controller's options, in whichever cluster. */
interface Declaration<Q extends object> {
  readonly role: SourceRole;
  readonly options: SourceOptions & ClusterChoice;
  /**
   * Returns the mapper for the events of a cluster. The argument is `undefined` for a source without `clusters`, which
   * has one cluster only.
   */
  readonly mapperIn: (cluster: string | undefined) => EventMapper<Q> | undefined;
  /** The requests of its events, if the metadata of an object decides them. */
  readonly sharded?: ShardedSource | undefined;
}

/** Completes the options of sources with the defaults of the controller and the manager. */
export class SourceFactory<Q extends object> {
  readonly #options: SourceFactoryOptions<Q>;
  /** The predicates of all sources. */
  readonly #predicates: readonly Predicate[];
  /** The context of mappers and predicates. */
  readonly #context: EventContext;
  readonly #retries = new SyncRetries();
  /** The settings in force. */
  #settings: SourceSettings;

  /** True if a request carries the cluster of its object. */
  readonly #carriesCluster: boolean;

  constructor(
    options: SourceFactoryOptions<Q>,
    predicates: readonly Predicate[],
    carriesCluster: boolean,
  ) {
    this.#options = options;
    const { cache, clusters } = options;
    this.#context = Object.freeze({ cache, clusters });
    this.#carriesCluster = carriesCluster;
    this.#settings = options.settings;
    this.#predicates = predicates;
  }

  /** Uses other settings for later sources. */
  configure(settings: SourceSettings): void {
    this.#settings = settings;
  }

  /** The rules of a source by the settings in force. */
  rulesOf({ role, options }: Pick<SourcePlan<Q>, 'role' | 'options'>): SourceRules {
    return this.#rulesOf(role, options, this.#settings);
  }

  /**
   * The plans of the sources that the options of a controller name. They have these settings, or those in force. A source
   * with `clusters` has a plan for each cluster that it selects.
   */
  plansOf(
    declared: DeclaredSources<Q>,
    settings: SourceSettings = this.#settings,
  ): SourcePlan<Q>[] {
    const { fleet } = this.#options;
    return this.#declarationsOf(declared).flatMap((one) =>
      selectionOf(one.options) === undefined
        ? [this.#plan(one.role, one.options, one.mapperIn(undefined), settings, one)]
        : fleet.present.flatMap((cluster) => this.#planIn(cluster, one, settings)),
    );
  }

  /** The plans of the sources with `clusters` in one cluster. */
  plansIn(cluster: FleetCluster, declared: DeclaredSources<Q>): SourcePlan<Q>[] {
    return this.#declarationsOf(declared)
      .filter(({ options }) => selectionOf(options) !== undefined)
      .flatMap((one) => this.#planIn(cluster, one, this.#settings));
  }

  /** The options of the sources with `clusters`, as they are in each of them. */
  spanningOf(declared: DeclaredSources<Q>): SourceOptions[] {
    return this.#declarationsOf(declared)
      .map(({ options }) => options)
      .filter((options) => selectionOf(options) !== undefined);
  }

  #declarationsOf({
    for: primary,
    owns = [],
    watches = [],
    reads = [],
  }: DeclaredSources<Q>): Declaration<Q>[] {
    const found: Declaration<Q>[] = [];
    const add = (
      role: SourceRole,
      given: SourceOptions,
      mapperIn: Declaration<Q>['mapperIn'],
      sharded?: ShardedSource,
    ): void => {
      const required = given.required ?? selectionOf(given) === undefined;
      const options = withIndexes({ ...given, required }, watches);
      found.push({ role, options, mapperIn, sharded });
    };
    if (primary !== undefined) {
      const options = sourceOptionsOf<SourceOptions & ClustersChoice>(primary);
      const itself = asMapperOf<Q>(mapItself);
      add('for', options, (cluster) => this.#inCluster(cluster, itself), {
        resource: options.resource,
      });
      for (const given of owns) {
        const owned = withOwnerIndex(sourceOptionsOf<OwnsOptions>(given));
        const { clusters = selectionOf(options) } = owned;
        const mapper = asMapperOf<Q>(mapOwners(options.resource, owned.owners));
        const chosen = clusters === undefined ? owned : { ...owned, clusters };
        const owner = { resource: options.resource, match: owned.owners ?? 'controller' } as const;
        add('owns', chosen, (cluster) => this.#inCluster(cluster, mapper), {
          resource: owned.resource,
          owner,
        });
      }
    }
    for (const watch of watches) {
      add('watch', watch, (cluster) => this.#inCluster(cluster, this.#mapperOf(watch, cluster)));
    }
    for (const read of reads) add('reads', sourceOptionsOf(read), () => undefined);
    return found;
  }

  /** The plan of a source in a cluster, if the source selects it. */
  #planIn(
    cluster: FleetCluster,
    { role, options, mapperIn }: Declaration<Q>,
    settings: SourceSettings,
  ): SourcePlan<Q>[] {
    const { clusters: _, ...rest } = options;
    const clusters = selectionOf(options);
    const { name } = cluster;
    if (clusters === undefined || !this.#selects(clusters, cluster, sourceName(role, rest, name)))
      return [];
    const own: SourceOptions & ClusterChoice = { ...rest, cluster: name };
    return [this.#plan(role, own, mapperIn(name), settings, { spans: true })];
  }

  /** True if a source selects a cluster. An error of the user's function is reported, and leaves the cluster out. */
  #selects(clusters: ClusterSelection, cluster: FleetCluster, source: string): boolean {
    if (clusters === 'all') return true;
    const { sink, userCode } = this.#options;
    const { name, labels } = cluster;
    try {
      const selected: unknown = userCode.call(clusters, { name, labels });
      if (typeof selected === 'boolean') return selected;
      ignoreRejections(selected);
      const returned = isPromised(selected) ? 'promise' : typeof selected;
      throw new ManagerError('CLUSTER_SELECTION', { cluster: name, returned });
    } catch (cause) {
      const isOwn = hasCode(cause, 'CLUSTER_SELECTION');
      const error = isOwn
        ? cause
        : new ManagerError('CLUSTER_SELECTION', { cluster: name }, { cause });
      sink.sourceError(source, error);
      return false;
    }
  }

  /** Adds the cluster of its events to the requests of a mapper. A mapper of the user may name another one. */
  #inCluster(cluster: string | undefined, mapper: EventMapper<Q>): EventMapper<Q> {
    if (cluster === undefined || !this.#carriesCluster) return mapper;
    return (event, emit, failed) => {
      const emitIn = (request: Q): void => {
        let complete: Q;
        try {
          complete = withCluster(cluster, request);
        } catch (error) {
          // A getter of the request threw. The requests after it are not dropped.
          return failed(error);
        }
        emit(complete);
      };
      mapper(event, emitIn, failed);
    };
  }

  /** Returns the plan of a watch that is added at run time. */
  watch(options: WatchOptions<KubernetesObject, Q>): SourcePlan<Q> {
    return this.#plan('watch', options, this.#mapperOf(options, undefined), this.#settings);
  }

  /** Returns the plan of a watch with the functions and namespaces of other options, which are equal in all else. */
  changed(plan: SourcePlan<Q>, options: WatchOptions<KubernetesObject, Q>): SourcePlan<Q> {
    return {
      ...plan,
      options: this.#complete(options),
      mapper: this.#mapperOf(options, undefined),
    };
  }

  /** Adds the defaults of the cluster of a source. */
  #complete<O extends SourceOptions>(options: O): O {
    return this.#defaultsOf(options)?.complete(options) ?? options;
  }

  /** The defaults of a source: those of the manager for the main cluster, else those of its cluster. */
  #defaultsOf(options: SourceOptions): WatchDefaults | undefined {
    const cluster = clusterOf(options);
    const { fleet, watchDefaults } = this.#options;
    return cluster === undefined ? watchDefaults : fleet.find(cluster)?.watchDefaults;
  }

  #mapperOf(watch: WatchOptions<KubernetesObject, Q>, cluster: string | undefined): EventMapper<Q> {
    const index = indexOf(watch);
    const { userCode } = this.#options;
    const map = index === undefined ? watch.map : mapByIndex<Q>(index);
    return mapObjects(map, { userCode, context: this.#contextIn(cluster) });
  }

  /** The context of mappers and predicates of a source that spans clusters, in one of them. */
  #contextIn(cluster: string | undefined): EventContext {
    if (cluster === undefined) return this.#context;
    const { cache } = this.#options.clusters.get(cluster);
    return Object.freeze({ ...this.#context, cluster: Object.freeze({ name: cluster, cache }) });
  }

  #rulesOf(role: SourceRole, options: SourceOptions, settings: SourceSettings): SourceRules {
    const rate = sourceEventRate(options, settings.eventRate);
    const { fights } = this.#options;
    return {
      debounce: sourceDebounce(options, settings),
      governing: rate && { rate, ofRequests: role === 'for', fights },
      resync: resyncOf(options, settings),
    };
  }

  #plan(
    role: SourceRole,
    given: SourceOptions,
    mapper: EventMapper<Q> | undefined,
    settings: SourceSettings,
    place: { readonly sharded?: ShardedSource | undefined; readonly spans?: boolean } = {},
  ): SourcePlan<Q> {
    const { sharded, spans = false } = place;
    const { shards, owner, sink, clock, history, tracing, userCode, own } = this.#options;
    const cluster = clusterOf(given);
    const options = this.#complete(given);
    const name = sourceName(role, options, cluster);
    const parts = {
      name,
      owner: `${owner}: ${name}`,
      required: options.required ?? false,
      priorities: sourcePriorities(options, settings.priorities),
      ...this.#rulesOf(role, options, settings),
      clock,
      sharedPredicates: this.#predicates,
      part: sharded && shards?.partOf(sharded),
      ignored: options.ignoreOwn === true ? own.use() : undefined,
      onDeleted: role === 'for' ? forgetting(sink, spans ? cluster : undefined) : undefined,
      sink,
      history,
      tracing,
      userCode,
      context: this.#contextIn(spans ? cluster : undefined),
      retries: this.#retries,
      watchDefaults: this.#defaultsOf(given),
    };
    return { role, options, mapper, parts, spans };
  }
}

/** Returns the name of a source in logs, metrics and causes. */
function sourceName(role: SourceRole, { resource }: SourceOptions, cluster?: string): string {
  return cluster === undefined
    ? `${role} ${resource.kind}`
    : `${role} ${resource.kind} of ${cluster}`;
}

function resyncOf({ resync }: SourceOptions, settings: SourceSettings): number {
  return resync === undefined ? settings.resync : parseDuration(resync, 'resync');
}

/** Returns a function that resets the failures of a request by the key of its object. */
function forgetting<Q extends object>(
  sink: Pick<RequestSink<Q>, 'forget'>,
  cluster: string | undefined,
): (key: string) => void {
  if (cluster === undefined) return (key) => sink.forget(parseObjectKey(key) as Q);
  return (key) => sink.forget(withCluster(cluster, parseObjectKey(key) as Q));
}

/**
 * Returns a request with a cluster, unless it names one. A value that is not a request stays as it is, and the queue
 * refuses it.
 */
function withCluster<Q extends object>(cluster: string, request: Q): Q {
  const isRequest = typeof request === 'object' && request !== null && !isPromised(request);
  return isRequest ? { cluster, ...request } : request;
}

/** Casts a mapper of plain names. The types of the options allow `for` and `owns` only with such requests. */
function asMapperOf<Q extends object>(mapper: EventMapper<Request>): EventMapper<Q> {
  return mapper as unknown as EventMapper<Q>;
}

/** Adds the index with which `cache.owned` finds the children of an owner. */
function withOwnerIndex(options: OwnsOptions): OwnsOptions {
  const { indexers = [], owners } = options;
  return { ...options, indexers: [...indexers, ownerIndexer(owners)] };
}
