import { runExample } from '@keelson/example-support';
import { instanceDefinition } from './custom-resource-definition.ts';
import { ImageRegistry } from './image-registry.ts';
import { createOperator } from './operator.ts';
import { createPlans } from './plans.ts';
import { tour } from './tour.ts';

const registry = new ImageRegistry();

await runExample({
  title: 'plan-operator: plans that a crash, a retry and a later spec cannot break',
  definitions: [instanceDefinition],
  createOperator: (options) => createOperator(options, { plans: createPlans(registry) }),
  tour: (client, say) => tour(client, registry, say),
});
