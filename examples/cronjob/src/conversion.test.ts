import { describe, expect, test } from '@jest/globals';
import { createTestEnvironment } from '@keelson/envtest';
import { createLogger } from '@keelson/manager';
import { selfSignedCertificate } from '@keelson/manager/servers';
import { roundTrips } from '@keelson/schema/testing';
import { scheduleOf, textOf } from './conversion.ts';
import { cronJobs } from './custom-resource.ts';
import { createOperator } from './operator.ts';

const key = { namespace: 'default', name: 'report' };
const template = {
  spec: { containers: [{ name: 'report', image: 'report' }], restartPolicy: 'Never' },
};
const jobTemplate = { spec: { template } };

describe('the versions of cronjob', () => {
  test.each([
    ['*/5 * * * *', { minute: '*/5' }],
    ['0 3 1 */2 MON', { minute: '0', hour: '3', dayOfMonth: '1', month: '*/2', dayOfWeek: 'MON' }],
    ['* * * * *', {}],
  ])('have the schedule %s as a text and as fields', (text, schedule) => {
    expect(scheduleOf(text)).toEqual(schedule);
    expect(textOf(schedule)).toBe(text);
  });

  test('lose nothing in either direction', () => {
    expect(() => roundTrips(cronJobs)).not.toThrow();
  });

  test('keep a schedule that has no fields', () => {
    const { v1 } = cronJobs.versions;
    const stored = v1.parse({
      metadata: { name: 'a' },
      spec: { schedule: '@hourly', jobTemplate },
    });
    const read = cronJobs.convert(stored, 'v2');
    expect(read.spec.schedule).toEqual({ minute: '@hourly' });
    expect(cronJobs.convert(read, 'v1')).toEqual(stored);
  });

  test('are converted by the operator', async () => {
    await using environment = await createTestEnvironment({ use: 'memory' });
    const certificate = await selfSignedCertificate();
    await using operator = createOperator({
      cluster: environment.admin.cluster,
      logger: createLogger({ level: 'silent' }),
      stopSignals: [],
      servers: { host: '127.0.0.1', webhook: { port: 0, tls: { certificate }, shutdownDelay: 0 } },
    });
    await environment.installCrds([cronJobs.versions.v1.crd]);
    const running = operator.start();
    await Promise.race([operator.started, running]);
    const url = `https://127.0.0.1:${operator.ports.webhook}`;
    await environment.installWebhooks([cronJobs.crd], { url, ca: certificate.cert });
    const { client } = operator;
    const { v1, v2 } = cronJobs.versions;
    const schedule = { minute: '*/5', dayOfWeek: 'MON' };
    const created = await client.create(v2.resource, {
      metadata: key,
      spec: { schedule, suspend: true, jobTemplate },
    });
    expect(created.spec.concurrencyPolicy).toBe('Allow');
    expect((await client.get(v1.resource, key)).spec.schedule).toBe('*/5 * * * MON');
    const body = { spec: { schedule: '0 3 * * *' } };
    await client.patch(v1.resource, key, { type: 'merge', body });
    const { items } = await client.list(v2.resource, { namespace: 'default' });
    expect(items.map(({ spec }) => spec.schedule)).toEqual([{ minute: '0', hour: '3' }]);
    await operator.stop();
    await running;
  });
});
