import type { Client, ClientOptions } from '@keelson/client';
import type { InformerCache } from '@keelson/informer';
import type { RemoveOptions } from '../source-set/dynamic-watch.ts';
import type { EventRecorder } from '../reconcile/event-recorder.ts';
import type { KindDefaults } from '../sources/watch-defaults.ts';
import type { CacheOptions } from './cache-options.ts';

/** The options of a client that a cluster may have; the defaults are those of `createClient`. */
export type ClusterClientOptions = Pick<
  ClientOptions,
  'compression' | 'http2' | 'protobuf' | 'retry'
>;

/** The cache, the client and the watches of further clusters. A manager may set defaults for all of them. */
export interface ClusterDefaults {
  /** The limits of its cache. Default: those of the manager's `clusters`, else of `createInformerCache`. */
  readonly cache?: CacheOptions;
  /** How its client sends requests. Default: as the manager's `clusters`, else as `createClient`. */
  readonly client?: ClusterClientOptions;
  /**
   * The namespaces of all sources in the cluster that name none, and whose controller names none if they have
   * `clusters`. Default: those of the manager's `clusters`, else all.
   */
  readonly namespaces?: readonly string[];
  /** Defaults for single kinds in the cluster, as `kinds` of the manager. Default: those of the manager's `clusters`. */
  readonly kinds?: readonly KindDefaults[];
}

/** The labels, the cache and the client of a cluster that `manager.addCluster` adds. */
export interface ClusterOptions extends ClusterDefaults {
  /** The labels by which the `clusters` of sources select it. Default: none. */
  readonly labels?: Readonly<Record<string, string>>;
}

/** The state of the watches of a cluster. */
export interface ClusterHealth {
  /** `live` if every watch is live, `not-live` if one is not, and `unknown` without watches. */
  readonly state: 'live' | 'not-live' | 'unknown';
  /** True in the state `live`. */
  readonly isLive: boolean;
  readonly watches: number;
  /** The number of the watches that are not live. */
  readonly notLive: number;
  /** The last error of the first watch that is not live. */
  readonly lastError: Error | undefined;
}

/** A further cluster of a manager, with a cache and a client of its own. `manager.addCluster` adds it. */
export interface ManagerCluster extends AsyncDisposable {
  /** The name with which `watches` and `reads` of controllers name the cluster, and the label of its metrics. */
  readonly name: string;
  /** The labels by which the `clusters` of sources select it. */
  readonly labels: Readonly<Record<string, string>>;
  /** The client for code outside reconciles. It does not depend on the Lease of the manager. */
  readonly client: Client;
  /** The cache for code outside reconciles. A read throws unless a single acquired watch covers it. */
  readonly cache: InformerCache;
  readonly health: ClusterHealth;
  /** Makes a recorder of events about objects of the cluster, for code outside reconciles. `name` is their reporter. */
  readonly eventRecorder: (name: string) => EventRecorder;
  /**
   * Removes the watches of the cluster from all controllers, then closes its cache and client. No handler of the
   * watches runs after the call, and requests to the cluster that are in flight reject with `CLUSTER_REMOVED`. Resolves
   * when the queued requests that only the watches caused are gone, the reconciles that they caused have ended or their
   * timeout has passed, and the metric series are removed. `signal` ends only the wait. The controllers and their other
   * watches continue.
   */
  remove(options?: RemoveOptions): Promise<void>;
}
