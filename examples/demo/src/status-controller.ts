import { builtin, isDeleting, isNotFound, type Controller } from '@keelson/manager';
import { isUpToDate } from './desired-objects.ts';
import { Shop } from './shop.ts';
import type { OperatorContext } from './operator-context.ts';

/** A Shop is open when its Deployment and its Service are those of its generation. */
export function addStatusController(context: OperatorContext): Controller {
  const { manager, namespace, onReconcile } = context;
  return manager.addController({
    name: 'status',
    for: { resource: Shop, namespace },
    owns: [
      { resource: builtin.Deployment, namespace },
      { resource: builtin.Service, namespace },
    ],
    concurrency: 8,
    async reconcile(request, { cache, causes, client, signal }) {
      onReconcile('status', causes);
      const shop = cache.get(Shop, request);
      if (shop === undefined || isDeleting(shop)) return;
      const owned = [cache.get(builtin.Deployment, request), cache.get(builtin.Service, request)];
      const open = owned.every((object) => isUpToDate(object, shop));
      const observedGeneration = shop.metadata.generation ?? 0;
      const status: Shop['status'] = { phase: open ? 'Open' : 'Opening', observedGeneration };
      try {
        await client.status(Shop).apply({ metadata: { ...request }, status }, { signal });
      } catch (error) {
        if (!isNotFound(error)) throw error; // closed, and the cache does not know yet
      }
    },
  });
}
