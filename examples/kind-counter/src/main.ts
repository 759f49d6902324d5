import { runExample } from '@keelson/example-support';
import { tallyDefinition } from './custom-resource-definition.ts';
import { createOperator } from './operator.ts';
import { tour } from './tour.ts';

await runExample({
  title: 'kind-counter: watches that come and go while the operator runs',
  definitions: [tallyDefinition],
  createOperator,
  tour,
});
