import { runExample } from '@keelson/example-support';
import { definitions } from './custom-resource-definitions.ts';
import { createOperator } from './operator.ts';
import { tour } from './tour.ts';

await runExample({
  title: 'multi-tenant: fifty controllers and thirty kinds in one process',
  definitions,
  createOperator,
  tour,
});
