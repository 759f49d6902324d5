import { isIP } from 'node:net';
import type { Cluster } from '@keelson/client';

/** A cluster at another address, where its certificate is still the one of its own host. */
export function seenAt(cluster: Cluster, server: string): Cluster {
  const { hostname } = new URL(cluster.server);
  const named = isIP(hostname) === 0 ? { servername: hostname } : {};
  return { ...cluster, server, tls: { ...named, ...cluster.tls } };
}
