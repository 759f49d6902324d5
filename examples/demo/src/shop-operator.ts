import {
  createManager,
  type Controller,
  type Manager,
  type ManagerOptions,
} from '@keelson/manager';
import { DeploymentController } from './deployment-controller.ts';
import type { OnReconcile } from './operator-context.ts';
import { addServiceController } from './service-controller.ts';
import { addStatusController } from './status-controller.ts';

/** The demo's operator: three controllers that share three watches, and a fourth watch that is added and removed. */
export interface ShopOperator {
  readonly manager: Manager;
  readonly controllers: readonly Controller[];
  readonly deployments: DeploymentController;
}

export function createShopOperator(
  options: ManagerOptions,
  namespace: string,
  onReconcile: OnReconcile,
): ShopOperator {
  const manager = createManager(options);
  const context = { manager, namespace, onReconcile };
  const deployments = new DeploymentController(context);
  const others = [addServiceController(context), addStatusController(context)];
  return { manager, deployments, controllers: [deployments.controller, ...others] };
}
