import { beforeEach, describe, expect, test } from '@jest/globals';
import { builtin, type ObjectOf } from '@keelson/apimachinery';
import type { Client } from '@keelson/client';
import { EventHistory, stateOf } from './event-history.ts';
import { openCache, type OpenCache } from './open-cache.ts';
import { openSharedSuite } from './suite.ts';

type ConfigMap = ObjectOf<typeof builtin.ConfigMap>;

const suite = openSharedSuite();
const { ConfigMap, Pod } = builtin;
let namespace: string;

beforeEach(async () => {
  namespace = await suite.namespace();
});

const key = (name: string): { namespace: string; name: string } => ({ namespace, name });

/** A cache that the client reports its writes to, with synced watches of the namespace. */
async function opened(): Promise<OpenCache & { readonly writer: Client }> {
  const open = openCache(suite.cluster);
  for (const resource of [ConfigMap, Pod]) {
    await open.cache.acquire({ resource, namespace }, { owner: 'suite' }).synced;
  }
  return { ...open, writer: open.client.withWriteObserver(open.cache) };
}

function isReached(cache: OpenCache['cache']): boolean {
  return cache.inventory().every(({ ownWrites }) => ownWrites === 0);
}

describe('CT47 a read after an own write', () => {
  test('returns the state of the response or a later one, through every verb', async () => {
    await using open = await opened();
    const { cache, writer } = open;
    const data = (): unknown => cache.get(ConfigMap, key('map'))?.data;
    const versions = new Set<string>();
    for (let round = 0; round < 20; round += 1) {
      const made = await writer.create(ConfigMap, { metadata: key('map'), data: { a: 'made' } });
      expect(data()).toEqual({ a: 'made' });
      await writer.update(ConfigMap, { ...made, data: { a: 'updated' } });
      expect(data()).toEqual({ a: 'updated' });
      await writer.patch(ConfigMap, key('map'), { type: 'merge', body: { data: { b: '1' } } });
      expect(data()).toEqual({ a: 'updated', b: '1' });
      await writer.apply(ConfigMap, { metadata: key('map'), data: { a: 'applied' } });
      expect(data()).toEqual({ a: 'applied', b: '1' });
      versions.add(cache.get(ConfigMap, key('map'))?.metadata.resourceVersion ?? '');
      await writer.delete(ConfigMap, key('map'));
      expect(data()).toBeUndefined();
    }
    expect(versions.size).toBe(20);
    const named = await writer.create(ConfigMap, {
      metadata: { namespace, generateName: 'made-' },
    });
    expect(cache.get(ConfigMap, key(named.metadata.name))?.metadata.uid).toBe(named.metadata.uid);
  });

  test('returns a deleted object until its last finalizer is removed by an update', async () => {
    await using open = await opened();
    const { cache, writer } = open;
    const metadata = { ...key('held'), finalizers: ['keelson.dev/hold'] };
    await writer.create(ConfigMap, { metadata });
    await writer.delete(ConfigMap, key('held'));
    const held = cache.get(ConfigMap, key('held'));
    expect(held?.metadata.deletionTimestamp).toBeDefined();
    await writer.update(ConfigMap, {
      ...held,
      metadata: { ...held?.metadata, finalizers: [] },
    });
    expect(cache.get(ConfigMap, key('held'))).toBeUndefined();
  });

  test('returns a status, and a Pod until it is deleted without a grace period', async () => {
    await using open = await opened();
    const { cache, writer } = open;
    const containers = [{ name: 'c', image: 'i' }];
    const spec = { containers, nodeName: 'none', automountServiceAccountToken: false };
    await suite.client.apply(builtin.ServiceAccount, { metadata: key('default') });
    await writer.create(Pod, { metadata: key('pod'), spec });
    const status = { status: { message: 'written' } };
    await writer.status(Pod).patch(key('pod'), { type: 'merge', body: status });
    expect(cache.get(Pod, key('pod'))?.status?.message).toBe('written');
    await writer.delete(Pod, key('pod'), { gracePeriodSeconds: 30 });
    expect(cache.get(Pod, key('pod'))?.metadata.deletionGracePeriodSeconds).toBe(30);
    await writer.delete(Pod, key('pod'), { gracePeriodSeconds: 0 });
    expect(cache.get(Pod, key('pod'))).toBeUndefined();
  });

  test('returns no object that left a selector, and handlers receive each change once', async () => {
    await using open = await opened();
    const { cache, writer } = open;
    const labelSelector = 'colour=red';
    const red = cache.acquire({ resource: ConfigMap, namespace, labelSelector }, { owner: 'red' });
    const history = new EventHistory<ConfigMap>();
    const all = cache.acquire({ resource: ConfigMap, namespace }, { owner: 'all' });
    all.addEventHandler(history.handler);
    await red.synced;
    for (const colour of ['red', 'green', 'red']) {
      await writer.apply(ConfigMap, { metadata: { ...key('one'), labels: { colour } } });
      expect(red.store.list()).toHaveLength(colour === 'red' ? 1 : 0);
    }
    await suite.client.create(ConfigMap, { metadata: key('last') });
    await history.received(`${namespace}/last`);
    const own = history.emitted.filter((line) => line.endsWith('/one'));
    expect(own).toEqual(['added', 'updated', 'updated'].map((type) => `${type} ${namespace}/one`));
    const { items } = await suite.client.list(ConfigMap, { namespace });
    expect([history.state, isReached(cache)]).toEqual([stateOf(items), true]);
  });
});
