import { definitionOf, type Definition } from '@keelson/example-support';
import type { DeepReadonly } from '@keelson/manager';
import { constraintsOf, PolicyTemplate, SyncConfig } from './custom-resources.ts';

const text = { type: 'string' };
const texts = { type: 'array', items: text };
const nothing = { type: 'object' };
// The server refuses other names, so that one wrong object cannot keep the kinds of the others from being watched.
const kind = { ...text, pattern: '^[A-Z][A-Za-z0-9]{0,62}$' };
const plural = { ...text, pattern: '^[a-z]([a-z0-9-]{0,61}[a-z0-9])?$' };
const version = { ...text, pattern: '^v[1-9][0-9]{0,2}((alpha|beta)[1-9][0-9]{0,2})?$' };
const group = {
  ...text,
  maxLength: 253,
  pattern: '^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?([.][a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*)?$',
};

/** The CustomResourceDefinitions of PolicyTemplate and SyncConfig. */
export const definitions: readonly Definition[] = [
  definitionOf(PolicyTemplate, {
    columns: { Kind: '.spec.kind' },
    spec: {
      type: 'object',
      required: ['kind', 'plural', 'requires'],
      properties: {
        kind,
        plural,
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
              group: { ...group, default: '' },
              version,
              kind,
              plural,
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
