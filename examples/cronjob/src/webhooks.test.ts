import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createTestEnvironment, type TestEnvironment } from '@keelson/envtest';
import { reviewBy } from '@keelson/example-support';
import { createLogger, type Manager } from '@keelson/manager';
import { CronJob, cronJobs } from './custom-resource.ts';
import { createOperator } from './operator.ts';

const template = {
  spec: { containers: [{ name: 'report', image: 'report' }], restartPolicy: 'Never' },
};

describe('the webhooks of cronjob', () => {
  let environment: TestEnvironment;
  let operator: Manager;
  let running: Promise<void>;

  beforeEach(async () => {
    environment = await createTestEnvironment({ use: 'memory' });
    await environment.installCrds([cronJobs.versions.v1.crd]);
    operator = createOperator({
      cluster: environment.admin.cluster,
      logger: createLogger({ level: 'silent' }),
      stopSignals: [],
      servers: { host: '127.0.0.1', webhook: { port: 0, tls: 'self-signed', shutdownDelay: 0 } },
    });
    running = operator.start();
    await Promise.race([operator.started, running]);
  });

  afterEach(async () => {
    await operator.stop();
    await running;
    await environment.stop();
  });

  function cronJobOf(spec: object, name = 'report'): object {
    const { group, version, kind } = CronJob;
    const jobTemplate = { spec: { template } };
    const metadata = { namespace: 'default', name };
    return {
      apiVersion: `${group}/${version}`,
      kind,
      metadata,
      spec: { schedule: '* * * * *', jobTemplate, ...spec },
    };
  }

  test('the defaults of the tutorial are filled in', async () => {
    const object = cronJobOf({});
    const { allowed, patch } = await reviewBy(operator, '/mutate/cronjob-defaults', CronJob, {
      object,
    });
    expect(allowed).toBe(true);
    expect(patch).toEqual([
      { op: 'add', path: '/spec/suspend', value: false },
      { op: 'add', path: '/spec/successfulJobsHistoryLimit', value: 3 },
      { op: 'add', path: '/spec/failedJobsHistoryLimit', value: 1 },
    ]);
  });

  test('given values stay', async () => {
    const given = { suspend: true, successfulJobsHistoryLimit: 0, failedJobsHistoryLimit: 2 };
    const object = cronJobOf(given);
    const { patch } = await reviewBy(operator, '/mutate/cronjob-defaults', CronJob, { object });
    expect(patch).toBeUndefined();
  });

  test('a valid CronJob is admitted', async () => {
    const object = cronJobOf({}, 'a'.repeat(52));
    expect(await reviewBy(operator, '/validate/cronjob', CronJob, { object })).toMatchObject({
      allowed: true,
    });
  });

  test.each([
    ['a name that is too long', cronJobOf({}, 'a'.repeat(53)), ['metadata.name']],
    ['an invalid schedule', cronJobOf({ schedule: 'every day' }), ['spec.schedule']],
    [
      'both',
      cronJobOf({ schedule: '61 * * * *' }, 'a'.repeat(53)),
      ['metadata.name', 'spec.schedule'],
    ],
  ])('%s is denied, on creation and on update', async (_, object, fields) => {
    const update = { operation: 'UPDATE', object, oldObject: cronJobOf({}) };
    for (const request of [{ object }, update]) {
      const { allowed, status } = await reviewBy(operator, '/validate/cronjob', CronJob, request);
      expect([allowed, status?.code, status?.reason]).toEqual([false, 422, 'Invalid']);
      expect(status?.details?.causes?.map(({ field }) => field)).toEqual(fields);
    }
  });
});
