import { createManager, type Manager, type ManagerOptions } from '@keelson/manager';
import { addServiceControllers, type Provision } from './service-controllers.ts';
import { addTenantController } from './tenant-controllers.ts';

/** A platform: 30 controllers of services, one of tenants, and one for each tenant. */
export function createOperator(options: ManagerOptions, provision?: Provision): Manager {
  const manager = createManager(options);
  addControllers(manager, provision);
  return manager;
}

/** Adds the controllers to a manager, which may have others. */
export function addControllers(manager: Manager, provision: Provision = async () => {}): void {
  addServiceControllers(manager, provision);
  addTenantController(manager);
}
