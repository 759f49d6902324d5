import { beforeAll, describe, expect, test } from '@jest/globals';
import { builtin } from '@keelson/apimachinery';
import type { InformerObserver } from '@keelson/informer';
import { EventHistory } from './event-history.ts';
import { openCache } from './open-cache.ts';
import { openSuite, testWithControls } from './suite.ts';

const suite = openSuite();
const count = 10_000;
const writers = 32;
const label = 'e2e.keelson.dev/many';

describe('10 000 objects', () => {
  let namespace: string;
  let query: { resource: typeof builtin.ConfigMap; namespace: string; labelSelector: string };

  beforeAll(async () => {
    namespace = await suite.namespace();
    query = { resource: builtin.ConfigMap, namespace, labelSelector: label };
    const names = Array.from({ length: count }, (_, index) => `c-${index}`).values();
    const write = async (): Promise<void> => {
      for (const name of names) {
        const metadata = { namespace, name, labels: { [label]: '' } };
        await suite.client.create(builtin.ConfigMap, { metadata, data: { name } });
      }
    };
    await Promise.all(Array.from({ length: writers }, write));
  }, 120_000);

  test('are in the store of every handle after one list', async () => {
    const causes: string[] = [];
    const observer: InformerObserver = { listing: (_watch, cause) => void causes.push(cause) };
    await using opened = openCache(suite.cluster, observer);
    const handles = ['one', 'two'].map((owner) => opened.cache.acquire(query, { owner }));
    const histories = handles.map((handle) => {
      const history = new EventHistory();
      handle.addEventHandler(history.handler);
      return history;
    });
    await Promise.all(
      histories.map((history) => history.until(() => history.emitted.length >= count)),
    );
    expect(causes).toEqual(['initial']);
    for (const [index, handle] of handles.entries()) {
      expect(handle.store.size).toBe(count);
      expect(histories[index]?.emitted).toHaveLength(count);
      expect(histories[index]?.complaints).toEqual([]);
    }
    expect(handles[0]?.store.get({ namespace, name: 'c-9999' })?.data).toEqual({ name: 'c-9999' });
  });

  testWithControls('SI41 a relist after 410 emits only the changes', async () => {
    const causes: string[] = [];
    const observer: InformerObserver = { listing: (_watch, cause) => void causes.push(cause) };
    await using opened = openCache(suite.cluster, observer);
    using handle = opened.cache.acquire(query, { owner: 'suite' });
    const history = new EventHistory();
    await handle.addEventHandler(history.handler).synced;
    expect(history.emitted.splice(0)).toHaveLength(count);
    await suite.client.create(builtin.Secret, { metadata: { namespace, name: 'other' } });
    await suite.controls.compact();
    const metadata = { namespace, name: 'new', labels: { [label]: '' } };
    await suite.client.create(builtin.ConfigMap, { metadata });
    await history.received(`${namespace}/new`);
    expect(causes).toEqual(['initial', 'expired']);
    expect(history.emitted).toEqual([`added ${namespace}/new`]);
    expect(history.complaints).toEqual([]);
  });
});
