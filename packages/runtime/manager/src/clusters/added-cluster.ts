import { setMaxListeners } from 'node:events';
import { abortable, type Clock } from '@keelson/apimachinery';
import { createClient, type Client, type ClientOptions } from '@keelson/client';
import { createInformerCache, type InformerCache } from '@keelson/informer';
import { checkRemoveOptions, type RemoveOptions } from '../source-set/dynamic-watch.ts';
import { ManagerError } from '../errors.ts';
import { EventWriter } from '../events/event-writer.ts';
import { clientLog } from '../metrics/client-log.ts';
import type { Logger } from '../logging/logger.ts';
import type { ClusterMetrics } from '../metrics/manager-metrics.ts';
import { watchLog } from '../metrics/watch-log.ts';
import type { EventRecorder } from '../reconcile/event-recorder.ts';
import type { Tracing } from '../tracing/tracing.ts';
import type { WatchDefaults } from '../sources/watch-defaults.ts';
import type { CallScope } from '../user-code/call-scope.ts';
import type { ClusterSettings } from './cluster-options.ts';
import type { ClusterHealth, ManagerCluster } from './manager-cluster.ts';
import type { ObjectOrigins } from './object-origins.ts';

/** Milliseconds that a request may take during the removal of its cluster. */
const LEAVING_REQUEST_MS = 5_000;

/** The parts of a manager that the removal of a cluster uses. */
export interface ClusterHost {
  readonly callScope: CallScope;
  /** True if the requests of reconciles name their ids. */
  readonly auditReconciles: boolean;
  /** Writes the spans of requests. */
  readonly tracing: Tracing | undefined;
  /** Removes the watches of the cluster from all controllers. Resolves at the end of the removal barrier. */
  leave(name: string): Promise<void>;
}

export interface AddedClusterOptions extends ClusterSettings {
  readonly name: string;
  readonly cluster: ClientOptions['cluster'];
  readonly host: ClusterHost;
  readonly metrics: ClusterMetrics;
  readonly log: Logger;
  readonly origins: ObjectOrigins;
  readonly clock: Clock;
  /** Called when the name is free. */
  readonly closed: () => void;
}

/** A cluster from `addCluster` to its removal or the stop of the manager. */
export class AddedCluster implements ManagerCluster {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly watchDefaults: WatchDefaults;
  readonly client: Client;
  readonly cache: InformerCache;
  readonly events: EventWriter;
  readonly #options: AddedClusterOptions;
  readonly #connections: Client;
  /** Aborts the requests and waits in flight when the removal begins. */
  readonly #requests = new AbortController();
  /** Cancel the limits of the requests during the removal. */
  readonly #limits = new Set<() => void>();
  #removal: Promise<void> | undefined;
  #closing: Promise<void> | undefined;

  constructor(options: AddedClusterOptions) {
    const { name, cluster, metrics, origins, clock } = options;
    const { auditReconciles, callScope, tracing } = options.host;
    const log = options.log.child({ cluster: name });
    this.name = name;
    this.labels = options.labels;
    this.watchDefaults = options.watchDefaults;
    this.#options = options;
    this.#connections = createClient({
      ...options.client,
      cluster,
      clock,
      ...(auditReconciles && { userAgent: callScope.userAgent }),
      ...(tracing && { tracing: callScope.traced(tracing) }),
      observer: {
        ...clientLog(callScope.observed(metrics.client), log),
        objectReturned: (object) => origins.returned(name, object),
      },
    });
    this.cache = createInformerCache({
      ...options.cache,
      clock,
      listerWatcher: (query) => this.#connections.listerWatcher(query),
      observer: watchLog(metrics.watches, log),
    });
    this.client = this.#connections
      .withWriteObserver(this.cache)
      .withSignal(() => (this.isRemoved ? this.#limited() : this.#requests.signal));
    setMaxListeners(0, this.#requests.signal);
    this.events = new EventWriter({
      client: this.client,
      log,
      clock,
      check: (object) => origins.check(object, { helper: 'events', cluster: name }),
      reconcileId: () => callScope.current?.reconcileId,
    });
  }

  get health(): ClusterHealth {
    const watches = this.cache.inventory().map(({ health }) => health);
    const failing = watches.filter(({ state }) => state !== 'live');
    const state = watches.length === 0 ? 'unknown' : failing.length === 0 ? 'live' : 'not-live';
    return {
      state,
      isLive: state === 'live',
      watches: watches.length,
      notLive: failing.length,
      lastError: failing[0]?.lastError,
    };
  }

  /** Aborts when the removal begins. */
  get leaving(): AbortSignal {
    return this.#requests.signal;
  }

  /** True from the call of `remove` on. */
  get isRemoved(): boolean {
    return this.#removal !== undefined;
  }

  /** True during the removal, while the reconciles that the cluster caused may still use it. */
  get isLeaving(): boolean {
    return this.isRemoved && this.#closing === undefined;
  }

  readonly eventRecorder = (name: string): EventRecorder => this.events.recorder(name);

  async remove(options: RemoveOptions = {}): Promise<void> {
    checkRemoveOptions(options, 'remove');
    // Set before the removal begins, because user code that the removal runs may call `remove` again.
    const { promise, resolve } = Promise.withResolvers<void>();
    if (this.#removal === undefined) {
      this.#removal = promise;
      resolve(this.#remove());
    }
    const removal = this.#removal;
    // In a barrier: otherwise a second removal would wait for a run that waits for this one.
    await this.#options.host.callScope.inBarrier(() => abortable(removal, [options.signal]));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.remove();
  }

  /** Closes the cache and the client and removes the metric series. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #remove(): Promise<void> {
    this.#abortRequests();
    await this.#options.host.leave(this.name);
    await this.close();
  }

  #abortRequests(): void {
    this.#requests.abort(this.#removed());
  }

  /**
   * The signal of a request during the removal. The reconciles that the cluster caused may send further requests, but
   * the removal waits for them, so a cluster that does not respond must not hold them.
   */
  #limited(): AbortSignal {
    const limit = new AbortController();
    const cancel = this.#options.clock.startTimer(LEAVING_REQUEST_MS, () => {
      this.#limits.delete(cancel);
      limit.abort(this.#removed());
    });
    this.#limits.add(cancel);
    return limit.signal;
  }

  #removed(): ManagerError {
    return new ManagerError('CLUSTER_REMOVED', { cluster: this.name });
  }

  async #close(): Promise<void> {
    await this.events.close(0);
    for (const cancel of this.#limits) cancel();
    try {
      await this.cache.close();
    } finally {
      await this.#connections.close().finally(() => {
        this.#options.metrics.close();
        this.#options.closed();
      });
    }
  }
}
