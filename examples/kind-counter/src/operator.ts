// #region operator
import { createManager, generationChanged, hasCode, isDeleting } from '@keelson/manager';
import type { Controller, Manager, ManagerOptions } from '@keelson/manager';
import { CountedKinds, kindOf, talliesByKind } from './counted-kinds.ts';
import { Tally } from './custom-resource.ts';

export function createOperator(options: ManagerOptions): Manager {
  const manager = createManager(options);
  const kinds = new CountedKinds(manager.cache);
  const controller: Controller = manager.addController({
    name: 'tally',
    for: { resource: Tally, indexers: [talliesByKind], predicates: [generationChanged] },
    async reconcile({ namespace, name }, { cache, client, signal }) {
      await kinds.follow(controller);
      const tally = cache.get(Tally, { namespace, name });
      if (tally === undefined || isDeleting(tally)) return;
      try {
        const status = { count: cache.list(kindOf(tally), { namespace }).length };
        await client.status(Tally).apply({ metadata: { namespace, name }, status }, { signal });
      } catch (error) {
        if (hasCode(error, 'NOT_SYNCED')) return; // counted when the watch has synced
        throw error;
      }
    },
  });
  return manager;
}
// #endregion
