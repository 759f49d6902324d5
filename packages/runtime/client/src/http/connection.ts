import type { Clock } from '@keelson/apimachinery';
import { checkMembers, checkToken, serverUrl, type Cluster } from '../cluster/cluster.ts';
import { ConnectionPools } from './connection-pools.ts';
import { CredentialCache } from './credential-cache.ts';
import type { ClientObserver } from './observer.ts';

export interface ConnectionOptions {
  readonly observer: ClientObserver | undefined;
  /** Watches use HTTP/2 if the server supports it. */
  readonly http2: boolean;
  readonly clock: Clock;
}

/** The connection pools and the credentials of one cluster, with the parts of its URL. */
export class Connection {
  readonly origin: string;
  readonly host: string;
  /** The path of the server before `/api` and `/apis`. Empty for most servers. */
  readonly prefix: string;
  /** True for the cluster of a test or of `keelson dev`. */
  readonly isDevelopment: boolean;
  readonly pools: ConnectionPools;
  readonly credentials: CredentialCache;

  constructor(cluster: Cluster, { observer, http2, clock }: ConnectionOptions) {
    checkMembers(cluster);
    const url = serverUrl(cluster.server);
    checkToken(cluster.token);
    this.origin = url.origin;
    this.host = url.host;
    this.prefix = url.pathname.replace(/\/+$/, '');
    this.isDevelopment = cluster.development ?? false;
    this.pools = new ConnectionPools({ url, proxy: cluster.proxy, http2 });
    this.credentials = new CredentialCache(cluster, {
      now: () => clock.monotonic(),
      onRefresh: (refresh) => observer?.credentialsRefreshed?.(refresh),
      onFailure: (error) => observer?.credentialsFailed?.(error),
    });
  }

  /**
   * Aborts every request and watch; settles when all sockets are closed and no credentials are being fetched.
   */
  async close(reason: Error): Promise<void> {
    await Promise.all([this.credentials.close(reason), this.pools.close(reason)]);
  }

  /** Closes the connection when its last response has ended. */
  async retire(): Promise<void> {
    await this.pools.retire();
  }

  get server(): string {
    return this.origin + this.prefix;
  }
}
