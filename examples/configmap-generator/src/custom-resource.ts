import { defineResource, type KubernetesObject } from '@keelson/manager';

// #region resource
/** Asks for a ConfigMap of its own name with these entries. */
export interface ConfigMapGenerator extends KubernetesObject {
  spec: { entries: Record<string, string> };
  status?: { observedGeneration?: number; entries?: number };
}

export const ConfigMapGenerator = defineResource<ConfigMapGenerator>({
  group: 'examples.keelson.dev',
  version: 'v1',
  kind: 'ConfigMapGenerator',
  plural: 'configmapgenerators',
});
// #endregion
