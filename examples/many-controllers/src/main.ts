import { runExample } from '@keelson/example-support';
import { definitions } from './custom-resource-definitions.ts';
import { createOperator } from './operator.ts';
import { tour } from './tour.ts';

await runExample({
  title: 'many-controllers: two controllers that watch each other’s kinds',
  definitions,
  createOperator,
  tour,
});
