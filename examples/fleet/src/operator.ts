import { addKubeConfigSecrets } from '@keelson/fleet';
import { builtin, createManager, type Manager, type ManagerOptions } from '@keelson/manager';

/** The label of the Secrets of the hub that hold the kubeconfigs of the fleet. */
export const clusterLabel = 'fleet.example.com/cluster';
/** The label of the ConfigMaps that the operator handles in every cluster. */
export const appLabel = 'fleet.example.com/app';

// #region operator
/** Writes the name of the cluster into each labelled ConfigMap of every cluster of the fleet. */
export function createOperator(options: ManagerOptions): Manager {
  const manager = createManager(options);
  addKubeConfigSecrets(manager, {
    labelSelector: clusterLabel,
    clusterName: ({ metadata }) => `fleet/${metadata.name}`,
  });
  manager.addController({
    name: 'stamp',
    for: { resource: builtin.ConfigMap, labelSelector: appLabel, clusters: 'all' },
    concurrency: 10,
    timeout: '10s', // so that a cluster that does not respond keeps no worker for long
    async reconcile(request, { cluster, signal }) {
      const app = cluster.cache.get(builtin.ConfigMap, request);
      if (app === undefined || app.data?.['cluster'] === request.cluster) return;
      const body = { data: { cluster: request.cluster } };
      await cluster.client.patch(builtin.ConfigMap, request, { type: 'merge', body }, { signal });
    },
  });
  return manager;
}
// #endregion operator
