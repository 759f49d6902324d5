import { definitionOf, type Definition } from '@keelson/example-support';
import { defineResource, type KubernetesObject } from '@keelson/manager';

/** The custom resource of the demo. Its operator creates a Deployment and a Service for each Shop. */
export interface Shop extends KubernetesObject {
  spec: { image: string; theme: string };
  status?: { phase?: 'Opening' | 'Open'; observedGeneration?: number };
}

export const Shop = defineResource<Shop>({
  group: 'demo.keelson.dev',
  version: 'v1',
  kind: 'Shop',
  plural: 'shops',
});

/** Marks the ConfigMaps that hold the look of a theme; its value is the theme's name. */
export const themeLabel = 'demo.keelson.dev/theme';

/** What `kubectl apply` would install: the schema of a Shop. */
export const shopDefinition: Definition = definitionOf(Shop, {
  columns: { Phase: '.status.phase', Theme: '.spec.theme' },
  spec: {
    type: 'object',
    required: ['image', 'theme'],
    properties: { image: { type: 'string' }, theme: { type: 'string' } },
  },
  status: {
    type: 'object',
    properties: {
      phase: { type: 'string', enum: ['Opening', 'Open'] },
      observedGeneration: { type: 'integer', format: 'int64' },
    },
  },
});
