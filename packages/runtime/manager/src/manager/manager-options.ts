import {
  checkClock,
  checkFlag,
  checkMethods,
  checkOptions,
  checkRuntime,
  invalidOption,
  parseDuration,
  systemClock,
  type Clock,
  type Duration,
  type KubernetesObject,
} from '@keelson/apimachinery';
import { checkClusterSource, type Client, type Cluster, type ClusterSource } from '@keelson/client';
import type { InformerCache } from '@keelson/informer';
import type { Registry } from 'prom-client';
import { checkCache, type CacheOptions } from '../clusters/cache-options.ts';
import { checkClusterDefaults } from '../clusters/cluster-options.ts';
import type { ClusterDefaults } from '../clusters/manager-cluster.ts';
import { managerMistakes, type HintsOf } from '../common-mistakes.ts';
import {
  checkControllerDefaults,
  type ControllerDefaults,
} from '../controller/controller-options.ts';
import {
  checkWatchDefaults,
  WatchDefaults,
  type KindDefaultsOf,
} from '../sources/watch-defaults.ts';
import {
  checkEventLoop,
  type EventLoopOptions,
  type EventLoopSettings,
} from '../event-loop/event-loop-options.ts';
import { checkServers, type ServersOptions } from '../servers/server-options.ts';
import {
  checkLeaderElection,
  type LeaderElectionOptions,
  type LeaderElectionSettings,
} from '../leader-election/leader-election-options.ts';
import { createLogger, type Logger } from '../logging/logger.ts';
import {
  checkSharding,
  type ShardingOptions,
  type ShardingSettings,
} from '../sharding/sharding-options.ts';
import { GuardedTracing } from '../tracing/guarded-tracing.ts';
import type { Tracing } from '../tracing/tracing.ts';
import type { StopSignal } from './process-signals.ts';

/** The cluster, cache, servers and limits of a manager. All options are optional. */
export interface ManagerOptions<
  Kinds extends readonly KubernetesObject[] = readonly KubernetesObject[],
> extends HintsOf<typeof managerMistakes> {
  /**
   * The label `manager` of the manager's metrics. Managers that share a `registry` need different names; one of them
   * may have none. Default: none, and the metrics have no such label.
   */
  readonly name?: string;
  /**
   * The cluster as plain data: `{ server: url }`. Invalid with `kubeConfig` or `client`. Default: that of `kubeConfig`.
   */
  readonly cluster?: Cluster;
  /** The source of the kubeconfig. Default: the search order of kubectl, then the service account of the Pod. */
  readonly kubeConfig?: ClusterSource;
  /** An existing client, which the manager does not close. Default: a client of `cluster` or `kubeConfig`. */
  readonly client?: Client;
  /**
   * Options of the manager's cache, with the defaults of `createInformerCache`. Or an existing cache, to share its
   * watches with other managers; the manager does not close it.
   */
  readonly cache?: InformerCache | CacheOptions;
  /**
   * The namespaces of all sources whose source, controller and kind name none; cluster-scoped kinds ignore it.
   * `manager.setNamespaces` changes it at run time. Default: all namespaces.
   */
  readonly namespaces?: readonly string[];
  /** Defaults for the sources of single kinds: namespaces, selectors, transform, retention and page size. */
  readonly kinds?: KindDefaultsOf<Kinds>;
  /** Defaults for all clusters that `addCluster` adds: their cache, client, namespaces and kinds. Default: none. */
  readonly clusters?: ClusterDefaults;
  /** The addresses of the HTTP servers. Default: no server. */
  readonly servers?: ServersOptions;
  /**
   * The registry of the metrics, which several managers may share. Default: a new registry, not the global one of
   * prom-client.
   */
  readonly registry?: Registry;
  /** The logger. Default: text on a terminal, JSON lines elsewhere, on standard error and from level `info`. */
  readonly logger?: Logger;
  /**
   * The time that the whole stop may take. Running reconciles may finish in 72 % of it (18 s of 25 s; in the phase
   * `always` in 45 % of what the phases before have left), then their signals abort. At its end the manager reports the
   * components that still run. Default `'25s'`, because Kubernetes kills a Pod after 30 s. With 0 the stop does not wait.
   */
  readonly gracePeriod?: Duration;
  /** The default settings of the manager's controllers. */
  readonly controllers?: ControllerDefaults;
  /**
   * Leader election by a Lease, for a deployment with several replicas: `{ lease: 'web-app' }`. Default: none; every
   * process runs the phase `leader`.
   */
  readonly leaderElection?: LeaderElectionOptions;
  /**
   * Appends the id of the reconcile to the `User-Agent` of each request that it sends, as `reconcile/UUID`, so that
   * audit logs of the API server show it. Invalid with `client`. Default false.
   */
  readonly auditReconciles?: boolean;
  /**
   * Writes spans: `createTracing()` of `@keelson/manager/tracing`. Requests of a given `client` are not traced, unless it
   * has the option `tracing` itself. Default: none.
   */
  readonly tracing?: Tracing;
  /**
   * Sharding, for a deployment whose replicas all reconcile, each its part of the requests:
   * `{ name: 'web-app', by: 'namespace' }`. Default: none.
   */
  readonly sharding?: ShardingOptions;
  /** The reports about user code that blocks the event loop. Default: a call of 200 ms is reported. */
  readonly eventLoop?: EventLoopOptions;
  /** The process signals that stop the manager. Default `['SIGTERM', 'SIGINT']`; `[]` for none. */
  readonly stopSignals?: readonly StopSignal[];
  /**
   * The clock by which the manager, its client, its cache and its controllers wait. The stop of the manager and its
   * servers use that of the system. Default: that of `cluster` or `client`, else the clock of the system. The cluster of
   * a test environment with virtual time has its clock.
   */
  readonly clock?: Clock;
}

