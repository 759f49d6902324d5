import { until } from '@keelson/example-support';
import { builtin, findCondition, type Client } from '@keelson/manager';
import { CronJob } from './custom-resource.ts';
import type { MovableClock } from './movable-clock.ts';

const MINUTE = 60_000;
const jobOf = (time: number): string => `report-${time / 1000}`;
const name = { namespace: 'default', name: 'report' };

/** Creates a CronJob, moves the clock to its starts, and prints what the operator does. */
export async function tour(
  client: Client,
  clock: MovableClock,
  say: (line: string) => void,
): Promise<void> {
  const container = { name: 'report', image: 'example.com/report' };
  const template = { spec: { containers: [container], restartPolicy: 'Never' } };
  const spec = {
    schedule: '* * * * *',
    concurrencyPolicy: 'Forbid',
    successfulJobsHistoryLimit: 1,
    jobTemplate: { spec: { template } },
  } as const;
  const { metadata } = await client.create(CronJob, { metadata: name, spec });
  const first = (Math.floor(Date.parse(metadata.creationTimestamp) / MINUTE) + 1) * MINUTE;
  const activeIs = (job: string | undefined): Promise<unknown> =>
    until(client, CronJob, name, (found) => found?.status?.active?.[0]?.name === job);
  /** The operator sees the new time when its CronJob changes. */
  const moveTo = async (time: number): Promise<void> => {
    clock.moveTo(time);
    const annotations = { 'examples.keelson.dev/moved-to': new Date(time).toISOString() };
    await client.patch(CronJob, name, { type: 'merge', body: { metadata: { annotations } } });
  };
  const finish = async (job: string): Promise<void> => {
    const moment = new Date(clock.now()).toISOString();
    const done = { status: 'True', lastProbeTime: moment, lastTransitionTime: moment } as const;
    const conditions = [
      { type: 'SuccessCriteriaMet', ...done },
      { type: 'Complete', ...done },
    ];
    const status = { startTime: moment, completionTime: moment, conditions };
    const body = { status };
    const key = { namespace: 'default', name: job };
    await client.status(builtin.Job).patch(key, { type: 'merge', body });
  };

  await moveTo(first - 200);
  say('created CronJob report: 0.2 s until its first start');
  await activeIs(jobOf(first));
  say(`the operator was requeued at the start, and created Job ${jobOf(first)}`);

  await moveTo(first + MINUTE + 1000);
  say('the second start passes, and Forbid lets it wait for the active Job');
  await finish(jobOf(first));
  await activeIs(jobOf(first + MINUTE));
  say(`the first Job has finished: the operator created Job ${jobOf(first + MINUTE)}`);

  await finish(jobOf(first + MINUTE));
  const old = { namespace: 'default', name: jobOf(first) };
  await until(client, builtin.Job, old, (job) => job === undefined);
  say('the second Job has finished too: the history keeps one, and the first is deleted');

  await moveTo(first + 500 * MINUTE);
  const stuck = await until(client, CronJob, name, (cronJob) => {
    return findCondition(cronJob?.status?.conditions, 'Degraded')?.reason === 'TooManyMissedStarts';
  });
  say(`eight hours later: ${findCondition(stuck?.status?.conditions, 'Degraded')?.message}`);

  const body = { spec: { suspend: true } };
  await client.patch(CronJob, name, { type: 'merge', body });
  await until(client, CronJob, name, (cronJob) => {
    return findCondition(cronJob?.status?.conditions, 'Available')?.reason === 'Suspended';
  });
  say('suspended: no further Jobs');
}
