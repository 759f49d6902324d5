import { runExample } from '@keelson/example-support';
import { createOperator } from './operator.ts';
import { tour } from './tour.ts';

await runExample({
  title: 'kube-controllers: the controllers of workloads, a scheduler and kubelets in one process',
  definitions: [],
  createOperator,
  tour,
});
