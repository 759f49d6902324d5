import { Agent, type Dispatcher } from 'undici';
import type { Cluster } from '@keelson/client';

/** A server to compare, with the users that the steps name. */
export interface ServerUnderTest {
  readonly name: string;
  /** Users by the name that steps use in `as`. */
  readonly users: Readonly<Record<string, Cluster>>;
  /** Further variables of all steps, such as the address of the webhooks. */
  readonly variables?: Readonly<Record<string, string>>;
  /** Expires every resourceVersion except the newest. */
  compact(): Promise<void>;
}

/** The connection of one user: its client certificate and its token. */
export interface UserConnection {
  readonly origin: string;
  readonly dispatcher: Dispatcher;
  readonly headers: Readonly<Record<string, string>>;
}

/** Creates the connection of a user. The caller must close the dispatcher. */
export function connectionOf(cluster: Cluster): UserConnection {
  const { ca, cert, key } = (cluster.tls ?? {}) as { ca?: string; cert?: string; key?: string };
  const connect = { ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) };
  return {
    origin: cluster.server,
    // Over HTTP/2 undici would merge repeated headers into one.
    dispatcher: new Agent({ connect, bodyTimeout: 0, allowH2: false }),
    headers: cluster.token === undefined ? {} : { authorization: `Bearer ${cluster.token}` },
  };
}
