import { isIP } from 'node:net';
import type { Cluster } from '@keelson/client';

/** Returns a cluster at another address whose certificate is still valid for the original host. */
export function atAddress(cluster: Cluster, server: string): Cluster {
  const { hostname } = new URL(cluster.server);
  const named = isIP(hostname) === 0 ? { servername: hostname } : {};
  return { ...cluster, server, tls: { ...named, ...cluster.tls } };
}
