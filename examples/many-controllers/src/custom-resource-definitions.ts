import { definitionOf, type Definition } from '@keelson/example-support';
import { Claim, Thing } from './custom-resources.ts';

const size = { type: 'integer', minimum: 1 };
const text = { type: 'string' };

const claimDefinition: Definition = definitionOf(Claim, {
  columns: { Phase: '.status.phase', Thing: '.status.thing' },
  spec: { type: 'object', required: ['size'], properties: { size } },
  status: {
    type: 'object',
    properties: { phase: { type: 'string', enum: ['Pending', 'Bound'] }, thing: text },
  },
});

const thingDefinition: Definition = definitionOf(Thing, {
  columns: { Phase: '.status.phase', Claim: '.spec.claim.name' },
  spec: {
    type: 'object',
    required: ['size'],
    properties: {
      size,
      claim: {
        type: 'object',
        required: ['namespace', 'name', 'uid'],
        properties: { namespace: text, name: text, uid: text },
      },
    },
  },
  status: {
    type: 'object',
    properties: { phase: { type: 'string', enum: ['Available', 'Bound'] } },
  },
});

/** The CustomResourceDefinitions of Claim and Thing. */
export const definitions: readonly Definition[] = [claimDefinition, thingDefinition];
