import type { Cluster } from '@keelson/client';

/** Returns a cluster whose requests the server handles as those of another user. */
export function impersonatedCluster(cluster: Cluster, user: string): Cluster {
  return {
    ...cluster,
    credentials: async (request) => {
      const given = await cluster.credentials?.(request);
      const headers = Object.entries(given?.headers ?? {}).filter(
        // The kubeconfig may have a user to impersonate too.
        ([name]) => !name.toLowerCase().startsWith('impersonate-'),
      );
      return { ...given, headers: { ...Object.fromEntries(headers), 'impersonate-user': user } };
    },
  };
}
