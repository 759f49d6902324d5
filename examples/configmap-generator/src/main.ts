import { runExample } from '@keelson/example-support';
import { configMapGeneratorDefinition } from './custom-resource-definition.ts';
import { createOperator } from './operator.ts';
import { tour } from './tour.ts';

await runExample({
  title: 'configmap-generator: a custom resource that owns a ConfigMap',
  definitions: [configMapGeneratorDefinition],
  createOperator,
  tour,
});
