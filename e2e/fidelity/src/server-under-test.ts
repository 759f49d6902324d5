import { Agent, type Dispatcher } from 'undici';
import type { Cluster } from '@keelson/client';

/** A server that a conversation is held with, and the users it knows. */
export interface ServerUnderTest {
  readonly name: string;
  /** By the name that steps use in `as`. */
  readonly users: Readonly<Record<string, Cluster>>;
  /** Makes the server forget every version but the newest. */
  compact(): Promise<void>;
}

/** How a user's requests are sent: the connection with its certificate, and the token. */
export interface Speaker {
  readonly origin: string;
  readonly dispatcher: Dispatcher;
  readonly headers: Readonly<Record<string, string>>;
}

/** Opens the connections of a user. Close the dispatcher. */
export function speakerOf(cluster: Cluster): Speaker {
  const { ca, cert, key } = (cluster.tls ?? {}) as { ca?: string; cert?: string; key?: string };
  const connect = { ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) };
  return {
    origin: cluster.server,
    // Over HTTP/2 undici makes one header of what has to come as several.
    dispatcher: new Agent({ connect, bodyTimeout: 0, allowH2: false }),
    headers: cluster.token === undefined ? {} : { authorization: `Bearer ${cluster.token}` },
  };
}
