import {
  CodedError,
  parseDuration,
  parseObjectKey,
  resourceId,
  type ErrorFacts,
  type KubernetesObject,
  type SharedSlice,
} from '@keelson/apimachinery';
import {
  informerErrors,
  ownerIndexer,
  type Indexer,
  type InformerEvent,
  type WatchHealth,
} from '@keelson/informer';
import {
  sourceOptionsOf,
  type ControllerOptions,
  type ControllerSettings,
} from './controller-options.ts';
import { IterableSource, type SourcePhase } from './sources/iterable-source.ts';
import {
  isBlocked,
  KindSource,
  type RequestSink,
  type WatchProvider,
} from './sources/kind-source.ts';
import type { OwnVersions } from './sources/own-versions.ts';
import { mapObjects, mapOwners, type EventMapper } from './sources/request-mapper.ts';
import type { Request } from '../reconcile/request.ts';
import type {
  OwnsOptions,
  SourceOptions,
  SourceRole,
  WatchOptions,
} from './sources/source-options.ts';
import type { UserCode } from '../user-code/user-code.ts';

/** A required watch that keeps the manager from being ready. */
export interface UnreadySource {
  readonly source: string;
  readonly resource: string;
  readonly state: WatchHealth['state'] | 'not started';
  readonly reason: string;
  /** The verb that the API server forbids. */
  readonly verb: 'list' | 'watch' | undefined;
  readonly error: Error | undefined;
  /** True while the server does not serve or allow the kind. */
  readonly isBlocked: boolean;
  /** The milliseconds since the start of the watch in which the kind was not blocked. */
  readonly syncingMs: number;
}

export interface ControllerSourcesOptions<Q extends object> {
  /** The owner of the handles in the cache's inventory: the name and the epoch of the controller. */
  readonly owner: string;
  readonly settings: ControllerSettings;
  readonly sink: RequestSink<Q>;
  readonly slice: SharedSlice;
  readonly userCode: UserCode;
  /** The writes of the controller. */
  readonly own: OwnVersions;
}

/** All sources of one controller: the watches of its options, dynamic watches, and async iterables. */
export class ControllerSources<Q extends object> {
  readonly #setup: ControllerSourcesOptions<Q>;
  readonly #kinds = new Set<KindSource<Q>>();
  readonly #iterables: readonly IterableSource<Q>[];
  /** The watch of `for`. */
  #primary: KindSource<Q> | undefined;
  #cache: WatchProvider | undefined;

