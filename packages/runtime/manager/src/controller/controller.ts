import {
  checkOptions,
  parseDuration,
  type Duration,
  type KubernetesObject,
} from '@keelson/apimachinery';
import type { CacheReader } from '@keelson/informer';
import type { EventContext } from '../sources/event-rules/predicate.ts';
import type { IterableSourceOptions } from '../sources/iterables/iterable-source.ts';
import type { Reconfiguration, ReconfigureOptions, ReconfigureResult } from './reconfiguration.ts';
import type { PulledWork, WorkOptions } from '../run/pulled-work.ts';
import type { ControllerExplanation, Explanation } from '../explain/explanation.ts';
import type { LogLevel } from '../logging/logger.ts';
import type { Request } from '../reconcile/request.ts';
import { checkPriority } from '../sources/event-rules/request-priorities.ts';
import type { IndexWatchOptions } from '../sources/index-watches/index-watch.ts';
import type { Watched, WatchesOf } from '../sources/index-watches/watches-of.ts';
import type { DynamicWatch, RemoveOptions } from '../source-set/dynamic-watch.ts';
import type { SourceForm, WatchOptions } from '../sources/source-options.ts';

/** The priority and delay of `controller.enqueue`. */
export interface EnqueueOptions {
  /** Requests with a higher priority run first. Default 0. */
  readonly priority?: number;
  /** The delay before the request is ready. Default 0. */
  readonly after?: Duration;
}

/** An async-iterable source that was added to a controller at run time. */
export interface DynamicSource extends AsyncDisposable {
  /** The name of the source in causes, logs and metrics. */
  readonly name: string;
  /** The number of its requests that wait for a worker. */
  readonly pending: number;
  /**
   * Ends the iterable and drops the requests that only it caused. Resolves as the removal of a watch does. It does not
   * wait for an iterable that hangs. A second removal has no effect.
   */
  remove(options?: RemoveOptions): Promise<void>;
}

/** A controller that a manager runs: adds watches and requests at run time, and stops. */
export interface Controller<Q extends object = Request> extends AsyncDisposable {
  /** The name of the controller in logs, metrics and writes. */
  readonly name: string;
  /**
   * Reads the watches of the controller, as the `cache` of its reconciles does, for code outside of them: the `collect`
   * of a gauge, a route. Reads throw `NOT_SYNCED` before the sync, and `NOT_WATCHED` after the stop.
   */
  readonly cache: CacheReader;
  /** The caches of the further clusters: `clusters.get('workload').cache`. Throws `UNKNOWN_CLUSTER`. */
  readonly clusters: EventContext['clusters'];
  /**
   * Resolves when every required watch has synced and workers may begin. Rejects with `CACHE_SYNC_TIMEOUT`,
   * `CONTROLLER_STOPPED`, or `SOURCE_FAILED` for a source of the phase `caches`. Awaiting it is optional.
   */
  readonly synced: Promise<void>;
  /** The number of requests that are due and do not run: they wait for a worker, or are held back by a pause, for example. */
  readonly length: number;
  /** The number of running reconciles. */
  readonly running: number;
  /**
   * Adds a watch and returns at once, without waiting for the API server. Throws `INVALID_OPTION`,
   * `INVALID_LABEL_SELECTOR`, `INVALID_FIELD_SELECTOR`, `UNKNOWN_CLUSTER`, `CONTROLLER_STOPPED`, and `TRANSFORM_CONFLICT` or
   * `INDEXER_CONFLICT` for another function of a name in use.
   */
  watch<T extends KubernetesObject, P extends SourceForm = 'full'>(
    options: WatchOptions<T, Q, P>,
  ): DynamicWatch;
  /**
   * Replaces the watches of a named set and applies only the differences. A watch that was in the set keeps its stream
   * and its requests, and uses the new `map`, `predicates` and `namespaces`. Other sets and watches stay unchanged.
   * Watches and namespaces that are not in the new set end when all watches of the new set can be read, or the server
   * does not serve or allow their kind.
   *
   * Resolves with the watches of the set when the removed ones have ended. Rejects with `REPLACE_WATCHES_FAILED`, which
   * names the watches that could not be added, changed or removed, or did not sync within `cacheSyncTimeout`; all other
   * changes are made. A transform or indexer of a watch that stays cannot be another function of the same name
   * (`TRANSFORM_CONFLICT`, `INDEXER_CONFLICT`): give it another name. Rejects with `INVALID_OPTION` if
   * the name of the set, the list or the bounds are invalid, and with `CONTROLLER_STOPPED`.
   */
  replaceWatches<Kinds extends readonly Watched[]>(
    set: string,
    watches: WatchesOf<Kinds, Q>,
    options?: RemoveOptions,
  ): Promise<readonly DynamicWatch[]>;
  /**
   * Replaces the option `namespaces` of the controller, for its sources that name no namespaces themselves. The watches
   * of the namespaces that stay continue: no request is sent, and no event is repeated. Those of the others end at once.
   * Requests that only they caused are dropped, and reads of them throw `NOT_WATCHED` when the promise resolves: the
   * reconciles that they caused have then ended. The change comes after earlier calls of `reconfigure`; an abort of the signal
   * ends only the wait for it. Rejects with `INVALID_OPTION`, also for a controller without the option, and with
   * `CONTROLLER_STOPPED`.
   */
  setNamespaces(namespaces: readonly string[], options?: RemoveOptions): Promise<void>;
  /**
   * Changes options of the controller while it runs, such as `{ concurrency: 8, for: { resource, labelSelector } }`. An
   * option that is not named stays as it is. All values are checked at the call, before anything changes.
   *
   * New watches sync while the former ones are in force, and then replace them. Reads and events have no gap. Watches
   * that stay send no request, and requests that only leaving objects caused are dropped. Calls apply in order: each
   * waits for the earlier ones, also for one whose watches cannot sync. Until then the former watches stay in force.
   *
   * Resolves with the difference when it is in force and the reconciles that the former watches caused have ended.
   * Rejects with `INVALID_OPTION`, `INVALID_LABEL_SELECTOR`, `INVALID_FIELD_SELECTOR`, `UNKNOWN_CLUSTER`,
   * `TRANSFORM_CONFLICT`, `INDEXER_CONFLICT`, `CONTROLLER_STOPPED`, `CACHE_SYNC_TIMEOUT`, or the reason of the signal.
   */
  reconfigure<
    T extends KubernetesObject,
    Kinds extends readonly Watched[] = [],
    P extends SourceForm = 'full',
  >(
    changes: Reconfiguration<T, Q, Kinds, P>,
    options?: ReconfigureOptions,
  ): Promise<ReconfigureResult>;
  /**
   * Adds an async-iterable source. It opens at once, or when its phase begins. A failure is logged and counted, and the
   * source opens again with backoff. Throws `CONTROLLER_STOPPED` and `INVALID_OPTION`.
   */
  addSource(options: IterableSourceOptions<Q>): DynamicSource;
  /** True while the controller is paused. */
  readonly isPaused: boolean;
  /**
   * Lets no run begin until `resume`, of this request or, without one, of any. Running reconciles end as usual, watches
   * continue, and the queue keeps the requests. A pause is not stored: it ends with the process. A second call has no
   * effect. Throws `CONTROLLER_STOPPED`, and `INVALID_OPTION` for an invalid request.
   */
  pause(request?: Q): void;
  /** Ends the effect of `pause` with the same argument. A request that was due meanwhile runs. Throws as `pause`. */
  resume(request?: Q): void;
  /** Queues a request. Throws `CONTROLLER_STOPPED`, or `INVALID_OPTION` for an invalid request or option. */
  enqueue(request: Q, options?: EnqueueOptions): void;
  /**
   * The lowest level of its log lines, and of those of its reconciles. Assign it to change the level at run time. A
   * reconcile that runs keeps its level if the logger is pino. `undefined` for a logger without `level`; to assign it
   * then throws `INVALID_OPTION`, as an unknown level does.
   */
  logLevel: LogLevel | undefined;
  /**
   * Explains what the controller does: its state, its watches, and why it runs nothing. With a request: why it ran or
   * does not run, with its latest events and runs. It reads only memory, and calls the mappers of objects whose latest
   * event led to no request. Throws `INVALID_OPTION` for an invalid request.
   */
  explain(): ControllerExplanation;
  explain(request: Q): Explanation;
  /**
   * Stops the controller and frees its name. Running reconciles may finish in 90 % of the manager's grace period,
   * then their signals abort. Resolves within the grace period, even if a reconcile still runs. Such a
   * reconcile keeps its request locked for a new controller of the name, and the stop of the manager waits for it.
   * A call from one of its own reconciles resolves when the others have ended, or wait in a removal, a change of watches
   * or a stop themselves.
   */
  stop(): Promise<void>;
}