/** The checked settings of a manager with all defaults. `gracePeriod` is in milliseconds. */
export interface ManagerSettings {
  readonly logger: Logger;
  readonly clock: Clock;
  readonly gracePeriod: number;
  readonly controllers: ControllerDefaults;
  readonly watchDefaults: WatchDefaults;
  readonly leaderElection: LeaderElectionSettings | undefined;
  readonly sharding: ShardingSettings | undefined;
  readonly eventLoop: EventLoopSettings;
  readonly auditReconciles: boolean;
  readonly tracing: Tracing | undefined;
  readonly stopSignals: readonly StopSignal[];
}

const optionNames = [
  'name',
  'cluster',
  'kubeConfig',
  'client',
  'cache',
  'namespaces',
  'kinds',
  'clusters',
  'servers',
  'registry',
  'logger',
  'gracePeriod',
  'controllers',
  'leaderElection',
  'sharding',
  'eventLoop',
  'auditReconciles',
  'tracing',
  'stopSignals',
  'clock',
];
const understoodSignals: readonly string[] = ['SIGTERM', 'SIGINT'] satisfies StopSignal[];
/** The methods of given objects that the manager calls. */
const loggerMethods: readonly (keyof Logger)[] = ['debug', 'info', 'warn', 'error', 'child'];
const clientMethods = [
  'get',
  'create',
  'patch',
  'listerWatcher',
  'apiClient',
  'withFieldManager',
  'withWriteObserver',
] as const satisfies readonly (keyof Client)[];
/** The methods of a given client that leader election calls. */
const electionMethods = [
  'update',
  'watch',
  'withWriteGuard',
] as const satisfies readonly (keyof Client)[];
/** The methods of a given client that sharding calls. */
const shardingMethods = [
  'update',
  'delete',
  'withWriteGuard',
] as const satisfies readonly (keyof Client)[];
const registryMethods: readonly (keyof Registry)[] = [
  'registerMetric',
  'getSingleMetric',
  'removeSingleMetric',
  'getMetricsAsArray',
];

