import type { CacheReader } from '@keelson/informer';
import type { Predicate } from '../sources/event-rules/predicate.ts';
import type { KindSource, WatchProvider } from '../sources/kind-source.ts';
import { namespaceSet, type NamespaceSet } from '../sources/namespace-set.ts';
import { carriesCluster } from '../sources/cluster-selection.ts';
import { checkSameFunctions, NamedFunctions } from '../sources/source-functions.ts';
import { clusterOf, sourceOptionsOf, type SourceOptions } from '../sources/source-options.ts';
import { unreadySources, type UnreadySource } from '../sources/unready-source.ts';
import type { ClusterRequest } from '../reconcile/request.ts';
import type { Left, NextPlan } from './next-plan.ts';
import { Source, type NextSource, type SourcePlan } from './source.ts';
import {
  SourceFactory,
  type DeclaredSources,
  type SourceFactoryOptions,
  type SourceSettings,
} from './source-factory.ts';
import type { WatchRemovals } from './watch-removals.ts';

export interface SourceSetOptions<Q extends object> extends SourceFactoryOptions<Q> {
  /** The removals of sources with `onWatchRemoved`. */
  readonly removals: WatchRemovals<Q>;
  /** The caches of the further clusters. */
  readonly clusters: { get(name: string): { readonly cache: WatchProvider & CacheReader } };
}

/** The options of a controller that decide its first plan. */
export interface FirstPlan<Q extends object> extends DeclaredSources<Q> {
  /** The predicates of all sources. */
  readonly predicates?: readonly Predicate[];
  readonly namespaces?: readonly string[];
  readonly keyOf?: unknown;
}

/** A plan whose watches are open, and its sources as sets: a plan may have thousands. */
interface PreparedPlan<Q extends object> {
  readonly plan: NextPlan<Q>;
  readonly added: ReadonlySet<Source<Q>>;
  readonly ended: ReadonlySet<Source<Q>>;
}

/** The namespace and the cluster of a request. */
type Place = Partial<Pick<ClusterRequest, 'namespace' | 'cluster'>>;

/**
 * The sources of one controller: those in force, and those of the prepared plans. Every change is a next plan.
 * `prepare` opens its watches beside those in force; then `commit` puts it in force, or `discard` cancels it. `apply`
 * does both at once.
 */
export class SourceSet<Q extends object> {
  /** Completes the options of new sources. */
  readonly factory: SourceFactory<Q>;
  /** True if the controller has `for`, even while it is watched in no cluster. */
  readonly hasFor: boolean;
  /** The kind of `for`; `undefined` without it. */
  readonly primaryKind: string | undefined;
  readonly #removals: WatchRemovals<Q>;
  readonly #clusters: SourceSetOptions<Q>['clusters'];
  readonly #functions = new NamedFunctions();
  /** The sources of the controller's options, in their order. */
  #declared: readonly Source<Q>[] = [];
  /** The sources of `for` among them, by cluster. */
  #primaries: ReadonlyMap<string | undefined, Source<Q>> = new Map();
  /** The sources with `clusters` among them, by cluster. */
  #spanning: ReadonlyMap<string | undefined, readonly Source<Q>[]> = new Map();
  /** The sources that were added at run time. */
  readonly #added = new Set<Source<Q>>();
  /** The namespaces of the controller itself. */
  #namespaces: NamespaceSet | undefined;
  /** The prepared plans. The sources that they add are open and not in force. */
  readonly #next = new Map<NextPlan<Q>, PreparedPlan<Q>>();
  /** `undefined` before the start. */
  #cache: WatchProvider | undefined;

