import { createManager, type Manager, type ManagerOptions } from '@keelson/manager';
import { addClaimController } from './claim-controller.ts';
import { addThingController } from './thing-controller.ts';

/** One manager, two controllers, one watch per kind: both controllers watch both kinds. */
export function createOperator(options: ManagerOptions): Manager {
  const manager = createManager(options);
  addControllers(manager);
  return manager;
}

/** Adds both controllers to a manager, which may have others. */
export function addControllers(manager: Manager): void {
  addClaimController(manager);
  addThingController(manager);
}
