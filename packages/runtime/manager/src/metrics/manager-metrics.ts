import type { ClientObserver } from '@keelson/client';
import type { BudgetUse, InformerCache, WatchInventory } from '@keelson/informer';
import type { Registry } from 'prom-client';
import { clientMetrics } from './client-metrics.ts';
import { ControllerMetrics, type ControllerTotals } from './controller-metrics.ts';
import type { ControllerObserver, ControllerReading } from '../run/controller-observer.ts';
import { delaySeconds, EventLoopDelayMonitor } from './process/event-loop-delay.ts';
import type { Labels } from './metric-definition.ts';
import { MetricSet, type MetricReaders } from './metric-set.ts';
import type { GaugeReader, SetGauge, SummaryReading } from './read-metric.ts';
import type { ManagerName } from './registered-metric.ts';
import { removeProcessMetrics, shareProcessMetrics } from './process/process-metrics.ts';
import type { SeriesScope } from './series-scope.ts';
import type { ShardingMetrics, ShardReading } from './sharding-metrics.ts';
import { WebhookMetrics } from './webhook-metrics.ts';
import {
  readEventAges,
  readPerResource,
  readStates,
  readVersions,
  WatchMetrics,
  type WatchTotals,
} from './watch-metrics.ts';

/** The part of a cache that the metrics read. */
type ObservedCache = Pick<InformerCache, 'inventory' | 'memory'>;

/** The cache of a further cluster, and the series of its watches. */
interface ObservedCluster {
  readonly cache: () => ObservedCache;
  readonly watches: WatchMetrics;
}

/** The facts of the process that the metrics show and no other part keeps. */
export interface ProcessReading {
  readonly loopDelay: SummaryReading;
  readonly election: { readonly lease: string; readonly isLeader: boolean } | undefined;
  readonly sharding: (ShardReading & { readonly name: string }) | undefined;
}

/** The metric series of a further cluster. Each has the label `cluster`. */
export interface ClusterMetrics {
  readonly client: ClientObserver;
  readonly watches: WatchMetrics;
  /** Removes the series. */
  readonly close: () => void;
}

/** The metrics of a manager and their registry. */
export class ManagerMetrics {
  readonly registry: Registry;
  /** Receives the measurements of the manager's client. */
  readonly client: ClientObserver;
  /** Receives the measurements of the manager's cache. */
  readonly watches: WatchMetrics;
  /** Receives the measurements of the admission webhooks. */
  readonly webhooks: WebhookMetrics;
  readonly #set: MetricSet;
  readonly #common: SeriesScope;
  readonly #loopDelay = new EventLoopDelayMonitor();
  #endProcessSamples = (): void => undefined;
  #isStopped = false;
  readonly #controllers = new Map<string, ControllerMetrics>();
  readonly #cache: () => ObservedCache;
  /** The caches of the further clusters, by name. */
  readonly #clusters = new Map<string, ObservedCluster>();
  /** When the certificates of the servers expire, in milliseconds since 1970. */
  readonly #expiries = new Map<string, () => number | undefined>();
  readonly #shardings = new Map<string, () => ShardReading>();
  #election: { readonly name: string; readonly isLeader: () => boolean } | undefined;

