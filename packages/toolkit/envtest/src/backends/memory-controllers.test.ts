import { describe, expect, test } from '@jest/globals';
import { builtin } from '@keelson/apimachinery';
import { createClient } from '@keelson/client';
import { createTestEnvironment, until } from '../index.ts';

const { ConfigMap, Namespace } = builtin;

describe('the controllers of an environment in memory', () => {
  test('do not run by default, as with binaries', async () => {
    await using environment = await createTestEnvironment({ use: 'memory' });
    await using client = createClient({ cluster: environment.admin.cluster });
    await client.create(Namespace, { metadata: { name: 'stays' } });
    await client.delete(Namespace, { name: 'stays' });
    const { status } = await client.get(Namespace, { name: 'stays' });
    expect(status?.phase).toBe('Terminating');
  });

  test('run if the options name them', async () => {
    const controllers = ['garbage-collector', 'namespace'] as const;
    await using environment = await createTestEnvironment({ use: 'memory', controllers });
    await using client = createClient({ cluster: environment.admin.cluster });
    const metadata = { namespace: 'default', name: 'owner' };
    const owner = await client.create(ConfigMap, { metadata });
    const { uid } = owner.metadata;
    const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid }];
    const dependent = { namespace: 'default', name: 'dependent' };
    await client.create(ConfigMap, { metadata: { ...dependent, ownerReferences } });
    await client.delete(ConfigMap, metadata);
    await until(client, ConfigMap, dependent, (map) => map === undefined);
    await client.create(Namespace, { metadata: { name: 'goes' } });
    await client.delete(Namespace, { name: 'goes' });
    await until(client, Namespace, { name: 'goes' }, (namespace) => namespace === undefined);
  });
});
