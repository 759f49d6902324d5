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
    required: ['source'],
    properties: {
      /** The kind whose objects are counted. */
      source: {
        type: 'object',
        required: ['group', 'version', 'kind', 'plural'],
        properties: {
          group: { type: 'string', maxLength: 253, pattern: '^([a-z0-9]+([.-][a-z0-9]+)*)?$' },
          version: { type: 'string', maxLength: 63, pattern: '^v[a-z0-9]+$' },
          kind: { type: 'string', maxLength: 63, pattern: '^[A-Z][A-Za-z0-9]*$' },
          plural: { type: 'string', maxLength: 63, pattern: '^[a-z][a-z0-9]*$' },
        },
      },
    },
  },
  status: {
    type: 'object',
    properties: {
      count: { type: 'integer' },
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
    { name: 'Source', type: 'string', jsonPath: '.spec.source.kind' },
    { name: 'Count', type: 'integer', jsonPath: '.status.count' },
    { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ],
});

export const Website = definition.resource;
export type Website = ObjectOf<typeof Website>;
