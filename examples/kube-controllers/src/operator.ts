import { createManager, type Manager, type ManagerOptions } from '@keelson/manager';
import { addWorkloads } from '@keelson/workloads';

// #region operator
/** A manager with the controllers of a cluster that has three nodes. */
export function createOperator(options: ManagerOptions): Manager {
  const manager = createManager(options);
  const { pods } = addWorkloads(manager, { nodes: 3, startupDelay: '200ms' });
  pods.when('app=broken', { crash: 'after 1s', exitCode: 2 });
  return manager;
}
// #endregion
