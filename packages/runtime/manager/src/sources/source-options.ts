import {
  checkFlag,
  checkFunction,
  invalidOption,
  normalFieldSelector,
  normalLabelSelector,
  checkOptions,
  defineResource,
  parseDuration,
  type ApiResource,
  type Duration,
  type Hint,
  type KubernetesObject,
} from '@keelson/apimachinery';
import {
  checkWatchQuery,
  type OwnerMatch,
  type Projection,
  type Retention,
  type WatchQuery,
} from '@keelson/informer';
import {
  readsMistakes,
  sourceMistakes,
  tokenCure,
  watchMistakes,
  type HintsOf,
  type Mistakes,
} from '../common-mistakes.ts';
import type { Predicate } from './event-rules/predicate.ts';
import { debounceOf, type DebounceOptions } from './event-rules/debounce.ts';
import { eventRateOf, type EventRateOptions } from '../fights/event-rate.ts';
import { checkSourceNamespaces, type NamespacesOf } from './namespace-set.ts';
import type { RequestMapper } from './request-mapper.ts';
import {
  checkPriorities,
  checkPriority,
  type RequestPriorities,
} from './event-rules/request-priorities.ts';
import type { Request } from '../reconcile/request.ts';
import { checkSelection, type ClustersChoice, type Spanning } from './cluster-selection.ts';

interface CommonOptions<T extends KubernetesObject>
  extends Omit<WatchQuery<T>, 'projection' | 'retain'>, HintsOf<typeof sourceMistakes> {
  /**
   * The namespaces to watch, instead of `namespace`. Default: those of the controller, of the kind in the manager, or
   * of the manager; else all. `namespace: ''` selects all in any case.
   */
  readonly namespaces?: NamespacesOf<T>;
  /** The priority of all requests that `priorities` does not name. Default: by event, that of the controller. */
  readonly priority?: number;
  /** The priorities of requests, by the kind of the event. Default: `priority`, else those of the controller. */
  readonly priorities?: RequestPriorities;
  /** Delays the requests until the object is at rest; `{ wait: 0 }` for no delay. Default: that of the controller. */
  readonly debounce?: DebounceOptions;
  /** Limits the events of each object; `false` turns the limit off. Default: that of the controller. */
  readonly eventRate?: EventRateOptions | false;
  /**
   * The interval, ±10 %, after which every object leads to a request again, as an update with the same view in
   * `object` and `previous`. Predicates such as `generationChanged` drop it. Default: that of the controller.
   */
  readonly resync?: Duration;
  /**
   * If true, the event of a write of this controller (`context.client`) leads to no request. Deletions, initial
   * objects, and events that may contain a change of another client always lead to one, and so does an event that
   * arrives before the response to the write. Default false.
   */
  readonly ignoreOwn?: boolean;
  /**
   * If true, the controller waits for the sync of this watch, and readiness depends on it. Default: true for a source
   * in the controller's options, false for a watch that is added at run time.
   */
  readonly required?: boolean;
}

/** Selects the cluster of a source, or several. */
export interface ClusterChoice extends ClustersChoice {
  /**
   * The name of a cluster that `manager.addCluster` has added. `namespaces` and `kinds` of the manager and `namespaces`
   * of the controller do not apply to it. Default: the main cluster of the manager.
   */
  readonly cluster?: string;
}

/** The cluster that a source names; `undefined` for the main one. */
export function clusterOf(options: SourceOptions & ClusterChoice): string | undefined {
  return options.cluster;
}

/** How a source requests its objects, by `projection` and `retain`. With `'metadata'` they have no body. */
export type SourceForm = Projection | Retention;

/** The default form of a type. A type with only metadata fits every form. */
export type FormOf<W extends KubernetesObject> = [keyof W] extends [keyof KubernetesObject]
  ? SourceForm
  : 'full';

/** The values of `retain` that fit a form. */
export type RetentionOf<P extends SourceForm> =
  | Extract<P, Retention>
  | ([P] extends ['full'] ? Exclude<Retention, 'metadata'> : never);

/** The type of the objects that `map` and `predicates` receive. */
type SeenOf<T extends KubernetesObject, P extends SourceForm> = 'metadata' extends P
  ? KubernetesObject
  : T;

