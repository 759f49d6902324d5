import { builtin, createManager, type Manager, type ManagerOptions } from '@keelson/manager';
import type { LeaderElectionOptions } from '@keelson/manager/process';

/** The label of the ConfigMaps that the operator handles. */
export const label = 'example.com/work';

// #region operator
/** Writes the name of its replica into each ConfigMap that no replica has handled. */
export function createOperator(
  replica: string,
  options: ManagerOptions & { readonly leaderElection: LeaderElectionOptions },
): Manager {
  const manager = createManager(options);
  manager.addController({
    name: 'worker',
    for: { resource: builtin.ConfigMap, labelSelector: label },
    async reconcile(request, { cache, client, signal }) {
      const work = cache.get(builtin.ConfigMap, request);
      if (work === undefined || work.data?.['handledBy'] !== undefined) return;
      const body = { data: { handledBy: replica } };
      await client.patch(builtin.ConfigMap, request, { type: 'merge', body }, { signal });
    },
  });
  return manager;
}
// #endregion operator
