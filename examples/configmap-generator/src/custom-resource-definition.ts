import type { Definition } from '@keelson/example-support';

/** What `kubectl apply` would install: the schema of a ConfigMapGenerator. */
export const configMapGeneratorDefinition: Definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'configmapgenerators.examples.keelson.dev' },
  spec: {
    group: 'examples.keelson.dev',
    scope: 'Namespaced',
    names: {
      kind: 'ConfigMapGenerator',
      plural: 'configmapgenerators',
      singular: 'configmapgenerator',
    },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        additionalPrinterColumns: [
          { name: 'Entries', type: 'integer', jsonPath: '.status.entries' },
        ],
        schema: {
          openAPIV3Schema: {
            type: 'object',
            required: ['spec'],
            properties: {
              spec: {
                type: 'object',
                required: ['entries'],
                properties: {
                  entries: { type: 'object', additionalProperties: { type: 'string' } },
                },
              },
              status: {
                type: 'object',
                properties: {
                  observedGeneration: { type: 'integer', format: 'int64' },
                  entries: { type: 'integer' },
                },
              },
            },
          },
        },
      },
    ],
  },
};