/**
 * Selects the objects of a kind, and the events that lead to requests. With `projection: 'metadata'` or
 * `retain: 'metadata'`, predicates and mappers receive metadata only.
 */
export interface SourceOptions<
  T extends KubernetesObject = KubernetesObject,
  P extends SourceForm = FormOf<T>,
  R extends Retention = RetentionOf<P>,
> extends CommonOptions<T> {
  /** Default `'full'`. With `'metadata'` the API server sends only metadata, and `value()` has no body. */
  readonly projection?: Extract<P, Projection>;
  /**
   * How the store keeps objects. `'metadata'` means the same as `projection: 'metadata'`. Default: as other handles of
   * the watch request it, and `'lazy'` without such a request.
   */
  readonly retain?: R;
  /** An event leads to requests if every predicate passes it. Default: every event does. */
  readonly predicates?: readonly Predicate<SeenOf<T, P>>[];
}

/**
 * The kind that a controller reconciles. With `clusters` its requests carry the cluster of their object.
 */
export interface ForOptions<
  T extends KubernetesObject = KubernetesObject,
  P extends SourceForm = FormOf<T>,
  C extends Spanning = undefined,
>
  extends SourceOptions<T, P>, ClustersChoice<C> {}

/**
 * A kind whose objects have an owner reference to an object of `for`. It is watched in the clusters of `for`; its own
 * `clusters` narrow them.
 */
export interface OwnsOptions<T extends KubernetesObject = KubernetesObject>
  extends SourceOptions<T>, ClustersChoice {
  /** The owner references that lead to a request: the controller reference, or any. Default `'controller'`. */
  readonly owners?: OwnerMatch;
}

/** A kind that reconciles read from the cache. Its events lead to no requests. */
export type ReadsOptions<T extends KubernetesObject = KubernetesObject> = WatchQuery<T> &
  Pick<CommonOptions<T>, 'required' | 'namespaces'> &
  ClusterChoice;

/**
 * A kind whose objects `map` maps to requests. `map` receives objects of type `T` unless the form `P` is `metadata`.
 */
export interface WatchOptions<
  T extends KubernetesObject = KubernetesObject,
  Q extends object = Request,
  P extends SourceForm = FormOf<T>,
  R extends Retention = RetentionOf<P>,
>
  extends SourceOptions<T, P, R>, ClusterChoice, WatchEnd, HintsOf<typeof watchMistakes> {
  /**
   * Maps an object to requests. Called for the old and the new state of an update. Reading metadata is cheap;
   * `object.value()` parses the object. `context.cache` reads what the controller itself watches.
   */
  readonly map: RequestMapper<SeenOf<T, P>, NoInfer<Q>>;
}

/** The argument of `onWatchRemoved`. */
export interface WatchRemoval {
  /** The cluster of the watch; missing for the main one. */
  readonly cluster?: string;
}

/** The option of a watch for the work that follows its removal. */
export interface WatchEnd {
  /**
   * Called once when the watch was removed at run time, to delete data that was derived from its objects. A watch with
   * `clusters` is removed from each cluster by itself; the argument names the cluster, except for the main one. The call
   * follows the last event of the watch and the reconciles that it caused. It precedes any event of a later watch of
   * the kind in this controller.
   *
   * `remove` and `replaceWatches` wait for it. An error is logged and counted, also `WATCH_REMOVED_TIMEOUT` for a
   * function that takes longer than 30 s. A stop of the controller does not call it, and ends the wait for it. Default:
   * none.
   */
  readonly onWatchRemoved?: (removal: WatchRemoval) => unknown;
}

const queryOptions = [
  'resource',
  'namespace',
  'labelSelector',
  'fieldSelector',
  'projection',
  'transform',
  'indexers',
  'retain',
  'pageSize',
  'sharing',
];
const eventOptions = [
  'predicates',
  'priority',
  'priorities',
  'debounce',
  'eventRate',
  'resync',
  'ignoreOwn',
];

/** The option of a controller to which a source belongs. */
export type SourceRole = 'for' | 'owns' | 'watch' | 'reads';

