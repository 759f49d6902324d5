// #region operator
import { builtin, createManager, generationChanged, isDeleting } from '@keelson/manager';
import { setControllerReference, type Manager, type ManagerOptions } from '@keelson/manager';
import { ConfigMapGenerator } from './custom-resource.ts';

export function createOperator(options: ManagerOptions): Manager {
  const manager = createManager(options);
  manager.addController({
    name: 'configmap-generator',
    for: { resource: ConfigMapGenerator, predicates: [generationChanged] },
    owns: [builtin.ConfigMap],
    async reconcile({ namespace, name }, { cache, client, signal }) {
      const generator = cache.get(ConfigMapGenerator, { namespace, name });
      if (generator === undefined || isDeleting(generator)) return; // the garbage collector deletes its ConfigMap
      const metadata = { namespace, name };
      const { entries } = generator.spec;
      const configMap = setControllerReference({ metadata, data: entries }, generator);
      await client.apply(builtin.ConfigMap, configMap, { signal });
      const observedGeneration = generator.metadata.generation ?? 0;
      const status = { observedGeneration, entries: Object.keys(entries).length };
      await client.status(ConfigMapGenerator).apply({ metadata, status }, { signal });
    },
  });
  return manager;
}
// #endregion
