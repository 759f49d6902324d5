import { runExample } from '@keelson/example-support';
import { definitions } from './custom-resource-definitions.ts';
import { createOperator } from './operator.ts';
import { tour } from './tour.ts';

await runExample({
  title: 'policy-sync: kinds of policies, and the kinds that they check, change at run time',
  definitions,
  createOperator: (options) => createOperator(options),
  tour,
});
