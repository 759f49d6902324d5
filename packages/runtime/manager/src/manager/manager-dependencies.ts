import { loadOnce, type Clock } from '@keelson/apimachinery';
import { createClient, loadCluster, type Client, type Cluster } from '@keelson/client';
import { createInformerCache, type InformerCache } from '@keelson/informer';
import { AddedClusters } from '../clusters/added-clusters.ts';
import { isCache, type CacheOptions } from '../clusters/cache-options.ts';
import { ObjectOrigins } from '../clusters/object-origins.ts';
import { EventLoopWatch } from '../event-loop/event-loop-watch.ts';
import { EventWriter } from '../events/event-writer.ts';
import { clientLog } from '../metrics/client-log.ts';
import type { Logger } from '../logging/logger.ts';
import { ManagerMetrics } from '../metrics/manager-metrics.ts';
import { MetricRegistry } from '../metrics/process/metric-registry.ts';
import type { ManagerOptions, ManagerSettings } from './manager-options.ts';
import { watchLog } from '../metrics/watch-log.ts';
import type { CallScope } from '../user-code/call-scope.ts';

/**
 * The client, cache, metrics and further clusters of a manager. It closes those that it created, not those that the
 * user passed.
 */
export class ManagerDependencies {
  readonly client: Client;
  readonly cache: InformerCache;
  readonly metrics: ManagerMetrics;
  readonly clusters: AddedClusters;
  /** Finds the clusters from which objects came. */
  readonly origins: ObjectOrigins;
  /** The clock by which the manager and its parts wait, except for their stop and the servers. */
  readonly clock: Clock;
  /** Reports user code that blocks the event loop. */
  readonly eventLoop: EventLoopWatch;
  /** Loads the kubeconfig once; resolves to `undefined` for a given client. Rejects if the kubeconfig is invalid. */
  readonly loadCluster: () => Promise<Cluster | undefined>;
  readonly #connections: Client;
  readonly #callScope: CallScope;
  readonly #log: Logger;
  readonly #owned: Readonly<Record<'client' | 'cache' | 'registry', boolean>>;

  constructor(options: ManagerOptions, settings: ManagerSettings, callScope: CallScope) {
    const { client, cache = {}, registry, name } = options;
    this.#owned = {
      client: client === undefined,
      cache: !isCache(cache),
      registry: registry === undefined,
    };
    this.#log = settings.logger;
    this.clock = settings.clock;
    this.#callScope = callScope;
    this.metrics = new ManagerMetrics(registry ?? new MetricRegistry(), () => this.cache, name);
    this.origins = new ObjectOrigins(
      () => this.cache,
      () => this.clusters.all,
    );
    this.clusters = new AddedClusters(this.metrics, options.clusters ?? {}, {
      log: settings.logger,
      origins: this.origins,
      clock: settings.clock,
    });
    this.eventLoop = new EventLoopWatch({
      settings: settings.eventLoop,
      log: settings.logger,
      origin: () => callScope.origin,
      blocked: (ms) => this.metrics.blocked('unknown', ms),
    });
    this.loadCluster = loadOnce(async () =>
      client === undefined ? (options.cluster ?? loadCluster(options.kubeConfig)) : undefined,
    );
    this.#connections = client ?? this.#createClient(options, settings, callScope);
    this.cache = isCache(cache) ? cache : this.#createCache(cache, settings);
    // With this observer, reads of the cache include the writes of the client.
    this.client = this.#connections.withWriteObserver(this.cache);
  }

  /** Creates the writer of the events of the main cluster. */
  eventWriter(): EventWriter {
    return new EventWriter({
      client: this.client,
      log: this.#log,
      clock: this.clock,
      check: (object) => this.origins.check(object, { helper: 'events', cluster: undefined }),
      reconcileId: () => this.#callScope.current?.reconcileId,
    });
  }

  /** Closes the cache, and the further clusters. */
  async closeCache(): Promise<void> {
    const main = this.#owned.cache ? this.cache.close() : undefined;
    await Promise.all([main, this.clusters.close()]);
  }

  async closeClient(): Promise<void> {
    if (this.#owned.client) await this.#connections.close();
  }

  /** Stops the measurements, and removes the manager's metrics from a registry that the user passed. */
  closeMetrics(): void {
    this.eventLoop.stop();
    this.metrics.stop();
    if (!this.#owned.registry) this.metrics.release();
  }

  #createClient(
    { cluster }: ManagerOptions,
    { logger, auditReconciles, tracing }: ManagerSettings,
    callScope: CallScope,
  ): Client {
    const load = (): Promise<Cluster> => this.loadCluster() as Promise<Cluster>;
    return createClient({
      cluster: cluster ?? load,
      clock: this.clock,
      ...(auditReconciles && { userAgent: callScope.userAgent }),
      ...(tracing && { tracing: callScope.traced(tracing) }),
      observer: {
        ...clientLog(callScope.observed(this.metrics.client), logger),
        objectReturned: (object) => this.origins.returned(undefined, object),
      },
    });
  }

  #createCache(options: CacheOptions, { logger }: ManagerSettings): InformerCache {
    return createInformerCache({
      ...options,
      clock: this.clock,
      listerWatcher: (query) => this.#connections.listerWatcher(query),
      observer: watchLog(this.metrics.watches, logger),
    });
  }
}
