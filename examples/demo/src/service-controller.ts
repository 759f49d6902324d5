import { builtin, generationChanged, isDeleting, type Controller } from '@keelson/manager';
import { serviceFor } from './desired-objects.ts';
import { Shop } from './shop.ts';
import type { OperatorContext } from './operator-context.ts';

/** Keeps a Service for each Shop. */
export function addServiceController(context: OperatorContext): Controller {
  const { manager, namespace, onReconcile } = context;
  return manager.addController({
    name: 'service',
    for: { resource: Shop, namespace, predicates: [generationChanged] },
    owns: [{ resource: builtin.Service, namespace }],
    concurrency: 8,
    async reconcile(request, { cache, causes, client, signal }) {
      onReconcile('service', causes);
      const shop = cache.get(Shop, request);
      if (shop === undefined || isDeleting(shop)) return;
      await client.apply(builtin.Service, serviceFor(shop), { signal });
    },
  });
}