/** A controller without a reconcile: loops of user code take its requests. */
export interface PulledController<Q extends object = Request> extends Controller<Q> {
  /**
   * Yields requests to a loop of user code. As with a reconcile, a request is locked while it is processed, retried
   * with backoff, and measured. A loop waits until the controller runs, and ends when it stops. The number of loops is
   * the concurrency.
   *
   * The next turn of a loop ends the work with success, unless `work.done` or `work.fail` did. Leaving the loop queues
   * its request again, without a failure; `return()` also ends a loop that waits. Code in a loop must leave the loop
   * before it waits for `stop` or `remove`.
   */
  work(options?: WorkOptions): AsyncGenerator<PulledWork<Q>, void, undefined>;
}

/**
 * Gives one watch in a list the type of its own kind, so that its functions receive objects of that kind only. A watch
 * with an `index` is added with it at run time: `controller.watch(watching({ resource, index }))`.
 *
 * @example
 * ```ts
 * import { builtin, createManager, watching } from '@keelson/manager';
 *
 * const { ConfigMap, Secret, Namespace } = builtin;
 *
 * createManager().addController({
 *   name: 'namespaces',
 *   for: Namespace,
 *   // Each `map` gets the type of its own kind.
 *   watches: [
 *     watching({ resource: ConfigMap, map: ({ namespace }) => ({ name: namespace }) }),
 *     watching({ resource: Secret, map: ({ namespace }) => ({ name: namespace }) }),
 *   ],
 *   reconcile: () => {},
 * });
 * ```
 */
export function watching<T extends KubernetesObject>(options: IndexWatchOptions<T>): WatchOptions;
export function watching<
  T extends KubernetesObject,
  Q extends object = Request,
  P extends SourceForm = 'full',
>(options: WatchOptions<T, Q, P>): WatchOptions<KubernetesObject, Q>;
export function watching<
  T extends KubernetesObject,
  Q extends object = Request,
  P extends SourceForm = 'full',
>(options: WatchOptions<T, Q, P> | IndexWatchOptions<T>): WatchOptions<KubernetesObject, Q> {
  return options as unknown as WatchOptions<KubernetesObject, Q>;
}

/**
 * Throws `INVALID_OPTION` for invalid options of `enqueue`. Returns them with their defaults, the delay in
 * milliseconds.
 */
export function checkEnqueueOptions(options: EnqueueOptions): { priority: number; after: number } {
  checkOptions(options, ['priority', 'after'], 'enqueue');
  const { priority = 0, after = 0 } = options;
  checkPriority(priority, 'enqueue.priority');
  return { priority, after: parseDuration(after, 'enqueue.after') };
}
