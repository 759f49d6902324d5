import { setTimeout as sleep } from 'node:timers/promises';
import { builtin, createManager, type Manager, type ManagerOptions } from '@keelson/manager';
import type { ShardingOptions } from '@keelson/manager/process';

/** The label of the ConfigMaps that the operator handles. */
export const label = 'example.com/work';

// #region operator
/** Handles each object again every second. While a run works, the object has the name of its replica. */
export function createOperator(
  replica: string,
  options: ManagerOptions & { readonly sharding: ShardingOptions },
): Manager {
  const manager = createManager(options);
  manager.addController({
    name: 'worker',
    for: { resource: builtin.ConfigMap, labelSelector: label },
    concurrency: 10,
    async reconcile(request, { client, signal }) {
      const write = (data: Record<string, string>): Promise<unknown> =>
        client.patch(builtin.ConfigMap, request, { type: 'merge', body: { data } }, { signal });
      await write({ worker: replica });
      await sleep(20, undefined, { signal });
      await write({ worker: '', handledBy: replica });
      return { requeueAfter: '1s' };
    },
  });
  return manager;
}
// #endregion operator
