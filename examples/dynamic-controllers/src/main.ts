import { runExample } from '@keelson/example-support';
import { recipeDefinition } from './custom-resource-definition.ts';
import { createOperator } from './operator.ts';
import { tour } from './tour.ts';

await runExample({
  title: 'dynamic-controllers: controllers that are loaded and unloaded while the operator runs',
  definitions: [recipeDefinition],
  createOperator,
  tour,
});
