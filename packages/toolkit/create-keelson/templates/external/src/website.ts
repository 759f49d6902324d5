import type { ObjectOf } from '@keelson/manager';
import { defineKind } from '@keelson/schema';

/** The kind: its type, its token and its CustomResourceDefinition. `npm run crd` writes config/crd. */
export const definition = defineKind({
  group: 'shop.example',
  version: 'v1',
  kind: 'Website',
  plural: 'websites',
  spec: {
    type: 'object',
    required: ['region'],
    properties: { region: { type: 'string', minLength: 1, maxLength: 63 } },
  },
  status: {
    type: 'object',
    properties: {
      url: { type: 'string' },
      conditions: {
        type: 'array',
        maxItems: 16,
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['type'],
        items: {
          type: 'object',
          required: ['type', 'status', 'reason', 'message', 'lastTransitionTime'],
          properties: {
            type: { type: 'string' },
            status: { type: 'string', enum: ['True', 'False', 'Unknown'] },
            reason: { type: 'string' },
            message: { type: 'string' },
            lastTransitionTime: { type: 'string', format: 'date-time' },
            observedGeneration: { type: 'integer', format: 'int64' },
          },
        },
      },
    },
  },
  printColumns: [
    { name: 'Region', type: 'string', jsonPath: '.spec.region' },
    { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ],
});

export const Website = definition.resource;
export type Website = ObjectOf<typeof Website>;
