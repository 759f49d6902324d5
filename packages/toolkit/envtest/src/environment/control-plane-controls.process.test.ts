import { rm } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { builtin, type Duration } from '@keelson/apimachinery';
import { createClient, type Client } from '@keelson/client';
import type { ControlPlaneControls } from './control-plane-controls.ts';
import { fakePrograms } from '../control-plane/fake-assets.test-support.ts';
import { createTestEnvironment, type TestEnvironment } from '../index.ts';

/** Child processes start slowly on a busy machine. */
/** Timeout of requests to a paused server: longer than a response takes, short enough for a test. */
const PAUSED_TIMEOUT_MS = 500;

describe.each(['memory', 'binaries'] as const)('the controls of a control plane: %s', (use) => {
  let assets: string;
  let environment: TestEnvironment;
  let controls: ControlPlaneControls;
  let client: Client;

  beforeEach(async () => {
    assets = await fakePrograms();
    environment = await createTestEnvironment({ use, assets });
    if (environment.controls === undefined) throw new Error('there are no controls');
    ({ controls } = environment);
    client = createClient({ cluster: environment.admin.cluster, retry: false });
  });

  afterEach(async () => {
    await client.close();
    await environment.stop();
    await rm(assets, { recursive: true });
  });

  const requestVersion = (): Promise<{ body: string }> => client.request({ path: '/version' });

  test('a stopped API server refuses connections until it is started', async () => {
    await controls.stop('kube-apiserver');
    await expect(requestVersion()).rejects.toMatchObject({ code: 'SERVER_UNREACHABLE' });
    await controls.start('kube-apiserver');
    await expect(requestVersion()).resolves.toMatchObject({ statusCode: 200 });
  });

  test('the second stop and the second start have no effect', async () => {
    await controls.stop('kube-apiserver');
    await controls.stop('kube-apiserver');
    await controls.start('kube-apiserver');
    await controls.start('kube-apiserver');
    await expect(requestVersion()).resolves.toMatchObject({ statusCode: 200 });
  });

  test('a paused API server does not respond; after it is resumed it responds to the waiting requests', async () => {
    await controls.pause('kube-apiserver');
    const waiting = requestVersion();
    await expect(
      client.request({ path: '/version', timeout: PAUSED_TIMEOUT_MS }),
    ).rejects.toMatchObject({
      code: 'REQUEST_TIMEOUT',
    });
    await controls.resume('kube-apiserver');
    await expect(waiting).resolves.toMatchObject({ statusCode: 200 });
  });

  test('an environment whose API server is paused can be stopped', async () => {
    await controls.pause('kube-apiserver');
    await expect(environment.stop()).resolves.toBeUndefined();
  });
});

describe('the controls of processes', () => {
  test('an API server is ready when clients can read the namespace default', async () => {
    const assets = await fakePrograms();
    const environment = await createTestEnvironment({ use: 'binaries', assets });
    const client = createClient({ cluster: environment.admin.cluster });
    const { body } = await client.request({ path: '/version' });
    expect(JSON.parse(body)).toMatchObject({ defaultRequests: 2 });
    await client.close();
    await environment.stop();
    await rm(assets, { recursive: true });
  });

  test('a restarted API server is another process', async () => {
    const assets = await fakePrograms();
    const environment = await createTestEnvironment({ use: 'binaries', assets });
    const client = createClient({ cluster: environment.admin.cluster });
    const { body: before } = await client.request({ path: '/version' });
    await environment.controls?.restart('kube-apiserver');
    const { body: after } = await client.request({ path: '/version' });
    expect(after).not.toBe(before);
    await client.close();
    await environment.stop();
    await rm(assets, { recursive: true });
  });

  test('compaction sends etcd the newest revision and restarts the API server', async () => {
    const assets = await fakePrograms();
    const environment = await createTestEnvironment({ use: 'binaries', assets });
    const client = createClient({ cluster: environment.admin.cluster });
    const { body: before } = await client.request({ path: '/version' });
    await environment.controls?.compact();
    const { body: after } = await client.request({ path: '/version' });
    expect(after).not.toBe(before);
    expect(environment.logs()['etcd']).toContain(
      '/v3/kv/compaction {"revision":"41","physical":true}',
    );
    await client.close();
    await environment.stop();
    await rm(assets, { recursive: true });
  });

  test('starting an API server without its etcd reports that etcd ended', async () => {
    const assets = await fakePrograms();
    const environment = await createTestEnvironment({ use: 'binaries', assets });
    await environment.controls?.stop('kube-apiserver');
    await environment.controls?.stop('etcd');
    await expect(environment.controls?.start('kube-apiserver')).rejects.toMatchObject({
      code: 'START_FAILED',
      facts: { process: 'etcd', reason: 'SIGKILL' },
    });
    await environment.stop();
    await rm(assets, { recursive: true });
  });
});

describe('the controls of the server in memory', () => {
  test('the server accepts a service account token until it expires', async () => {
    await using environment = await createTestEnvironment({ use: 'memory' });
    const { server, tls = {} } = environment.admin.cluster;
    const account = { namespace: 'default', name: 'robot' };
    await using admin = createClient({ cluster: environment.admin.cluster });
    await admin.create(builtin.ServiceAccount, { metadata: account });
    const statusWithToken = async (expiresIn: Duration): Promise<number> => {
      const token = (await environment.controls?.issueToken({ ...account, expiresIn })) ?? '';
      await using robot = createClient({ cluster: { server, tls, token } });
      return (await robot.request({ path: '/version' })).statusCode;
    };
    expect(await statusWithToken('1m')).toBe(200);
    await expect(statusWithToken('0s')).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
  });

  test('it responds 500 without its storage, and 410 to a continue token after a compaction', async () => {
    await using environment = await createTestEnvironment({ use: 'memory' });
    await using client = createClient({ cluster: environment.admin.cluster, retry: false });
    await environment.controls?.stop('etcd');
    await expect(client.request({ path: '/api/v1/namespaces' })).rejects.toMatchObject({
      status: { code: 500 },
    });
    await environment.controls?.start('etcd');
    const first = await client.request({ path: '/api/v1/namespaces', query: { limit: 1 } });
    const { metadata } = JSON.parse(first.body) as { metadata: { continue: string } };
    await environment.controls?.compact();
    await client.request({
      path: '/api/v1/namespaces/default',
      method: 'PATCH',
      headers: { 'content-type': 'application/merge-patch+json' },
      body: '{"metadata":{"labels":{"a":"b"}}}',
    });
    await environment.controls?.compact();
    const next = { limit: 1, continue: metadata.continue };
    await expect(client.request({ path: '/api/v1/namespaces', query: next })).rejects.toMatchObject(
      { status: { code: 410 } },
    );
  });
});
