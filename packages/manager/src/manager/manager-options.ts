import {
  checkMethods,
  checkOptions,
  invalidOption,
  parseDuration,
  type Duration,
} from '@keelson/apimachinery';
import { checkClusterSource, type Client, type Cluster, type ClusterSource } from '@keelson/client';
import type { InformerCache } from '@keelson/informer';
import type { Registry } from 'prom-client';
import { checkCache, type CacheOptions } from './cache-options.ts';
import {
  checkControllerDefaults,
  type ControllerDefaults,
} from '../controller/controller-options.ts';
import { checkHost, checkServerAddress, type ServerAddress } from '../servers/http-server.ts';
import { createLogger, type Logger } from '../logging/logger.ts';
import type { StopSignal } from './process-signals.ts';

/** The cluster, cache, servers and limits of a manager. Every option has a default. */
export interface ManagerOptions {
  /** The cluster, as plain data: `{ server: url }`. Not together with `kubeConfig` or `client`. */
  readonly cluster?: Cluster;
  /** Where to find the cluster. Default: as kubectl does, or the service account of the Pod. */
  readonly kubeConfig?: ClusterSource;
  /** A client that exists; it is not closed with the manager. */
  readonly client?: Client;
  /**
   * Options of the manager's cache; the defaults are those of `createInformerCache`. Or a cache that
   * exists, to share its watches with others: that is not closed with the manager.
   */
  readonly cache?: InformerCache | CacheOptions;
  /** What listens, and where. Default: nothing listens. */
  readonly servers?: {
    /** Where servers listen that name no host of their own. Default: every interface. */
    readonly host?: string;
    /** `/metrics`. */
    readonly metrics?: ServerAddress;
    /** `/healthz` and `/readyz`. */
    readonly health?: ServerAddress;
  };
  /** Where the metrics are registered. Default: a registry of the manager's own, never the global one. */
  readonly registry?: Registry;
  /** Default: JSON lines on standard error, from level `info`. */
  readonly logger?: Logger;
  /**
   * How long the whole stop may take. Running reconciles may finish in 72 % of it (18 s of 25), then
   * their signals abort. The manager then leaves behind what still runs and reports it. Default
   * `'25s'`, because a Pod is killed after 30. 0 does not wait.
   */
  readonly gracePeriod?: Duration;
  /** Defaults for the manager's controllers. */
  readonly controllers?: ControllerDefaults;
  /** Which signals stop the manager. Default `['SIGTERM', 'SIGINT']`; `[]`: none. */
  readonly stopSignals?: readonly StopSignal[];
}

/** The options of a manager, checked and complete. */
export interface ManagerSettings {
  readonly logger: Logger;
  readonly gracePeriod: number;
  readonly controllers: ControllerDefaults;
  readonly stopSignals: readonly StopSignal[];
}

const optionNames = [
  'cluster',
  'kubeConfig',
  'client',
  'cache',
  'servers',
  'registry',
  'logger',
  'gracePeriod',
  'controllers',
  'stopSignals',
];
const understoodSignals: readonly string[] = ['SIGTERM', 'SIGINT'] satisfies StopSignal[];
/** What the manager calls of the objects that it is given. */
const loggerMethods: readonly (keyof Logger)[] = ['debug', 'info', 'warn', 'error', 'child'];
const clientMethods = [
  'get',
  'create',
  'patch',
  'listerWatcher',
  'apiClient',
  'withFieldManager',
] as const satisfies readonly (keyof Client)[];
const registryMethods: readonly (keyof Registry)[] = [
  'registerMetric',
  'getSingleMetric',
  'removeSingleMetric',
  'getMetricsAsArray',
];

/** Fills in the defaults. Throws `INVALID_OPTION` with the name of an invalid option. */
export function checkManagerOptions(options: ManagerOptions): ManagerSettings {
  const where = 'createManager';
  checkOptions(options, optionNames, where);
  checkCluster(options);
  if (options.registry !== undefined) {
    checkMethods(options.registry, registryMethods, `${where}.registry`);
  }
  checkServers(options.servers);
  const { logger = createLogger(), controllers = {} } = options;
  const { cache = {}, gracePeriod = '25s' } = options;
  checkCache(cache, `${where}.cache`);
  checkMethods(logger, loggerMethods, `${where}.logger`);
  checkControllerDefaults(controllers, `${where}.controllers`);
  return {
    logger,
    controllers,
    gracePeriod: parseDuration(gracePeriod, `${where}.gracePeriod`),
    stopSignals: stopSignalsOf(options.stopSignals),
  };
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

function checkServers(servers: ManagerOptions['servers'] = {}): void {
  checkOptions(servers, ['host', 'metrics', 'health'], 'createManager.servers');
  const { host, ...addresses } = servers;
  checkHost(host, 'createManager.servers.host');
  for (const [name, address] of Object.entries(addresses)) {
    if (address !== undefined) checkServerAddress(address, `createManager.servers.${name}`);
  }
}

function stopSignalsOf(signals: ManagerOptions['stopSignals']): readonly StopSignal[] {
  if (signals === undefined) return ['SIGTERM', 'SIGINT'];
  if (!Array.isArray(signals) || !signals.every((signal) => understoodSignals.includes(signal))) {
    throw invalidOption('createManager.stopSignals', 'must be a list of SIGTERM and SIGINT');
  }
  return [...signals];
}
