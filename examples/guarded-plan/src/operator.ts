// #region operator
import { ExecutionGuard } from '@keelson/intent';
import { createManager, generationChanged, isDeleting } from '@keelson/manager';
import type { Manager, ManagerOptions } from '@keelson/manager';
import { GuardedService } from './custom-resource.ts';
import { planWebhook } from './webhook.ts';

/** Brings one batch of replicas to a version. After a crash it is called again. */
export type UpgradeBatch = (version: string, batch: number, signal: AbortSignal) => Promise<void>;

export function createOperator(options: ManagerOptions, upgradeBatch: UpgradeBatch): Manager {
  const manager = createManager(options);
  const guard = new ExecutionGuard();
  if (options.servers?.webhook !== undefined) manager.addWebhook(planWebhook(guard));
  manager.addController({
    name: 'guarded-service',
    for: { resource: GuardedService, predicates: [generationChanged] },
    async reconcile(request, { cache, patchStatus, signal }) {
      const service = cache.get(GuardedService, request);
      if (service === undefined || isDeleting(service)) return;
      const { generation: observedGeneration } = service.metadata;
      if (service.status?.observedGeneration === observedGeneration) return;
      const { version, batches } = service.spec;
      const runPlan = async (): Promise<void> => {
        for (let done = 0; done < batches; done += 1) {
          await patchStatus(GuardedService, service, { phase: 'Running', version, done });
          await upgradeBatch(version, done, signal);
        }
        await patchStatus(GuardedService, service, {
          phase: 'Complete',
          version,
          done: batches,
          observedGeneration,
        });
      };
      await guard.run(service, runPlan, { signal });
    },
  });
  return manager;
}

// #endregion
