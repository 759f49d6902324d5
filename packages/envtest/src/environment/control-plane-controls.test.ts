import { rm } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { builtin, type Duration } from '@keelson/apimachinery';
import { createClient, type Client } from '@keelson/client';
import type { ControlPlaneControls } from './control-plane-controls.ts';
import { fakePrograms } from '../control-plane/fake-assets.test-support.ts';
import { createTestEnvironment, type TestEnvironment } from '../index.ts';

/** Processes of their own take long to start on a busy machine. */
jest.setTimeout(60_000);

/** Long enough for an answer that comes, short enough to wait for one that does not. */
const patience = 500;

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

  const ask = (): Promise<{ body: string }> => client.request({ path: '/version' });

  test('a stopped API server refuses connections until it is started', async () => {
    await controls.stop('kube-apiserver');
    await expect(ask()).rejects.toMatchObject({ code: 'SERVER_UNREACHABLE' });
    await controls.start('kube-apiserver');
    await expect(ask()).resolves.toMatchObject({ statusCode: 200 });
  });

  test('stopping and starting twice is harmless', async () => {
    await controls.stop('kube-apiserver');
    await controls.stop('kube-apiserver');
    await controls.start('kube-apiserver');
    await controls.start('kube-apiserver');
    await expect(ask()).resolves.toMatchObject({ statusCode: 200 });
  });

  test('a paused API server does not answer until it is resumed; then it answers what waited', async () => {
    await controls.pause('kube-apiserver');
    const waiting = ask();
    await expect(client.request({ path: '/version', timeout: patience })).rejects.toMatchObject({
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
  test('an API server is ready when what is stored can be read, above all the namespace default', async () => {
    const assets = await fakePrograms();
    const environment = await createTestEnvironment({ use: 'binaries', assets });
    const client = createClient({ cluster: environment.admin.cluster });
    const { body } = await client.request({ path: '/version' });
    expect(JSON.parse(body)).toMatchObject({ askedForDefault: 2 });
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

  test('compaction tells etcd the newest revision and restarts the API server', async () => {
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

  test('an API server that is started without its etcd says whose end that was', async () => {
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
  test('a token of a service account lets in until it expires', async () => {
    await using environment = await createTestEnvironment({ use: 'memory' });
    const { server, tls = {} } = environment.admin.cluster;
    const account = { namespace: 'default', name: 'robot' };
    await using admin = createClient({ cluster: environment.admin.cluster });
    await admin.create(builtin.ServiceAccount, { metadata: account });
    const answer = async (expiresIn: Duration): Promise<number> => {
      const token = (await environment.controls?.issueToken({ ...account, expiresIn })) ?? '';
      await using robot = createClient({ cluster: { server, tls, token } });
      return (await robot.request({ path: '/version' })).statusCode;
    };
    expect(await answer('1m')).toBe(200);
    await expect(answer('0s')).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
  });

  test('without its storage it answers 500, and it can forget the past', async () => {
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
