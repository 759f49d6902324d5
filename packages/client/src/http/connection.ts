import { checkMembers, checkToken, serverUrl, type Cluster } from '../cluster/cluster.ts';
import { ConnectionPools } from './connection-pools.ts';
import { CredentialCache } from './credential-cache.ts';
import type { ClientObserver } from './observer.ts';

/** One cluster as requests reach it: where it is, its sockets, its credentials. */
export class Connection {
  readonly origin: string;
  readonly host: string;
  /** The path before `/api` and `/apis`; empty for most servers. */
  readonly prefix: string;
  readonly pools: ConnectionPools;
  readonly credentials: CredentialCache;

  constructor(cluster: Cluster, observer: ClientObserver | undefined) {
    checkMembers(cluster);
    const url = serverUrl(cluster.server);
    checkToken(cluster.token);
    this.origin = url.origin;
    this.host = url.host;
    this.prefix = url.pathname.replace(/\/+$/, '');
    this.pools = new ConnectionPools(url, cluster.proxy);
    this.credentials = new CredentialCache(cluster, {
      onRefresh: (refresh) => observer?.credentialsRefreshed?.(refresh),
      onFailure: (error) => observer?.credentialsFailed?.(error),
    });
  }

  /** Breaks every request and watch; settles when all sockets are closed and no credentials are being fetched. */
  async close(reason: Error): Promise<void> {
    await Promise.all([this.credentials.close(reason), this.pools.close(reason)]);
  }

  get server(): string {
    return this.origin + this.prefix;
  }
}
