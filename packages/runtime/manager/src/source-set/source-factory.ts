import {
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
import { indexOf, mapByIndex, withIndexes } from '../sources/index-watches/index-watch.ts';
import { SyncRetries } from '../sources/event-rules/sync-retries.ts';
import type { EventContext, Predicate } from '../reconcile/predicate.ts';
import type { Request } from '../reconcile/request.ts';
import type { ControllerTracing } from '../tracing/controllers/controller-tracing.ts';
import type { UserCode } from '../user-code/user-code.ts';
import type { OwnVersions } from '../sources/own-versions.ts';
import { mapObjects, mapOwners, type EventMapper } from '../sources/request-mapper.ts';
import type { RequestSink } from '../sources/request-sink.ts';
import {
  clusterOf,
  sourceOptionsOf,
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

/** The parts of a controller that its sources use. */
export interface SourceFactoryOptions<Q extends object> extends EventContext {
  /** The owner of the handles in the cache's inventory: the name and the epoch of the controller. */
  readonly owner: string;
  readonly settings: SourceSettings;
  readonly watchDefaults: WatchDefaults;
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

  constructor(options: SourceFactoryOptions<Q>, predicates: readonly Predicate[]) {
    this.#options = options;
    const { cache, clusters } = options;
    this.#context = Object.freeze({ cache, clusters });
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

  /** The plans of the sources that the options of a controller name. They have these settings, or those in force. */
  plansOf(
    { for: primary, owns = [], watches = [], reads = [] }: DeclaredSources<Q>,
    settings: SourceSettings = this.#settings,
  ): SourcePlan<Q>[] {
    const plans: SourcePlan<Q>[] = [];
    const indexes = watches.flatMap((watch) => indexOf(watch) ?? []);
    const add = (
      role: SourceRole,
      given: SourceOptions,
      mapper: EventMapper<Q> | undefined,
      sharded?: ShardedSource,
    ): void => {
      const options = withIndexes({ ...given, required: given.required ?? true }, indexes);
      plans.push(this.#plan(role, options, mapper, settings, sharded));
    };
    if (primary !== undefined) {
      const options = sourceOptionsOf<SourceOptions>(primary);
      add(
        'for',
        options,
        asMapperOf(({ key }, emit) => emit(Object.freeze(parseObjectKey(key)), key)),
        { resource: options.resource },
      );
      for (const given of owns) {
        const owned = withOwnerIndex(sourceOptionsOf<OwnsOptions>(given));
        const owner = { resource: options.resource, match: owned.owners ?? 'controller' } as const;
        const mapper = asMapperOf<Q>(mapOwners(options.resource, owned.owners));
        add('owns', owned, mapper, { resource: owned.resource, owner });
      }
    }
    for (const watch of watches) add('watch', watch, this.#mapperOf(watch));
    for (const read of reads) add('reads', sourceOptionsOf(read), undefined);
    return plans;
  }

  /** Returns the plan of a watch that is added at run time. */
  watch(options: WatchOptions<KubernetesObject, Q>): SourcePlan<Q> {
    return this.#plan('watch', options, this.#mapperOf(options), this.#settings);
  }

  /** Returns the plan of a watch with the functions and namespaces of other options, which are equal in all else. */
  changed(plan: SourcePlan<Q>, options: WatchOptions<KubernetesObject, Q>): SourcePlan<Q> {
    return { ...plan, options: this.#complete(options), mapper: this.#mapperOf(options) };
  }

  /** Adds the defaults of the manager, which apply to the main cluster only. */
  #complete<O extends SourceOptions>(options: O): O {
    return clusterOf(options) === undefined
      ? this.#options.watchDefaults.complete(options)
      : options;
  }

  #mapperOf(watch: WatchOptions<KubernetesObject, Q>): EventMapper<Q> {
    const index = indexOf(watch);
    const { userCode } = this.#options;
    const map = index === undefined ? watch.map : mapByIndex<Q>(index);
    return mapObjects(map, { userCode, context: this.#context });
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
    sharded?: ShardedSource,
  ): SourcePlan<Q> {
    const { shards, owner, watchDefaults, sink, clock, history, tracing, userCode, own } =
      this.#options;
    const cluster = clusterOf(given);
    const options = this.#complete(given);
    const kind = `${role} ${options.resource.kind}`;
    const name = cluster === undefined ? kind : `${kind} of ${cluster}`;
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
      onDeleted:
        role === 'for' ? (key: string) => sink.forget(parseObjectKey(key) as Q) : undefined,
      sink,
      history,
      tracing,
      userCode,
      context: this.#context,
      retries: this.#retries,
      watchDefaults,
    };
    return { role, options, mapper, parts };
  }
}

function resyncOf({ resync }: SourceOptions, settings: SourceSettings): number {
  return resync === undefined ? settings.resync : parseDuration(resync, 'resync');
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