  /** Managers of one registry need different names. */
  constructor(registry: Registry, cache: () => ObservedCache, name?: ManagerName) {
    this.registry = registry;
    this.#cache = cache;
    this.#set = new MetricSet(registry, this.#readers(), name);
    this.#common = this.#set.scope({});
    this.client = clientMetrics(this.#common);
    this.webhooks = new WebhookMetrics(this.#common);
    const lingerReuses = this.#common.counter('lingerReuses');
    this.watches = new WatchMetrics((labels) => this.#set.scope(labels), lingerReuses);
    this.#common.counter('requestsPurged');
    this.#common.counter('apiWarnings');
    this.#common.counter('protobufRefusals');
    this.#common.counter('logErrors');
    this.#common.counter('collectorErrors');
    this.#common.counter('certificateReads');
    this.#common.counter('certificateErrors');
  }

  /** Counts an error of the logger. */
  logFailed(): void {
    this.#common.counter('logErrors').inc();
  }

  /** Counts a user's collector that threw or did not end in time. */
  collectorFailed(): void {
    this.#common.counter('collectorErrors').inc();
  }

  /** Counts a time in which code of this role that belongs to no controller blocked the event loop. */
  blocked(role: 'runnable' | 'unknown' | 'webhook', ms: number): void {
    this.#common.histogram('eventLoopBlocked', { role }).observe(ms / 1000);
  }

  /** Counts a read of the certificate files of a server. */
  certificateRead(): void {
    this.#common.counter('certificateReads').inc();
  }

  /** Counts a read whose certificate files were missing or invalid. */
  certificateFailed(): void {
    this.#common.counter('certificateErrors').inc();
  }

  /** Adds the certificate of a server, which expires at this time in milliseconds since 1970. */
  certificateOf(server: string, expiresAt: () => number | undefined): void {
    this.#expiries.set(server, expiresAt);
  }

  /** Creates the series of a further cluster, which exist until its `close` is called. */
  cluster(name: string, cache: () => ObservedCache): ClusterMetrics {
    const scope = this.#set.scope({ cluster: name });
    const open = (labels: Labels): SeriesScope => this.#set.scope({ ...labels, cluster: name });
    const watches = new WatchMetrics(open, scope.counter('lingerReuses'));
    this.#clusters.set(name, { cache, watches });
    return {
      client: clientMetrics(scope),
      watches,
      close: () => {
        this.#clusters.delete(name);
        scope.close();
      },
    };
  }

  /** Creates the series of the leader election for this Lease. */
  election(name: string, isLeader: () => boolean): { slowPath(): void } {
    this.#election = { name, isLeader };
    const slowPath = this.#set.scope({ name }).counter('leaderSlowPath');
    return { slowPath: () => slowPath.inc() };
  }

  /** Creates the series of the sharding of this name. */
  sharding(name: string, read: () => ShardReading): ShardingMetrics {
    this.#shardings.set(name, read);
    const scope = this.#set.scope({ name });
    const moved = scope.counter('shardSlotsMoved');
    const handover = scope.histogram('shardHandover');
    return {
      moved: (slots) => moved.inc(slots),
      handedOver: (milliseconds) => handover.observe(milliseconds / 1000),
    };
  }

  /** Creates the series of a controller, which exist until its `removed` is called. */
  controller(name: string): ControllerObserver {
    const scope = this.#set.scope({ name, controller: name });
    const purged = this.#common.counter('requestsPurged');
    const metrics = new ControllerMetrics(scope, purged, () => this.#controllers.delete(name));
    this.#controllers.set(name, metrics);
    return metrics;
  }

  /** The sums over the reconciles of a controller; `undefined` for an unknown name. */
  totalsOf(controller: string): ControllerTotals | undefined {
    return this.#controllers.get(controller)?.totals;
  }

  /** The sums over the watches of each cluster; the name of the main cluster is `undefined`. */
  watchTotals(): readonly [cluster: string | undefined, totals: readonly WatchTotals[]][] {
    const further = Array.from(this.#clusters, ([name, { watches }]) => [name, watches] as const);
    return [[undefined, this.watches] as const, ...further].map(([name, watches]) => [
      name,
      watches.totals(),
    ]);
  }

  /** Reads the event loop, the leader election and the sharding. */
  process(): ProcessReading {
    const [sharding] = Array.from(this.#shardings, ([name, read]) => ({ name, ...read() }));
    const election = this.#election && {
      lease: this.#election.name,
      isLeader: this.#election.isLeader(),
    };
    return { loopDelay: this.#readLoopDelay(), election, sharding };
  }

  start(): void {
    this.#loopDelay.start();
  }

  stop(): void {
    this.#isStopped = true;
    this.#loopDelay.stop();
    this.#endProcessSamples();
  }

  /**
   * Removes the manager's metrics from a registry that the user keeps, and with the last manager those of the process.
   */
  release(): void {
    this.#set.close();
    if (!MetricSet.isOn(this.registry)) removeProcessMetrics(this.registry);
  }

  /** Adds the default metrics of prom-client, which are sampled until the manager stops. */
  async collectProcess(): Promise<void> {
    this.#endProcessSamples = await shareProcessMetrics(this.registry);
    if (this.#isStopped) this.#endProcessSamples();
  }

  #readers(): MetricReaders {
    // A controller has no series of a number that is `undefined`.
    const perController =
      (value: (reading: ControllerReading) => number | undefined): GaugeReader =>
      (set) => {
        for (const [name, { reading }] of this.#controllers) {
          const number = reading && value(reading);
          if (number !== undefined) set({ name, controller: name }, number);
        }
      };
    const perSharding =
      (value: (reading: ShardReading) => number): GaugeReader =>
      (set) => {
        for (const [name, read] of this.#shardings) set({ name }, value(read()));
      };
    const perCache =
      (read: (set: SetGauge, cache: ObservedCache) => void): GaugeReader =>
      (set) => {
        read(set, this.#cache());
        for (const [cluster, { cache }] of this.#clusters)
          read((labels, value) => set({ ...labels, cluster }, value), cache());
      };
    const perResource = (value: (watch: WatchInventory) => number): GaugeReader =>
      perCache((set, cache) => readPerResource(set, cache.inventory(), value));
    const perBudget = (value: (use: BudgetUse) => number): GaugeReader =>
      perCache((set, cache) => {
        for (const use of cache.memory().budgets) set({ budget: use.budget }, value(use));
      });
    return {
      gauges: {
        leaderStatus: (set) => {
          const { name, isLeader } = this.#election ?? {};
          if (name !== undefined) set({ name }, isLeader?.() === true ? 1 : 0);
        },
        clusterLive: (set) => {
          for (const [cluster, { cache }] of this.#clusters) {
            const watches = cache().inventory();
            const isLive = watches.every(({ health }) => health.state === 'live');
            set({ cluster }, watches.length > 0 && isLive ? 1 : 0);
          }
        },
        shardSlotsOwned: perSharding(({ owned }) => owned),
        shardSlotsWanted: perSharding(({ wanted }) => wanted),
        shardSlotsUnowned: perSharding(({ unowned }) => unowned),
        shardLabelsPending: perSharding(({ unlabelled }) => unlabelled),
        shardSelectedByServer: perSharding(({ selectedByServer }) => Number(selectedByServer)),
        certificateExpiry: (set) => {
          for (const [server, expiresAt] of this.#expiries) {
            const at = expiresAt();
            if (at !== undefined) set({ server }, at / 1000);
          }
        },
        webhooksInFlight: (set) => this.webhooks.readInFlight(set),
        maxConcurrent: perController(({ concurrency }) => concurrency),
        activeWorkers: perController(({ running }) => running),
        unfinishedWork: perController((reading) => reading.unfinishedMs() / 1000),
        longestRunning: perController((reading) => reading.longestRunningMs() / 1000),
        queueDepth: (set) => {
          for (const [name, metrics] of this.#controllers) {
            for (const [priority, depth] of metrics.depths())
              set({ name, controller: name, priority }, depth);
          }
        },
        initialRequests: perController((reading) => reading.initialRequests()),
        historyBytes: perController((reading) => reading.historyBytes()),
        trackedObjects: perController((reading) => reading.tracked()),
        daemons: perController((reading) => reading.daemons()),
        sourcePending: (set) => {
          for (const [controller, { reading }] of this.#controllers) {
            for (const [source, count] of reading?.pending() ?? [])
              set({ controller, source }, count);
          }
        },
        watches: perCache((set, cache) => readStates(set, cache.inventory())),
        watchesIntended: perResource(({ handles }) => (handles.length > 0 ? 1 : 0)),
        watchHandles: perResource(({ handles }) => handles.length),
        storeObjects: perResource(({ objects }) => objects),
        storeBytes: perResource(({ bytes }) => bytes),
        ownWrites: perResource(({ ownWrites }) => ownWrites),
        pinnedBytes: perCache((set, cache) => set({}, cache.memory().pinnedBytes)),
        budgetBytes: perBudget(({ bytes }) => bytes),
        budgetUsed: perBudget(({ used }) => used),
        lastEventAge: perCache((set, cache) => readEventAges(set, cache.inventory())),
        watchVersion: perCache((set, cache) => readVersions(set, cache.inventory())),
      },
      summaries: { eventLoopDelay: () => this.#readLoopDelay() },
    };
  }

  #readLoopDelay(): SummaryReading {
    const { recent, totals } = this.#loopDelay;
    const at = (percentile: number): number =>
      recent.count === 0 ? 0 : delaySeconds(recent.percentile(percentile));
    const max = recent.count === 0 ? 0 : delaySeconds(recent.max);
    return { quantiles: { '0.5': at(50), '0.99': at(99), '1': max }, ...totals };
  }
}
