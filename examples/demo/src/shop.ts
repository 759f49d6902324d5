import type { Definition } from '@keelson/example-support';
import { defineResource, type KubernetesObject } from '@keelson/manager';

/** What the demo's operator runs: a Deployment and a Service for each. */
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

export const shopDefinition: Definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'shops.demo.keelson.dev' },
  spec: {
    group: 'demo.keelson.dev',
    scope: 'Namespaced',
    names: { kind: 'Shop', plural: 'shops', singular: 'shop' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        additionalPrinterColumns: [{ name: 'Phase', type: 'string', jsonPath: '.status.phase' }],
        schema: {
          openAPIV3Schema: {
            type: 'object',
            required: ['spec'],
            properties: {
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
            },
          },
        },
      },
    ],
  },
};
