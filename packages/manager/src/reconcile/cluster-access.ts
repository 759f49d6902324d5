import type { Client } from '@keelson/client';
import type { CacheScope } from '@keelson/informer';

/** The cache and the client with which a controller uses a further cluster. */
export interface ClusterAccess {
  /** Reads the `watches` and `reads` of the controller that name the cluster. Throws `NOT_WATCHED` for other kinds. */
  readonly cache: CacheScope;
  /**
   * Writes with the controller's name as the field manager. In the phase `leader` it refuses writes with
   * `LEADERSHIP_LOST` while the process does not hold the Lease of the main cluster.
   */
  readonly client: Client;
}

/** The further clusters of the manager, as one controller uses them. */
export interface ClusterLookup {
  /** Throws `UNKNOWN_CLUSTER` for a cluster that was not added to the manager, or was removed. */
  get(name: string): ClusterAccess;
}
