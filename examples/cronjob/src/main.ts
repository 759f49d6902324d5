import { runExample } from '@keelson/example-support';
import { CronJob, cronJobs } from './custom-resource.ts';
import { MovableClock } from './movable-clock.ts';
import { createOperator } from './operator.ts';
import { tour } from './tour.ts';

const clock = new MovableClock();

await runExample({
  title: 'cronjob: Jobs on a schedule, the tutorial of kubebuilder',
  definitions: [
    { ...cronJobs.versions.v1.crd, metadata: { name: `${CronJob.plural}.${CronJob.group}` } },
  ],
  createOperator: (options) => createOperator(options, clock.now),
  tour: (client, say) => tour(client, clock, say),
});
