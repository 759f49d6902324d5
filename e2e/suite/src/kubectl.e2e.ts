import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { builtin } from '@keelson/apimachinery';
import { chosenEnvironment } from './chosen-environment.ts';
import { EventHistory } from './event-history.ts';
import { openCache } from './open-cache.ts';
import { openSharedSuite, skippedFor } from './suite.ts';

const suite = openSharedSuite();
const { kubectl } = chosenEnvironment();
const testWithKubectl = kubectl === undefined ? skippedFor('KUBECTL is not set') : test;

describe('kubectl as another client', () => {
  let home: string;

  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'keelson-e2e-kubectl-'));
    suite.defer(() => rm(home, { recursive: true }));
    await writeFile(join(home, 'kubeconfig'), suite.kubeconfig, { mode: 0o600 });
  });

  const run = async (...words: string[]): Promise<void> => {
    const env = { HOME: home, KUBECONFIG: join(home, 'kubeconfig') };
    await promisify(execFile)(kubectl ?? '', words, { env });
  };

  testWithKubectl('its creates, updates and deletes are emitted by an informer', async () => {
    const namespace = await suite.namespace();
    const key = `${namespace}/settings` as const;
    await using opened = openCache(suite.cluster);
    const query = { resource: builtin.ConfigMap, namespace };
    using handle = opened.cache.acquire(query, { owner: 'suite' });
    const history = new EventHistory();
    await handle.synced;
    handle.addEventHandler(history.handler);
    const value = (): string | undefined =>
      handle.store.get({ namespace, name: 'settings' })?.data?.['a'];
    await run('create', 'configmap', 'settings', '-n', namespace, '--from-literal=a=1');
    await history.received(key);
    expect(value()).toBe('1');
    await run('patch', 'configmap', 'settings', '-n', namespace, '-p', '{"data":{"a":"2"}}');
    await history.until(() => value() === '2');
    await suite.client.apply(builtin.ConfigMap, {
      metadata: { namespace, name: 'settings' },
      data: { b: 'ours' },
    });
    await run('label', 'configmap', 'settings', '-n', namespace, 'colour=red');
    await history.until(
      () =>
        handle.store.view({ namespace, name: 'settings' })?.metadata.labels?.['colour'] === 'red',
    );
    const { data } = handle.store.get({ namespace, name: 'settings' }) ?? {};
    expect(data).toEqual({ a: '2', b: 'ours' });
    await run('delete', 'configmap', 'settings', '-n', namespace);
    await history.received(key, 'gone');
    expect(history.complaints).toEqual([]);
  });
});