/** Fills in the defaults. Throws `INVALID_OPTION` with the name of an invalid option, and `UNSUPPORTED_RUNTIME`. */
export function checkManagerOptions(options: ManagerOptions): ManagerSettings {
  checkRuntime();
  const where = 'createManager';
  checkOptions(options, optionNames, where, managerMistakes);
  checkName(options.name);
  checkCluster(options);
  if (options.registry !== undefined) {
    checkMethods(options.registry, registryMethods, `${where}.registry`);
  }
  if (options.servers !== undefined) checkServers(options.servers, `${where}.servers`);
  const { logger = createLogger(), controllers = {} } = options;
  const { cache = {}, gracePeriod = '25s' } = options;
  checkCache(cache, `${where}.cache`);
  checkWatchDefaults(options, where);
  if (options.clusters !== undefined) checkClusterDefaults(options.clusters, `${where}.clusters`);
  checkClock(options.clock, `${where}.clock`);
  checkMethods(logger, loggerMethods, `${where}.logger`);
  checkControllerDefaults(controllers, `${where}.controllers`);
  return {
    logger,
    clock: clockOf(options),
    controllers,
    watchDefaults: new WatchDefaults(options),
    gracePeriod: parseDuration(gracePeriod, `${where}.gracePeriod`),
    leaderElection: electionOf(options),
    sharding: shardingOf(options),
    eventLoop: checkEventLoop(options.eventLoop),
    auditReconciles: auditOf(options),
    tracing: tracingOf(options.tracing),
    stopSignals: stopSignalsOf(options.stopSignals),
  };
}

function clockOf({ clock, cluster, client }: ManagerOptions): Clock {
  return clock ?? cluster?.clock ?? client?.clock ?? systemClock;
}

function checkName(name: unknown): void {
  if (name === undefined || (typeof name === 'string' && name !== '')) return;
  throw invalidOption('createManager.name', 'must be a name');
}

function checkCluster({ cluster, kubeConfig, client }: ManagerOptions): void {
  const all = { cluster, kubeConfig, client };
  const given = Object.entries(all).filter(([, value]) => value !== undefined);
  for (const [name, value] of given) checkMethods(value, [], `createManager.${name}`);
  if (given.length > 1) {
    const [, [name] = ['']] = given;
    throw invalidOption(`createManager.${name}`, 'give one of cluster, kubeConfig and client');
  }
  if (client !== undefined) checkMethods(client, clientMethods, 'createManager.client');
  if (kubeConfig !== undefined) checkClusterSource(kubeConfig, 'createManager.kubeConfig');
}

function electionOf({
  leaderElection,
  client,
}: ManagerOptions): LeaderElectionSettings | undefined {
  if (leaderElection === undefined) return undefined;
  if (client !== undefined) checkMethods(client, electionMethods, 'createManager.client');
  return checkLeaderElection(leaderElection);
}

function auditOf({ auditReconciles = false, client }: ManagerOptions): boolean {
  const where = 'createManager.auditReconciles';
  checkFlag(auditReconciles, where);
  if (auditReconciles && client !== undefined) {
    throw invalidOption(where, 'needs a client that the manager creates');
  }
  return auditReconciles;
}

/** Refuses `true`, which could not import OpenTelemetry without making every operator load it. */
function tracingOf(tracing: Tracing | undefined): Tracing | undefined {
  const where = 'createManager.tracing';
  if (tracing === undefined) return undefined;
  checkMethods(tracing, ['begin', 'record', 'current'], where);
  checkMethods(tracing.requests, ['begin'], `${where}.requests`);
  return new GuardedTracing(tracing);
}

function shardingOf({ sharding, client }: ManagerOptions): ShardingSettings | undefined {
  if (sharding === undefined) return undefined;
  if (client !== undefined) checkMethods(client, shardingMethods, 'createManager.client');
  return checkSharding(sharding);
}

function stopSignalsOf(signals: ManagerOptions['stopSignals']): readonly StopSignal[] {
  if (signals === undefined) return ['SIGTERM', 'SIGINT'];
  if (!Array.isArray(signals) || !signals.every((signal) => understoodSignals.includes(signal))) {
    throw invalidOption('createManager.stopSignals', 'must be a list of SIGTERM and SIGINT');
  }
  return [...signals];
}