  constructor(options: FirstPlan<Q>, setup: SourceSetOptions<Q>) {
    this.#clusters = setup.clusters;
    this.#removals = setup.removals;
    const predicates = [...(options.predicates ?? [])];
    this.factory = new SourceFactory(setup, predicates, carriesCluster(options));
    this.hasFor = options.for !== undefined;
    this.primaryKind = options.for && sourceOptionsOf<SourceOptions>(options.for).resource.kind;
    this.#namespaces = options.namespaces && namespaceSet(options.namespaces, 'namespaces');
    checkTogether(this.factory.spanningOf(options));
    this.#declare(this.factory.plansOf(options).map((plan) => new Source(plan)));
    for (const source of this.#declared) this.#begin(source);
  }

  /** The sources in force. */
  get all(): readonly Source<Q>[] {
    return [...this.#declared, ...this.#added];
  }

  /** The sources in force that the options of the controller name. */
  get declared(): readonly Source<Q>[] {
    return this.#declared;
  }

  /** All open sources: those in force, and those of the prepared plans. */
  get opened(): readonly Source<Q>[] {
    return [...this.all, ...this.#coming];
  }

  /** The namespaces of the controller itself. */
  get namespaces(): NamespaceSet | undefined {
    return this.#namespaces;
  }

  /** True from the start on, when the watches are open. */
  get isOpen(): boolean {
    return this.#cache !== undefined;
  }

  /** The sources of `for`: one, or one for each of its clusters. */
  get primaries(): readonly Source<Q>[] {
    return [...this.#primaries.values()];
  }

  /** The source of `for` in a cluster; `undefined` is the main one. */
  primaryIn(cluster: string | undefined): Source<Q> | undefined {
    return this.#primaries.get(cluster);
  }

  /** The watch of `for` that has the object of a request, one in force first. */
  primaryOf({ cluster, namespace }: Place): KindSource<Q> | undefined {
    const next = this.#coming.find((one) => isPrimary(one) && clusterOf(one.options) === cluster);
    return this.primaryIn(cluster)?.watchOf(namespace) ?? next?.watchOf(namespace);
  }

  /** True if `for` is watched in a cluster, and no source that spans it waits for its first objects. */
  delivers(cluster: string): boolean {
    if (!this.#primaries.has(cluster)) return false;
    const members = (this.#spanning.get(cluster) ?? []).flatMap((source) => source.members);
    return !members.some(({ objects }) => objects.isPending);
  }

  /** True if the options of the controller have brought up their sources in a cluster. */
  spans(cluster: string): boolean {
    return this.#spanning.has(cluster);
  }

  /** The queries of the sources in the main cluster, whose access the manager needs. */
  get queries(): readonly SourceOptions[] {
    const own = this.all.filter(({ options }) => clusterOf(options) === undefined);
    return own.flatMap(({ members }) => members.map(({ options }) => options));
  }

  /** Opens the watches, and later each added one. Resolves when the required watches have synced. */
  open(cache: WatchProvider): Promise<void> {
    this.#cache = cache;
    // A change that began before the start is not in force yet.
    for (const source of this.opened) this.#open(source, cache);
    return this.synced();
  }

  /** Resolves when every required watch has synced or was removed, including watches added during the wait. */
  async synced(): Promise<void> {
    const unsynced = (): KindSource<Q>[] => this.#required().filter(({ hasSynced }) => !hasSynced);
    for (let pending = unsynced(); pending.length > 0; pending = unsynced()) {
      await Promise.all(pending.map((source) => source.syncedOrRemoved()));
    }
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

  /** Applies changed settings to the sources in force, and to those that are added from now on. */
  configure(settings: SourceSettings): void {
    this.factory.configure(settings);
    for (const source of this.all) source.adopt(this.factory.rulesOf(source.plan));
  }

  /** Puts a plan in force in one step. If it throws, nothing has changed. */
  apply(plan: NextPlan<Q>): readonly Left<Q>[] {
    this.prepare(plan);
    return this.commit(plan);
  }

  /** Opens the new watches of a plan beside those in force. If it throws, nothing has changed. */
  prepare(plan: NextPlan<Q>): void {
    this.#check(plan);
    const prepared = preparedOf(plan);
    this.#next.set(plan, prepared);
    try {
      for (const source of this.#changedBy(prepared)) source.prepare(this.#nextOf(source));
      for (const source of plan.added ?? []) this.#begin(source);
    } catch (error) {
      for (const watch of this.discard(plan)) watch.release();
      throw error;
    }
  }

  /** Puts a plan in force whose watches are open. Returns the watches that left, detached. */
  commit(plan: NextPlan<Q>): readonly Left<Q>[] {
    // Read first, because a new source no longer knows the former one when it is in force.
    const heirs = Map.groupBy(this.#coming, ({ former }) => former);
    const left = this.#commit(plan);
    return left.map((one) => ({ ...one, heirs: heirs.get(one.source) ?? [] }));
  }

  #commit(plan: NextPlan<Q>): readonly Left<Q>[] {
    this.#next.delete(plan);
    const { added = [], changed = new Map<Source<Q>, SourcePlan<Q>>(), ended = [], heirs } = plan;
    for (const [source, next] of changed) source.change(next);
    for (const source of added) {
      source.enter();
      if (plan.declared === undefined) this.#added.add(source);
    }
    // A source may have been removed during the wait.
    if (plan.declared !== undefined) this.#declare(plan.declared.filter(isPresent));
    const leaving = ended.filter(isPresent);
    this.#detach(leaving);
    const left: Left<Q>[] = leaving.map((source) => {
      return { source, watches: source.opened, isEnd: heirs?.has(source) !== true };
    });
    const isWhole = 'namespaces' in plan;
    if (isWhole) this.#namespaces = plan.namespaces;
    for (const source of isWhole ? this.opened : changed.keys()) {
      left.push({ source, watches: this.#follow(source), isEnd: false });
    }
    return left.filter(({ watches, isEnd }) => isEnd || watches.length > 0);
  }

  /** Cancels a prepared plan. Returns its watches, detached. */
  discard(plan: NextPlan<Q>): readonly KindSource<Q>[] {
    this.#next.delete(plan);
    const { added = [] } = plan;
    this.#detach(added);
    const left = this.opened.flatMap((source) => this.#follow(source));
    return [...left, ...added.flatMap(({ opened }) => opened)];
  }

  /** Detaches every source. Returns a function that releases them, to be called after the last reconcile. */
  detachAll(): () => void {
    const sources = this.opened;
    const all = sources.flatMap(({ opened }) => opened);
    this.#detach(sources);
    return () => {
      for (const member of all) member.release();
    };
  }

  /** Throws if a source in force cannot have the plan that is next for it. */
  #check({ changed = new Map<Source<Q>, SourcePlan<Q>>() }: NextPlan<Q>): void {
    for (const [source, { options }] of changed) {
      this.#checkOptions(options);
      checkSameFunctions(source.options, options);
    }
  }

  /** Throws if a new source contradicts the present ones. */
  #checkOptions(options: SourceOptions): void {
    const cluster = clusterOf(options);
    if (cluster !== undefined) this.#clusters.get(cluster);
    this.#functions.check(options);
  }

  /** Opens the watches of a new source, if the controller has started. */
  #begin(source: Source<Q>): void {
    this.#checkOptions(source.options);
    this.#follow(source);
    try {
      const pending = this.#removals.pending(source.options);
      if (this.#cache !== undefined) this.#open(source, this.#cache, pending);
    } catch (error) {
      for (const member of source.opened) member.release();
      throw error;
    }
    this.#functions.add(source);
  }

  #open(source: Source<Q>, main: WatchProvider, after?: Promise<unknown>): void {
    const cluster = clusterOf(source.options);
    if (cluster === undefined) return source.open(main, after);
    const { cache } = this.#clusters.get(cluster);
    source.open(cache, source.plan.spans ? this.#readable(cluster, after) : after);
  }

  /**
   * Resolves when the sources that span a cluster can be read in it. Their events begin then, so that no run of the
   * cluster reads a kind that has not synced.
   */
  async #readable(cluster: string, after: Promise<unknown> | undefined): Promise<void> {
    // The sources of one plan open one after the other.
    await after;
    const beside = this.opened.filter(
      ({ plan, options }) => plan.spans && clusterOf(options) === cluster,
    );
    const watches = beside.flatMap(({ opened }) => opened);
    await Promise.all(watches.map(({ objects }) => objects.readable()));
  }

  /**
   * Opens and detaches watches of a source, so that it has those of the plan in force and of the prepared plans.
   * Returns the detached ones.
   */
  #follow(source: Source<Q>): readonly KindSource<Q>[] {
    return source.follow(this.#entering(source) ?? this.#namespaces, this.#nextOf(source));
  }

  /** The next plans of a source: one for each prepared plan that changes it. */
  #nextOf(source: Source<Q>): readonly NextSource<Q>[] {
    const entering = this.#entering(source);
    return [...this.#next.values()]
      .filter((prepared) => changes(prepared, source))
      .map(({ plan: { changed, namespaces }, ended }) => ({
        plan: ended.has(source) ? undefined : (changed?.get(source) ?? source.plan),
        namespaces: entering ?? namespaces ?? this.#namespaces,
      }));
  }

  /** The namespaces of the plan that adds a source. They do not depend on those in force. */
  #entering(source: Source<Q>): NamespaceSet | undefined {
    return [...this.#next.values()].find(({ added }) => added.has(source))?.plan.namespaces;
  }

  /** The open sources that a plan changes. A plan that only adds sources does not visit the others. */
  #changedBy(prepared: PreparedPlan<Q>): readonly Source<Q>[] {
    const { plan, ended } = prepared;
    if ('namespaces' in plan) return this.opened.filter((source) => changes(prepared, source));
    const named = new Set([...(plan.changed?.keys() ?? []), ...ended]);
    return [...named].filter((source) => isPresent(source) && changes(prepared, source));
  }

  /** The sources that the prepared plans add. */
  get #coming(): readonly Source<Q>[] {
    return [...this.#next.values()].flatMap(({ added }) => [...added]);
  }

  /** Stops the requests of these sources. Running reconciles may read their objects until they are released. */
  #detach(sources: readonly Source<Q>[]): void {
    for (const source of sources) {
      source.detach();
      this.#functions.delete(source);
    }
    const isAdded = sources.map((source) => this.#added.delete(source));
    if (!isAdded.includes(false)) return;
    const left = new Set(sources);
    const declared = this.#declared.filter((one) => !left.has(one));
    if (declared.length < this.#declared.length) this.#declare(declared);
  }

  #declare(sources: readonly Source<Q>[]): void {
    this.#declared = sources;
    this.#primaries = new Map(
      sources.filter(isPrimary).map((source) => [clusterOf(source.options), source]),
    );
    const spanning = sources.filter(({ plan }) => plan.spans);
    this.#spanning = Map.groupBy(spanning, ({ options }) => clusterOf(options));
  }

  #required(): KindSource<Q>[] {
    return this.all.filter(({ required }) => required).flatMap(({ members }) => members);
  }
}

/** Throws if sources that open together in each of their clusters contradict each other. */
function checkTogether(all: readonly SourceOptions[]): void {
  const functions = new NamedFunctions();
  for (const options of all) {
    functions.check(options);
    functions.add({ options });
  }
}

function isPrimary<Q extends object>({ plan }: Source<Q>): boolean {
  return plan.role === 'for';
}

function isPresent<Q extends object>({ isDetached }: Source<Q>): boolean {
  return !isDetached;
}

function preparedOf<Q extends object>(plan: NextPlan<Q>): PreparedPlan<Q> {
  return { plan, added: new Set(plan.added), ended: new Set(plan.ended) };
}

/** True if a plan changes a source that is open before, or may change its namespaces. */
function changes<Q extends object>(
  { plan, added, ended }: PreparedPlan<Q>,
  source: Source<Q>,
): boolean {
  if (added.has(source)) return false;
  return 'namespaces' in plan || plan.changed?.has(source) === true || ended.has(source);
}
