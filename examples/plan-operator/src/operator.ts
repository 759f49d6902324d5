// #region operator
import { durableIntent } from '@keelson/intent';
import { createManager, generationChanged, isDeleting } from '@keelson/manager';
import type { Manager, ManagerOptions } from '@keelson/manager';
import { advancePlan } from './advance-plan.ts';
import { Instance } from './custom-resource.ts';
import type { PlanPolicy } from './decision.ts';
import type { Plans } from './plan.ts';

/** The plans of Instances, and the policy for a later spec. */
export interface OperatorPlans {
  readonly plans: Plans;
  readonly policy?: PlanPolicy;
}

export function createOperator(options: ManagerOptions, plans: OperatorPlans): Manager {
  const manager = createManager(options);
  addControllers(manager, plans);
  return manager;
}

/** Adds the controllers to a manager, which may have others. */
export function addControllers(manager: Manager, { plans, policy = 'queue' }: OperatorPlans): void {
  const place = { annotation: 'examples.keelson.dev/last-applied' };
  const intent = durableIntent({ resource: Instance, place, policy });
  // Neither the record nor the status starts a reconcile.
  const instances = { resource: Instance, predicates: [generationChanged] };
  manager.addController({
    name: 'instance',
    for: instances,
    concurrency: 4,
    async reconcile(request, { cache, client, signal }) {
      const object = cache.get(Instance, request);
      if (object === undefined || isDeleting(object)) return undefined;
      const target = { client, object, signal };
      return intent.run(target, (run) => advancePlan(run, { client, plans, policy }));
    },
  });
  // The reconcile of a busy object waits, so another controller aborts its steps. Both share one watch.
  if (policy === 'supersede') {
    manager.addController({
      name: 'instance-superseder',
      for: instances,
      reconcile(request, { cache }) {
        const object = cache.get(Instance, request);
        if (object !== undefined) intent.supersede(object);
      },
    });
  }
}
// #endregion
