import { definitionOf, type Definition } from '@keelson/example-support';
import { services, Tenant } from './custom-resources.ts';

const number = { type: 'integer', minimum: 1 };

/** The CustomResourceDefinitions of Tenant and of the 30 services. */
export const definitions: readonly Definition[] = [
  definitionOf(Tenant, {
    columns: { Weight: '.spec.weight' },
    spec: {
      type: 'object',
      required: ['weight'],
      properties: { weight: { ...number, maximum: 1000 } },
    },
    status: { type: 'object' },
  }),
  ...services.map((service) =>
    definitionOf(service, {
      columns: { Ready: '.status.ready' },
      spec: { type: 'object', required: ['size'], properties: { size: number } },
      status: { type: 'object', properties: { ready: { type: 'boolean' } } },
    }),
  ),
];
