import { checkFlag, checkMethods, checkOptions, invalidOption } from '@keelson/apimachinery';
import type { ClientOptions } from '@keelson/client';
import { checkWatchDefaults, WatchDefaults } from '../sources/watch-defaults.ts';
import { checkCacheOptions, type CacheOptions } from './cache-options.ts';
import type { ClusterClientOptions, ClusterDefaults, ClusterOptions } from './manager-cluster.ts';

/** The checked options of a cluster with all defaults. */
export interface ClusterSettings {
  readonly labels: Readonly<Record<string, string>>;
  readonly cache: CacheOptions;
  readonly client: ClusterClientOptions;
  readonly watchDefaults: WatchDefaults;
}

const defaultNames = [
  'cache',
  'client',
  'namespaces',
  'kinds',
] as const satisfies readonly (keyof ClusterDefaults)[];

const clientNames = [
  'compression',
  'http2',
  'protobuf',
  'retry',
] as const satisfies readonly (keyof ClientOptions)[];

/** Throws `INVALID_OPTION` for invalid defaults of all clusters. */
export function checkClusterDefaults(defaults: ClusterDefaults, where: string): void {
  checkOptions(defaults, defaultNames, where);
  checkShared(defaults, where);
}

/** Resolves each option: from the cluster, else from the manager. Throws `INVALID_OPTION`. */
export function checkClusterOptions(
  options: ClusterOptions,
  defaults: ClusterDefaults,
): ClusterSettings {
  const where = 'addCluster';
  checkOptions(options, [...defaultNames, 'labels'], where);
  const { labels = {} } = options;
  checkLabels(labels, `${where}.labels`);
  checkShared(options, where);
  const { namespaces, kinds } = { ...defaults, ...given(options) };
  return {
    labels: Object.freeze({ ...labels }),
    cache: { ...defaults.cache, ...options.cache },
    client: { ...defaults.client, ...options.client },
    watchDefaults: new WatchDefaults({ namespaces, kinds }),
  };
}

/** `createClient` checks the members of `retry`. */
function checkClient(client: ClusterClientOptions, where: string): void {
  checkOptions(client, clientNames, where);
  const { retry, ...flags } = client;
  for (const [name, value] of Object.entries(flags)) checkFlag(value, `${where}.${name}`);
  if (retry !== undefined && retry !== false) checkMethods(retry, [], `${where}.retry`);
}

function checkLabels(labels: object, where: string): void {
  checkMethods(labels, [], where);
  for (const [name, value] of Object.entries(labels)) {
    if (typeof value !== 'string') throw invalidOption(`${where}.${name}`, 'must be a text');
  }
}

function checkShared({ cache = {}, client = {}, ...watch }: ClusterDefaults, where: string): void {
  checkCacheOptions(cache, `${where}.cache`);
  checkClient(client, `${where}.client`);
  checkWatchDefaults(watch, where);
}

function given(options: ClusterDefaults): ClusterDefaults {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}
