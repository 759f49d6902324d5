import { beforeEach, describe, expect, test } from '@jest/globals';
import {
  builtin,
  isForbidden,
  isInvalid,
  isNotFound,
  ownerReferenceTo,
  type ObjectOf,
} from '@keelson/apimachinery';
import { until } from '@keelson/example-support';
import { errorOf } from './error-of.ts';
import { openSuite } from './suite.ts';

type ConfigMap = ObjectOf<typeof builtin.ConfigMap>;

const suite = openSuite();
let namespace: string;

beforeEach(async () => {
  namespace = await suite.namespace();
});

const create = (name: string, more: Partial<ConfigMap['metadata']> = {}): Promise<ConfigMap> =>
  suite.client.create(builtin.ConfigMap, { metadata: { namespace, name, ...more } });

const untilGone = (name: string): Promise<unknown> =>
  until(suite.client, builtin.ConfigMap, { namespace, name }, (found) => found === undefined);

const setFinalizers = (name: string, finalizers: string[] | null): Promise<ConfigMap> =>
  suite.client.patch(
    builtin.ConfigMap,
    { namespace, name },
    { type: 'merge', body: { metadata: { finalizers } } },
  );

describe('finalizers', () => {
  const finalizers = ['e2e.keelson.dev/hold'];

  test('keep a deleted object until the last of them is removed', async () => {
    await create('held', { finalizers });
    await suite.client.delete(builtin.ConfigMap, { namespace, name: 'held' });
    const held = await suite.client.get(builtin.ConfigMap, { namespace, name: 'held' });
    expect(held.metadata.deletionTimestamp).toBeDefined();
    await setFinalizers('held', null);
    const read = suite.client.get(builtin.ConfigMap, { namespace, name: 'held' });
    expect(isNotFound(await errorOf(read))).toBe(true);
  });

  test('cannot be added to a deleted object', async () => {
    await create('held', { finalizers });
    await suite.client.delete(builtin.ConfigMap, { namespace, name: 'held' });
    const error = await errorOf(setFinalizers('held', [...finalizers, 'e2e.keelson.dev/more']));
    expect(isForbidden(error) || isInvalid(error)).toBe(true);
    await setFinalizers('held', null);
  });
});

describe('garbage collection', () => {
  const family = async (): Promise<ConfigMap> => {
    const owner = await create('owner');
    const ownerReferences = [ownerReferenceTo(owner, { blockOwnerDeletion: true })];
    await create('dependent', { ownerReferences });
    return owner;
  };

  const deleteOwner = (
    propagationPolicy: 'Background' | 'Foreground' | 'Orphan',
  ): Promise<unknown> =>
    suite.client.delete(builtin.ConfigMap, { namespace, name: 'owner' }, { propagationPolicy });

  test('Background deletes the owner at once and its dependents later', async () => {
    await family();
    await deleteOwner('Background');
    await untilGone('owner');
    await untilGone('dependent');
  });

  test('Foreground deletes the dependents before the owner', async () => {
    await family();
    const order: string[] = [];
    const { metadata } = await suite.client.list(builtin.ConfigMap, { namespace });
    await deleteOwner('Foreground');
    const { resourceVersion } = metadata;
    for await (const { type, object } of suite.client.watch(builtin.ConfigMap, {
      namespace,
      resourceVersion,
    })) {
      if (type === 'DELETED') order.push(object.metadata.name);
      if (order.includes('owner')) break;
    }
    expect(order).toEqual(['dependent', 'owner']);
  });

  test('Orphan keeps the dependents and removes their owner references', async () => {
    await family();
    await deleteOwner('Orphan');
    await untilGone('owner');
    const left = await suite.client.get(builtin.ConfigMap, { namespace, name: 'dependent' });
    expect(left.metadata.ownerReferences ?? []).toEqual([]);
    expect(left.metadata.deletionTimestamp).toBeUndefined();
  });

  test('an object whose owner never existed is deleted', async () => {
    const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'nobody', uid: crypto.randomUUID() };
    await create('orphan', { ownerReferences: [owner] });
    await untilGone('orphan');
  });
});

describe('the deletion of a namespace', () => {
  const key = (): { name: string } => ({ name: namespace });
  const untilRemoved = (): Promise<unknown> =>
    until(suite.client, builtin.Namespace, key(), (found) => found === undefined);

  test('deletes every object in it', async () => {
    await create('one');
    const metadata = { namespace, name: 'two' };
    await suite.client.create(builtin.Secret, { metadata });
    await suite.client.delete(builtin.Namespace, key());
    await untilRemoved();
    const { items } = await suite.client.list(builtin.Secret, { namespace });
    expect(items).toEqual([]);
  });

  test('waits for finalizers, and creates in the namespace are rejected', async () => {
    await create('held', { finalizers: ['e2e.keelson.dev/hold'] });
    await suite.client.delete(builtin.Namespace, key());
    const marked = { namespace, name: 'held' };
    await until(suite.client, builtin.ConfigMap, marked, (found) => {
      return found?.metadata?.deletionTimestamp !== undefined;
    });
    expect(isForbidden(await errorOf(create('late')))).toBe(true);
    await setFinalizers('held', null);
    await untilRemoved();
  });
});
