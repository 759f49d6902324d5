import { definitionOf, type Definition } from '@keelson/example-support';
import type { DeepReadonly } from '@keelson/manager';
import { constraintsOf, PolicyTemplate, SyncConfig } from './custom-resources.ts';

const text = { type: 'string' };
const texts = { type: 'array', items: text };
const nothing = { type: 'object' };

/** The CustomResourceDefinitions of PolicyTemplate and SyncConfig. */
export const definitions: readonly Definition[] = [
  definitionOf(PolicyTemplate, {
    columns: { Kind: '.spec.kind' },
    spec: {
      type: 'object',
      required: ['kind', 'plural', 'requires'],
      properties: {
        kind: text,
        plural: text,
        requires: { type: 'string', enum: ['labels', 'annotations'] },
      },
    },
    status: nothing,
  }),
  definitionOf(SyncConfig, {
    columns: {},
    spec: {
      type: 'object',
      required: ['kinds'],
      properties: {
        kinds: {
          type: 'array',
          items: {
            type: 'object',
            required: ['version', 'kind', 'plural'],
            properties: {
              group: { ...text, default: '' },
              version: text,
              kind: text,
              plural: text,
            },
          },
        },
      },
    },
    status: nothing,
  }),
];

/** The CustomResourceDefinition of the constraints of a template. */
export function constraintDefinition(template: DeepReadonly<PolicyTemplate>): Definition {
  return definitionOf(constraintsOf(template), {
    columns: { Violations: '.status.violations' },
    spec: {
      type: 'object',
      required: ['match', 'keys'],
      properties: { match: texts, keys: texts },
    },
    status: { type: 'object', properties: { violations: { type: 'integer' }, objects: texts } },
  });
}
