import type { Definition } from '@keelson/example-support';

/** What `kubectl apply` would install: the schemas of Claim and Thing. */
export const definitions: readonly Definition[] = [
  {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'claims.examples.keelson.dev' },
    spec: {
      group: 'examples.keelson.dev',
      scope: 'Namespaced',
      names: { kind: 'Claim', plural: 'claims', singular: 'claim' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          subresources: { status: {} },
          additionalPrinterColumns: [
            { name: 'Phase', type: 'string', jsonPath: '.status.phase' },
            { name: 'Thing', type: 'string', jsonPath: '.status.thing' },
          ],
          schema: {
            openAPIV3Schema: {
              type: 'object',
              required: ['spec'],
              properties: {
                spec: {
                  type: 'object',
                  required: ['size'],
                  properties: { size: { type: 'integer', minimum: 1 } },
                },
                status: {
                  type: 'object',
                  properties: {
                    phase: { type: 'string', enum: ['Pending', 'Bound'] },
                    thing: { type: 'string' },
                  },
                },
              },
            },
          },
        },
      ],
    },
  },
  {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'things.examples.keelson.dev' },
    spec: {
      group: 'examples.keelson.dev',
      scope: 'Cluster',
      names: { kind: 'Thing', plural: 'things', singular: 'thing' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          subresources: { status: {} },
          additionalPrinterColumns: [
            { name: 'Phase', type: 'string', jsonPath: '.status.phase' },
            { name: 'Claim', type: 'string', jsonPath: '.spec.claim.name' },
          ],
          schema: {
            openAPIV3Schema: {
              type: 'object',
              required: ['spec'],
              properties: {
                spec: {
                  type: 'object',
                  required: ['size'],
                  properties: {
                    size: { type: 'integer', minimum: 1 },
                    claim: {
                      type: 'object',
                      required: ['namespace', 'name', 'uid'],
                      properties: {
                        namespace: { type: 'string' },
                        name: { type: 'string' },
                        uid: { type: 'string' },
                      },
                    },
                  },
                },
                status: {
                  type: 'object',
                  properties: { phase: { type: 'string', enum: ['Available', 'Bound'] } },
                },
              },
            },
          },
        },
      ],
    },
  },
];