  constructor(
    controller: ControllerOptions<KubernetesObject, Q>,
    setup: ControllerSourcesOptions<Q>,
  ) {
    this.#setup = setup;
    const { for: primary, owns = [], watches = [], reads = [], sources = [] } = controller;
    if (primary !== undefined) this.#addPrimary(sourceOptionsOf(primary), owns);
    for (const watch of watches) this.add(watch, true);
    for (const read of reads) this.#create('reads', sourceOptionsOf(read), undefined, true);
    this.#iterables = sources.map(
      (source) => new IterableSource({ phase: controller.phase ?? 'leader', ...source }, setup),
    );
  }

  /** Opens the watches, and later each added one. Resolves when the required watches have synced. */
  async open(cache: WatchProvider): Promise<void> {
    this.#cache = cache;
    for (const source of this.#kinds) source.open(cache);
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
  async consume(phase: SourcePhase): Promise<void> {
    const iterables = this.#iterables.filter((source) => source.phase === phase);
    await Promise.all(iterables.map((source) => source.open()));
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
    return this.#required().filter(isUnready).map(describe);
  }

  /** True if the request names an existing object of `for`. */
  exists(request: Q): boolean {
    // With `for` a request is a plain name, because `objectIdentity` drops other members.
    return this.#primary?.holds(request as unknown as Request) ?? false;
  }

  add(options: WatchOptions<KubernetesObject, Q>, required: boolean): KindSource<Q> {
    const source = this.#create('watch', options, this.#mapperOf(options), required);
    try {
      if (this.#cache !== undefined) source.open(this.#cache);
    } catch (error) {
      this.detach(source);
      throw error;
    }
    return source;
  }

  /** Replaces the mapper and predicates of a watch from its next event on. */
  update(source: KindSource<Q>, options: WatchOptions<KubernetesObject, Q>): void {
    checkSameFunctions(source.options, options);
    source.replace(this.#mapperOf(options), options.predicates);
  }

  /** Stops the requests of a source. Running reconciles may read its objects until it is released. */
  detach(source: KindSource<Q>): void {
    source.detach();
    this.#kinds.delete(source);
  }

  /** Detaches every source. Returns a function that releases them, to be called after the last reconcile. */
  detachAll(): () => void {
    const sources = [...this.#kinds];
    for (const source of sources) this.detach(source);
    for (const source of this.#iterables) source.close();
    return () => {
      for (const source of sources) source.release();
    };
  }

  #required(): KindSource<Q>[] {
    return [...this.#kinds].filter((source) => source.required);
  }

  #mapperOf({ map }: WatchOptions<KubernetesObject, Q>): EventMapper<Q> {
    return mapObjects(map, this.#setup.userCode);
  }

  #addPrimary(primary: SourceOptions, owns: NonNullable<ControllerOptions['owns']>): void {
    this.#primary = this.#create(
      'for',
      primary,
      asMapperOf((event, emit) => this.#mapPrimary(event, emit)),
      true,
    );
    for (const owned of owns) {
      const options = withOwnerIndex(sourceOptionsOf<OwnsOptions>(owned));
      this.#create('owns', options, asMapperOf(mapOwners(primary.resource, options.owners)), true);
    }
  }

  #mapPrimary(event: InformerEvent, emit: (request: Request) => void): void {
    const request = parseObjectKey(event.key);
    if (event.type === 'deleted') this.#setup.sink.forget(request as Q);
    emit(request);
  }

  #create(
    role: SourceRole,
    options: SourceOptions,
    mapper: EventMapper<Q> | undefined,
    requiredByDefault: boolean,
  ): KindSource<Q> {
    const { owner, settings, sink, userCode, own } = this.#setup;
    const name = `${role} ${options.resource.kind}`;
    const source = new KindSource<Q>({
      name,
      owner: `${owner}: ${name}`,
      options,
      required: options.required ?? requiredByDefault,
      initialPriority: settings.initialPriority,
      resync: resyncOf(options, settings),
      ignored: options.ignoreOwn === true ? own.use() : undefined,
      mapper,
      sink,
      userCode,
    });
    this.#kinds.add(source);
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

/** Throws if a transform or indexer of a running watch has the same name and another function. */
function checkSameFunctions(known: SourceOptions, given: SourceOptions): void {
  const resource = resourceId(given.resource);
  if (known.transform?.apply !== given.transform?.apply) {
    throw conflict('TRANSFORM_CONFLICT', { resource, transform: given.transform?.name });
  }
  const before = known.indexers ?? [];
  const other = (given.indexers ?? []).find((indexer, at) => !isSameIndexer(indexer, before[at]));
  if (other === undefined) return;
  throw conflict('INDEXER_CONFLICT', { resource, indexer: other.name });
}

/** The error that `acquire` of the cache throws for the same mistake. */
function conflict(code: 'TRANSFORM_CONFLICT' | 'INDEXER_CONFLICT', facts: ErrorFacts): CodedError {
  return new CodedError(code, informerErrors[code], facts);
}

function isSameIndexer(one: Indexer, other: Indexer | undefined): boolean {
  if (other === undefined) return false;
  if ('head' in one) return 'head' in other && one.head === other.head;
  return 'body' in other && one.body === other.body;
}

function isUnready<Q extends object>({ hasSynced, health }: KindSource<Q>): boolean {
  return !hasSynced || health === undefined || isBlocked(health);
}

function describe<Q extends object>(source: KindSource<Q>): UnreadySource {
  const { name, options, health, syncingMs } = source;
  return {
    source: name,
    resource: resourceId(options.resource),
    state: health?.state ?? 'not started',
    reason: health?.reason ?? 'the watch is not open',
    verb: health?.verb,
    error: health?.lastError,
    isBlocked: health !== undefined && isBlocked(health),
    syncingMs,
  };
}
