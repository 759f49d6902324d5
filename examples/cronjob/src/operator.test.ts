import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createTestEnvironment, type TestEnvironment } from '@keelson/envtest';
import { until } from '@keelson/example-support';
import { builtin, createLogger, findCondition, isControlledBy } from '@keelson/manager';
import type { Manager, ObjectOf, Persisted } from '@keelson/manager';
import { CronJob, cronJobs } from './custom-resource.ts';
import { createOperator } from './operator.ts';

const MINUTE = 60_000;
const key = { namespace: 'default', name: 'report' };
const template = {
  spec: { containers: [{ name: 'report', image: 'report' }], restartPolicy: 'Never' },
};
const labels = { app: 'report' };
const jobTemplate = { metadata: { labels }, spec: { template } };

type Job = Persisted<ObjectOf<typeof builtin.Job>>;

describe('cronjob', () => {
  let environment: TestEnvironment;
  let operator: Manager;
  let running: Promise<void>;
  let time: number;
  let read: () => void;
  let base: number;

  beforeEach(async () => {
    time = 0; // before the creation of the CronJob: nothing is due
    read = () => {};
    environment = await createTestEnvironment({
      use: 'memory',
      controllers: ['garbage-collector'],
    });
    await environment.installCrds([cronJobs.versions.v1.crd]);
    const logger = createLogger({ level: 'silent' });
    const { cluster } = environment.admin;
    operator = createOperator({ cluster, logger, stopSignals: [] }, () => {
      read();
      return time;
    });
    running = operator.start();
    await Promise.race([operator.started, running]);
  });

  afterEach(async () => {
    await operator.stop();
    await running;
    await environment.stop();
  });

  async function create(spec: Partial<CronJob['spec']> = {}): Promise<Persisted<CronJob>> {
    const { client } = operator;
    const schedule = '* * * * *';
    const object = { metadata: key, spec: { schedule, jobTemplate, ...spec } };
    const cronJob = await client.create(CronJob, object);
    const created = Date.parse(cronJob.metadata.creationTimestamp);
    base = Math.floor(created / MINUTE) * MINUTE;
    return cronJob;
  }

  const patch = (body: object): Promise<unknown> =>
    operator.client.patch(CronJob, key, { type: 'merge', body });
  const minute = (count: number): number => base + count * MINUTE;
  const jobAt = (count: number): string => `report-${minute(count) / 1000}`;

  /** Reconciles at this time. The second run begins after the end of the first, which saw the time. */
  async function reconcileAt(moment: number): Promise<void> {
    time = moment;
    for (const run of ['first', 'second']) {
      const seen = new Promise<void>((resolve) => (read = resolve));
      await patch({ metadata: { annotations: { run: `${moment} ${run}` } } });
      await seen;
    }
  }

  async function jobNames(): Promise<string[]> {
    const { items } = await operator.client.list(builtin.Job, { namespace: 'default' });
    return items.map(({ metadata }) => metadata.name).toSorted();
  }

  const untilCronJob = (
    reached: (cronJob: Persisted<CronJob>) => boolean,
  ): Promise<Persisted<CronJob> | undefined> =>
    until(operator.client, CronJob, key, (found) => found !== undefined && reached(found));

  const untilActive = (...names: string[]): Promise<Persisted<CronJob> | undefined> =>
    untilCronJob(({ status }) => {
      return String(status?.active?.map(({ name }) => name).toSorted()) === String(names);
    });

  const untilCondition = (type: string, reason: string): Promise<Persisted<CronJob> | undefined> =>
    untilCronJob(({ status }) => findCondition(status?.conditions, type)?.reason === reason);

  /** Writes the status that the Job controller of a cluster writes. */
  async function finish(name: string, result: 'Complete' | 'Failed', at = time): Promise<void> {
    const moment = new Date(at).toISOString();
    const before = result === 'Complete' ? 'SuccessCriteriaMet' : 'FailureTarget';
    const conditions = [before, result].map((type) => {
      return { type, status: 'True', lastProbeTime: moment, lastTransitionTime: moment };
    });
    const completed = result === 'Complete' ? { completionTime: moment } : {};
    const body = { status: { startTime: moment, conditions, ...completed } };
    const job = { namespace: 'default', name };
    await operator.client.status(builtin.Job).patch(job, { type: 'merge', body });
  }

  const untilJob = (name: string, reached: (job: Job | undefined) => boolean): Promise<unknown> =>
    until(operator.client, builtin.Job, { namespace: 'default', name }, reached);

  test('creates a Job from the template at its start, with the scheduled time', async () => {
    const cronJob = await create();
    await reconcileAt(minute(1) - 1);
    expect(await jobNames()).toEqual([]);
    await reconcileAt(minute(1));
    const found = await untilActive(jobAt(1));
    const job = await operator.client.get(builtin.Job, { namespace: 'default', name: jobAt(1) });
    const scheduled = new Date(minute(1)).toISOString().replace('.000', '');
    expect(job.metadata.annotations).toEqual({ 'examples.keelson.dev/scheduled-at': scheduled });
    expect(job.metadata.labels).toMatchObject(labels);
    expect(isControlledBy(job, cronJob)).toBe(true);
    const { uid } = job.metadata;
    const reference = {
      apiVersion: 'batch/v1',
      kind: 'Job',
      namespace: 'default',
      name: jobAt(1),
      uid,
    };
    expect(found?.status?.active).toEqual([reference]);
    expect(found?.status?.lastScheduleTime).toBe(scheduled);
    expect(findCondition(found?.status?.conditions, 'Progressing')?.reason).toBe('JobsActive');
  });

  test('starts the latest of the missed Jobs only', async () => {
    await create();
    await reconcileAt(minute(30) + 1);
    await untilActive(jobAt(30));
    expect(await jobNames()).toEqual([jobAt(30)]);
  });

  test('Allow starts a Job beside an active one', async () => {
    await create();
    await reconcileAt(minute(1));
    await reconcileAt(minute(2));
    await untilActive(jobAt(1), jobAt(2));
  });

  test('Forbid waits for the end of the active Job', async () => {
    await create({ concurrencyPolicy: 'Forbid' });
    await reconcileAt(minute(1));
    await reconcileAt(minute(2));
    expect(await jobNames()).toEqual([jobAt(1)]);
    await finish(jobAt(1), 'Complete');
    await untilActive(jobAt(2));
  });

  test('Replace deletes the active Job', async () => {
    await create({ concurrencyPolicy: 'Replace' });
    await reconcileAt(minute(1));
    await reconcileAt(minute(2));
    await untilActive(jobAt(2));
    expect(await jobNames()).toEqual([jobAt(2)]);
  });

  test('suspend starts no Jobs, and the latest missed one afterwards', async () => {
    await create({ suspend: true });
    await reconcileAt(minute(2));
    await untilCondition('Available', 'Suspended');
    expect(await jobNames()).toEqual([]);
    await patch({ spec: { suspend: false } });
    await untilActive(jobAt(2));
    expect(await jobNames()).toEqual([jobAt(2)]);
  });

  test('startingDeadlineSeconds skips a start that is too late', async () => {
    await create({ startingDeadlineSeconds: 10 });
    await reconcileAt(minute(1) + 11_000);
    expect(await jobNames()).toEqual([]);
    await reconcileAt(minute(2) + 9000);
    await untilActive(jobAt(2));
    expect(await jobNames()).toEqual([jobAt(2)]);
  });

  test('too many missed starts are a condition and an event, until a deadline is set', async () => {
    await create();
    await reconcileAt(minute(200));
    const found = await untilCondition('Degraded', 'TooManyMissedStarts');
    expect(findCondition(found?.status?.conditions, 'Available')?.status).toBe('False');
    for await (const event of operator.client.watch(builtin.Event, { namespace: 'default' })) {
      if (event.type === 'BOOKMARK') continue;
      expect(event.object).toMatchObject({ type: 'Warning', reason: 'TooManyMissedStarts' });
      break;
    }
    expect(await jobNames()).toEqual([]);
    await patch({ spec: { startingDeadlineSeconds: 100 } });
    await untilActive(jobAt(200));
    const healed = await untilCondition('Degraded', 'AsExpected');
    expect(findCondition(healed?.status?.conditions, 'Available')?.status).toBe('True');
  });

  test('an invalid schedule is a condition', async () => {
    await create({ schedule: 'hourly' });
    await untilCondition('Degraded', 'InvalidSchedule');
    await patch({ spec: { schedule: '0 * * * *' } });
    await untilCondition('Degraded', 'AsExpected');
  });

  test('a template that the server refuses is a condition, and is retried', async () => {
    await create({ jobTemplate: { spec: {} } });
    await reconcileAt(minute(1));
    await untilCondition('Degraded', 'JobCreationFailed');
    await patch({ spec: { jobTemplate } });
    await untilActive(jobAt(1));
    await untilCondition('Degraded', 'AsExpected');
  });

  test('the history keeps the latest Jobs of each result', async () => {
    await create({ successfulJobsHistoryLimit: 1, failedJobsHistoryLimit: 1 });
    for (const [index, result] of (
      ['Failed', 'Complete', 'Failed', 'Complete'] as const
    ).entries()) {
      await reconcileAt(minute(index + 1));
      await untilActive(jobAt(index + 1));
      await finish(jobAt(index + 1), result);
    }
    await untilJob(jobAt(1), (job) => job === undefined);
    await untilJob(jobAt(2), (job) => job === undefined);
    await untilActive();
    expect(await jobNames()).toEqual([jobAt(3), jobAt(4)]);
    const found = await untilCondition('Degraded', 'JobsFailed');
    expect(findCondition(found?.status?.conditions, 'Available')?.reason).toBe('JobsFailed');
  });

  test('a Job that left the history does not run again', async () => {
    await create({ successfulJobsHistoryLimit: 0 });
    await reconcileAt(minute(1));
    await untilActive(jobAt(1));
    await finish(jobAt(1), 'Complete');
    await untilJob(jobAt(1), (job) => job === undefined);
    await reconcileAt(minute(1) + 1000);
    expect(await jobNames()).toEqual([]);
  });

  test('a lost status is derived from the Jobs again, and none runs twice', async () => {
    await create();
    await reconcileAt(minute(1));
    const before = await untilActive(jobAt(1));
    const body = { status: { active: null, lastScheduleTime: null } };
    await operator.client.status(CronJob).patch(key, { type: 'merge', body });
    await reconcileAt(minute(1) + 1000);
    const after = await untilActive(jobAt(1));
    expect(after?.status?.lastScheduleTime).toBe(before?.status?.lastScheduleTime);
    expect(await jobNames()).toEqual([jobAt(1)]);
  });

  test('the Jobs are deleted with their CronJob', async () => {
    await create();
    await reconcileAt(minute(1));
    await untilActive(jobAt(1));
    await operator.client.delete(CronJob, key);
    await untilJob(jobAt(1), (job) => job === undefined);
  });
});
