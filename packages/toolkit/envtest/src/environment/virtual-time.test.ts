import { builtin } from '@keelson/apimachinery';
import { createClient, type Client } from '@keelson/client';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createTestEnvironment } from '../index.ts';
import type { TestEnvironment } from './test-environment.ts';

const { ConfigMap, Event, EventsV1Event, ServiceAccount } = builtin;
const name = { namespace: 'default', name: 'a' };
const start = '2026-03-01T00:00:00Z';

describe('an environment in virtual time', () => {
  let environment: TestEnvironment;
  let client: Client;

  beforeEach(async () => {
    environment = await createTestEnvironment({ time: { start } });
    client = createClient({ cluster: environment.admin.cluster });
  });

  afterEach(async () => {
    await client.close();
    await environment.stop();
  });

  test('dates objects by its clock', async () => {
    const made = await client.create(ConfigMap, { metadata: name });
    expect(made.metadata.creationTimestamp).toBe(start);
    await environment.advance('36h');
    const later = await client.create(ConfigMap, { metadata: { ...name, name: 'b' } });
    expect(later.metadata.creationTimestamp).toBe('2026-03-02T12:00:00Z');
    expect(environment.clock.now()).toBe(Date.parse('2026-03-02T12:00:00Z'));
    expect(client.clock).toBe(environment.clock);
  });

  test('keeps an Event for an hour after its last write', async () => {
    const regarding = { kind: 'ConfigMap', ...name };
    const facts = { reason: 'Tested', action: 'Test', type: 'Normal', regarding };
    const reporter = { reportingController: 'test', reportingInstance: 'test-0' };
    for (const own of ['old', 'extended']) {
      await client.create(EventsV1Event, {
        metadata: { ...name, name: own },
        eventTime: '2026-03-01T00:00:00.000000Z',
        ...facts,
        ...reporter,
      });
    }
    const events = async (): Promise<string[]> =>
      (await client.list(Event)).items.map(({ metadata }) => metadata.name);
    await environment.advance('30m');
    const series = { count: 2, lastObservedTime: '2026-03-01T00:30:00.000000Z' };
    const extended = { ...name, name: 'extended' };
    await client.patch(EventsV1Event, extended, { type: 'merge', body: { series } });
    await environment.advance(30 * 60_000 - 1);
    expect(await events()).toEqual(['extended', 'old']);
    await environment.advance(1);
    expect(await events()).toEqual(['extended']);
    await environment.advance('30m');
    expect(await events()).toEqual([]);
  });

  test('expires the tokens of service accounts', async () => {
    await client.create(ServiceAccount, { metadata: { ...name, name: 'robot' } });
    const account = { namespace: 'default', name: 'robot' };
    const token = (await environment.controls?.issueToken({ ...account, expiresIn: '10m' })) ?? '';
    const { admin } = environment;
    await using robot = createClient({ cluster: { ...admin.cluster, token } });
    await robot.discovery.version();
    await environment.advance('9m');
    await robot.discovery.version();
    await environment.advance('2m');
    await expect(robot.get(ConfigMap, name)).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
  });

  test('passes the delays of retries while the server is away', async () => {
    await client.create(ConfigMap, { metadata: name });
    await environment.controls?.stop('kube-apiserver');
    const read = client.get(ConfigMap, name);
    await environment.settled();
    await environment.controls?.start('kube-apiserver');
    await environment.advance('10s');
    expect((await read).metadata.name).toBe('a');
  });

  test('ends a request to a paused server after its timeout', async () => {
    await environment.controls?.pause('kube-apiserver');
    const read = client.get(ConfigMap, name, { timeout: '5s' }).catch((error: unknown) => error);
    await environment.advance('4s');
    const isOpen = await Promise.race([read.then(() => false), Promise.resolve(true)]);
    expect(isOpen).toBe(true);
    await environment.advance('1s');
    expect(await read).toMatchObject({ code: 'REQUEST_TIMEOUT' });
    await environment.controls?.resume('kube-apiserver');
    await expect(client.get(ConfigMap, name)).rejects.toMatchObject({ statusCode: 404 });
  });

  test('waits for requests that the test does not await', async () => {
    const created = client.create(ConfigMap, { metadata: name });
    let isCreated = false;
    void created.then(() => (isCreated = true));
    await environment.settled();
    expect(isCreated).toBe(true);
  });

  test('sends the events of a watch before it settles, and does not wait for one that is not read', async () => {
    const events = client.watch(ConfigMap, { namespace: 'default' });
    const seen: string[] = [];
    const first = events.next();
    await environment.settled();
    await client.create(ConfigMap, { metadata: name });
    await client.create(ConfigMap, { metadata: { ...name, name: 'b' } });
    await environment.settled();
    void first.then(({ value }) => seen.push(value?.object.metadata.name ?? ''));
    await environment.advance('1h');
    expect(seen).toEqual(['a']);
    await events.return?.();
  });

  test('refuses to pass time after its stop', async () => {
    await environment.stop();
    await expect(environment.advance('1s')).rejects.toMatchObject({ code: 'ENVIRONMENT_STOPPED' });
    await expect(environment.settled()).rejects.toMatchObject({ code: 'ENVIRONMENT_STOPPED' });
  });
});

describe('the option `time`', () => {
  test('is real by default, and then no call passes time', async () => {
    await using environment = await createTestEnvironment({ use: 'memory' });
    expect(environment.admin.cluster.clock).toBeUndefined();
    await expect(environment.advance('1s')).rejects.toMatchObject({ code: 'TIME_NOT_VIRTUAL' });
    await expect(environment.settled()).rejects.toMatchObject({ code: 'TIME_NOT_VIRTUAL' });
  });

  test('selects the server in memory although binaries are there', async () => {
    const env = { KUBEBUILDER_ASSETS: '/nowhere' };
    await using environment = await createTestEnvironment({ time: 'virtual', env });
    expect(environment.kind).toBe('memory');
  });

  test.each([
    [{ time: 'slow' }, 'time'],
    [{ time: 1 }, 'time'],
    [{ time: null }, 'time'],
    [{ time: { speed: 2 } }, 'time.speed'],
    [{ time: { start: 'soon' } }, 'time.start'],
    [{ time: { seed: -1 } }, 'time.seed'],
    [{ time: { seed: 0.5 } }, 'time.seed'],
    [{ time: { maxSteps: 0 } }, 'time.maxSteps'],
    [{ time: { stallTimeout: 'soon' } }, 'time.stallTimeout'],
    [{ time: 'virtual', use: 'binaries' }, 'time'],
    [{ time: 'virtual', use: 'kubeconfig' }, 'time'],
  ])('refuses %p', async (options, option) => {
    await expect(createTestEnvironment(options as never)).rejects.toMatchObject({
      code: 'INVALID_OPTION',
      facts: { option: `createTestEnvironment.${option}` },
    });
  });
});
