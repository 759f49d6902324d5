import { defineResource, type KubernetesObject } from '@keelson/manager';

// #region resource
/** Requests a ConfigMap with the same name and these entries. */
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
