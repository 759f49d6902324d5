import { builtin, createManager, generationChanged, isDeleting } from '@keelson/manager';
import { setControllerReference, type Manager, type ManagerOptions } from '@keelson/manager';
import { Website } from './website.ts';

/** Keeps a ConfigMap with the message of each Website. */
export function createOperator(options: ManagerOptions): Manager {
  const manager = createManager(options);
  manager.addController({
    name: 'website',
    for: { resource: Website, predicates: [generationChanged] },
    owns: [builtin.ConfigMap],
    async reconcile({ namespace, name }, { cache, client, patchStatus, signal }) {
      const object = cache.get(Website, { namespace, name });
      if (object === undefined || isDeleting(object)) return; // the garbage collector deletes its ConfigMap
      const configMap = { metadata: { namespace, name }, data: { message: object.spec.message } };
      await client.apply(builtin.ConfigMap, setControllerReference(configMap, object), { signal });
      const ready = { type: 'Ready', status: 'True', reason: 'Applied', message: '' } as const;
      await patchStatus(Website, object, { conditions: [ready] });
    },
  });
  return manager;
}
