import type { KubernetesObject, SharedSlice } from '@keelson/apimachinery';
import type { CacheReader } from '@keelson/informer';
import type { ControllerOptions } from './controller-options.ts';
import type { LoopSources } from '../run/run-outcome.ts';
import type {
  IterableSource,
  IterableSourceOptions,
  SourcePhase,
} from './iterables/iterable-source.ts';
import { IterableSources } from './iterables/iterable-sources.ts';
import type { KindSource, WatchProvider } from './sources/kind-source.ts';
import { namespaceSet, withNamespaceSet, type NamespaceSet } from './sources/namespace-set.ts';
import type { CauseSet } from '../reconcile/cause.ts';
import { PrimaryObjects } from './exchange/primary-objects.ts';
import {
  SourceFactory,
  type DeclaredSources,
  type SourceFactoryOptions,
  type SourceSettings,
} from './exchange/source-factory.ts';
import { checkSameFunctions, NamedFunctions } from './sources/source-functions.ts';
import { clusterOf, type SourceOptions, type WatchOptions } from './sources/source-options.ts';
import { sourceText } from './sources/source-text.ts';
import { SourceWatches, type SourcePlan } from './sources/source-watches.ts';
import { unreadySources, type UnreadySource } from './sources/unready-source.ts';
import { WatchRemovals } from './sources/watch-removals.ts';
import { needsNamespaces } from './sources/watch-defaults.ts';

export interface ControllerSourcesOptions<Q extends object> extends SourceFactoryOptions<Q> {
  readonly ownCauses: CauseSet;
  /** The caches of the further clusters. */
  readonly clusters: { get(name: string): { readonly cache: WatchProvider & CacheReader } };
  readonly slice: SharedSlice;
}

