import { definitionOf, type Definition } from '@keelson/example-support';
import { ConfigMapGenerator } from './custom-resource.ts';

/** What `kubectl apply` would install: the schema of a ConfigMapGenerator. */
export const configMapGeneratorDefinition: Definition = definitionOf(ConfigMapGenerator, {
  columns: { Entries: '.status.entries' },
  spec: {
    type: 'object',
    required: ['entries'],
    properties: { entries: { type: 'object', additionalProperties: { type: 'string' } } },
  },
  status: {
    type: 'object',
    properties: {
      observedGeneration: { type: 'integer', format: 'int64' },
      entries: { type: 'integer' },
    },
  },
});
