import type { KindOptions } from '@keelson/schema';
import type { KindNames } from './kind-names.ts';

/** The spec of the object in generated tests; the schema of a new kind accepts it. */
export const newKindSample: object = { message: 'hello' };

/** The options of a new kind: a message, and conditions in the status. */
export function newKindOptions({ group, version, kind, plural }: KindNames): KindOptions {
  return {
    group,
    version,
    kind,
    plural,
    spec: {
      type: 'object',
      required: ['message'],
      properties: { message: { type: 'string', minLength: 1, maxLength: 1024 } },
    },
    status: {
      type: 'object',
      properties: {
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
      { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
      { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
    ],
  };
}

/** The module of a new kind, with the options of `newKindOptions`. */
export function kindModuleCode({ group, version, kind, plural }: KindNames): string {
  return `import type { ObjectOf } from '@keelson/manager';
import { defineKind } from '@keelson/schema';

/** The kind: its type, its token and its CustomResourceDefinition. \`keelson crd generate\` writes the definition. */
export const definition = defineKind({
  group: '${group}',
  version: '${version}',
  kind: '${kind}',
  plural: '${plural}',
  spec: {
    type: 'object',
    required: ['message'],
    properties: { message: { type: 'string', minLength: 1, maxLength: 1024 } },
  },
  status: {
    type: 'object',
    properties: {
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
    { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ],
});

export const ${kind} = definition.resource;
export type ${kind} = ObjectOf<typeof ${kind}>;
`;
}