/** All sources of one controller: the watches of its options, dynamic watches, and async iterables. */
export class ControllerSources<Q extends object> implements LoopSources<Q> {
  readonly #setup: ControllerSourcesOptions<Q>;
  /** The removals of watches with `onWatchRemoved`. */
  readonly removals: WatchRemovals<Q>;
  readonly #sources = new Set<SourceWatches<Q>>();
  /** Sources that a reconfiguration has opened and that are not in force yet. */
  readonly #coming = new Set<SourceWatches<Q>>();
  readonly #functions = new NamedFunctions();
  readonly #iterables: IterableSources<Q>;
  readonly #factory: SourceFactory<Q>;
  /** The sources of the controller's options. The others were added at run time. */
  readonly #declared = new Set<SourceWatches<Q>>();
  readonly #objects: PrimaryObjects<Q>;
  /** The namespaces of the controller itself after the change that is being prepared. */
  nextNamespaces: NamespaceSet | undefined;
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
    const { sources = [] } = controller;
    this.#factory = new SourceFactory(
      setup,
      [...(controller.predicates ?? [])],
      (isComing) => (isComing ? this.nextNamespaces : undefined) ?? this.#namespaces,
    );
    for (const plan of this.plansOf(controller)) {
      this.check(plan);
      const source = new SourceWatches(plan);
      for (const set of [this.#sources, this.#declared, this.#functions]) set.add(source);
    }
    const primary = this.declared.find(({ plan: { role } }) => role === 'for');
    this.#objects = new PrimaryObjects(primary, setup.ownCauses);
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

  get hasIterables(): boolean {
    return this.#iterables.size > 0;
  }

  left(key: string): void {
    this.#iterables.left(key);
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

  exists(request: Q): boolean {
    return this.#objects.exists(request);
  }

  repeatsOf(request: Q, isWithdrawn: boolean): CauseSet | undefined {
    return this.#objects.repeatsOf(request, isWithdrawn);
  }

  repeated(): Iterable<readonly [request: Q, source: CauseSet]> {
    return this.#objects.repeated();
  }

  /** Applies changed settings to the sources in force, and to those that are added from now on. */
  configure(settings: SourceSettings): void {
    this.#factory.configure(settings);
    for (const source of this.#sources) source.adopt(this.#factory.rulesOf(source.plan));
    this.#iterables.configure(settings);
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
    return [...this.#sources, ...this.#coming].flatMap((source) => source.follow());
  }

  add(options: WatchOptions<KubernetesObject, Q>, required: boolean): SourceWatches<Q> {
    const watch = { ...options, required: options.required ?? required };
    const plan = this.#factory.watch(watch);
    this.check(plan);
    const source = this.#begin(plan, true);
    this.#sources.add(source);
    this.#functions.add(source);
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
    const completed = this.#factory.complete(options);
    checkSameFunctions(source.options, completed);
    return source.update(completed, this.#factory.mapperOf(options));
  }

  /** Stops the requests of a source. Running reconciles may read its objects until it is released. */
  detach(source: SourceWatches<Q>): void {
    source.detach();
    this.#functions.delete(source);
    for (const set of [this.#sources, this.#coming, this.#declared]) set.delete(source);
  }

  /** Detaches every source. Returns a function that releases them, to be called after the last reconcile. */
  detachAll(): () => void {
    const sources = [...this.#sources, ...this.#coming];
    const all = sources.flatMap(({ opened }) => opened);
    for (const source of sources) this.detach(source);
    this.#iterables.closeAll();
    return () => {
      for (const member of all) member.release();
      this.removals.close();
    };
  }

  /** The sources that name this cluster. */
  ofCluster(name: string): readonly SourceWatches<Q>[] {
    const all = [...this.#sources, ...this.#coming];
    return all.filter(({ options }) => clusterOf(options) === name);
  }

  /** The sources in force. */
  get all(): readonly SourceWatches<Q>[] {
    return [...this.#sources];
  }

  /** The sources in force that the options of the controller name. */
  get declared(): readonly SourceWatches<Q>[] {
    return [...this.#declared];
  }

  /** The queries of the sources in the main cluster, whose access the manager needs. */
  get queries(): readonly SourceOptions[] {
    const own = this.all.filter(({ options }) => clusterOf(options) === undefined);
    return own.flatMap(({ members }) => members.map(({ options }) => options));
  }

  /** True from the start on, when the watches are open. */
  get isOpen(): boolean {
    return this.#cache !== undefined;
  }

  /** The sources in force that were added at run time. */
  get added(): readonly SourceWatches<Q>[] {
    return this.all.filter((source) => !this.#declared.has(source));
  }

  /** The plans of the sources that options name. */
  plansOf(options: DeclaredSources<Q>, settings?: SourceSettings): SourcePlan<Q>[] {
    return this.#factory.plansOf(options, settings);
  }

  /** Throws if a source cannot exist beside the present ones, or in the place of one of them. */
  check(plan: SourcePlan<Q>, present?: SourceWatches<Q>): void {
    const { options } = plan;
    const cluster = clusterOf(options);
    if (cluster !== undefined) this.#setup.clusters.get(cluster);
    this.#functions.check(options);
    if (present === undefined || sourceText(present.options) !== sourceText(options)) return;
    checkSameFunctions(present.options, options);
  }

  /** Opens the watches of a source that is not in force until `install`. */
  begin(plan: SourcePlan<Q>): SourceWatches<Q> {
    this.check(plan);
    const source = this.#begin(plan, false);
    this.#coming.add(source);
    this.#functions.add(source);
    return source;
  }

  /** Begins a source of the options of the controller. */
  install(source: SourceWatches<Q>): void {
    this.#coming.delete(source);
    this.#sources.add(source);
    this.#declared.add(source);
    source.enter();
  }

  /** Begins the coming namespaces. Returns the watches that they end and that no plan has ended, detached. */
  adoptNamespaces(): readonly KindSource<Q>[] {
    if (this.nextNamespaces === undefined) return [];
    this.#namespaces = this.nextNamespaces;
    this.nextNamespaces = undefined;
    return this.follow();
  }

  #begin(plan: SourcePlan<Q>, isInForce: boolean): SourceWatches<Q> {
    const source = new SourceWatches(plan, isInForce);
    const cache = this.#cache;
    try {
      if (cache !== undefined) this.#open(source, cache, this.removals.pending(plan.options));
    } catch (error) {
      for (const member of source.members) member.release();
      throw error;
    }
    return source;
  }

  #open(source: SourceWatches<Q>, main: WatchProvider, after?: Promise<unknown>): void {
    const cluster = clusterOf(source.options);
    source.open(cluster === undefined ? main : this.#setup.clusters.get(cluster).cache, after);
  }

  #required(): KindSource<Q>[] {
    return this.all.filter(({ required }) => required).flatMap(({ members }) => members);
  }
}