const extraOptions: Readonly<Record<SourceRole, readonly string[]>> = {
  for: [...eventOptions, 'clusters'],
  owns: [...eventOptions, 'owners', 'clusters'],
  watch: [...eventOptions, 'map', 'index', 'cluster', 'clusters', 'onWatchRemoved'],
  reads: ['cluster', 'clusters'],
};

const mistakes: Readonly<Record<SourceRole, Mistakes>> = {
  for: sourceMistakes,
  owns: sourceMistakes,
  watch: { ...sourceMistakes, ...watchMistakes },
  reads: readsMistakes,
};

/** Throws `INVALID_OPTION` with the name of an invalid option of a source. */
export function checkSourceOptions(options: SourceOptions, role: SourceRole, where: string): void {
  const known = [...queryOptions, 'namespaces', 'required', ...extraOptions[role]];
  checkOptions(options, known, where, mistakes[role]);
  checkResource(options.resource, `${where}.resource`);
  checkWatchQuery(queryOf(options), where);
  checkSourceNamespaces(options, `${where}.namespaces`);
  if (options.labelSelector !== undefined) normalLabelSelector(options.labelSelector);
  if (options.fieldSelector !== undefined) normalFieldSelector(options.fieldSelector);
  checkPriority(options.priority, `${where}.priority`);
  checkPriorities(options.priorities, `${where}.priorities`);
  debounceOf(options.debounce, `${where}.debounce`);
  if (options.eventRate !== undefined) eventRateOf(options.eventRate, `${where}.eventRate`);
  checkClusterName(options, `${where}.cluster`);
  checkSelection(options, `${where}.clusters`);
  checkFlag(options.required, `${where}.required`);
  checkFlag(options.ignoreOwn, `${where}.ignoreOwn`);
  if (options.resync !== undefined) parseDuration(options.resync, `${where}.resync`);
  checkPredicates(options.predicates, `${where}.predicates`);
  const { onWatchRemoved } = options as Partial<WatchOptions>;
  if (onWatchRemoved !== undefined) checkFunction(onWatchRemoved, `${where}.onWatchRemoved`);
  if (role === 'owns') checkOwners((options as OwnsOptions).owners, `${where}.owners`);
}

function checkClusterName(options: SourceOptions & ClusterChoice, where: string): void {
  if (options.cluster === undefined || typeof options.cluster === 'string') return;
  throw invalidOption(where, 'must be the name of a cluster');
}

/** The options of a source that is given as `WebApp` or as `{ resource: WebApp, … }`. */
export function sourceOptionsOf<O extends SourceOptions>(
  source: ApiResource | O | Hint<string>,
): O {
  const hasOptions = typeof source === 'object' && source !== null && 'resource' in source;
  return (hasOptions ? source : { resource: source }) as O;
}

/** The query of the watch, without the options about events. */
export function queryOf(options: SourceOptions): WatchQuery {
  const { resource } = options;
  const given = Object.entries(options).filter(
    ([option, value]) => queryOptions.includes(option) && value !== undefined,
  );
  return { ...Object.fromEntries(given), resource };
}

/** Throws `INVALID_OPTION` unless the value is a resource token. */
function checkResource(resource: ApiResource, where: string): void {
  if (typeof resource !== 'object' || resource === null) {
    throw invalidOption(where, tokenCure);
  }
  const { group, version, kind, plural, namespaced } = resource;
  try {
    if (typeof namespaced !== 'boolean') throw invalidOption('namespaced', 'must be a boolean');
    defineResource({ group, version, kind, plural });
  } catch (error) {
    throw invalidOption(where, 'is not a resource token', { cause: (error as Error).message });
  }
}

function checkOwners(owners: OwnerMatch | undefined, where: string): void {
  if (owners !== undefined && owners !== 'controller' && owners !== 'any') {
    throw invalidOption(where, 'must be controller or any');
  }
}

/** Throws `INVALID_OPTION` for predicates that are not a list of functions. */
export function checkPredicates(predicates: unknown, where: string): void {
  if (predicates === undefined) return;
  if (!Array.isArray(predicates)) throw invalidOption(where, 'must be a list of predicates');
  for (const predicate of predicates) checkFunction(predicate, where);
}
