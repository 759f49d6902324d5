import { beforeEach, describe, expect, test } from '@jest/globals';
import { builtin, type ObjectOf } from '@keelson/apimachinery';
import type { WatchHandle, WatchQuery } from '@keelson/informer';
import { EventHistory, stateOf } from './event-history.ts';
import { openCache, type OpenCache } from './open-cache.ts';
import { openSharedSuite } from './suite.ts';

type ConfigMap = ObjectOf<typeof builtin.ConfigMap>;

const suite = openSharedSuite();
const resource = builtin.ConfigMap;
const owner = 'suite';
let namespace: string;

beforeEach(async () => {
  namespace = await suite.namespace();
});

const write = (name: string, colour: string): Promise<ConfigMap> =>
  suite.client.apply(resource, {
    metadata: { namespace, name, labels: { colour } },
    data: { colour },
  });

/** Acquires a handle with a handler that records its events. */
function followed(
  opened: OpenCache,
  query: WatchQuery<ConfigMap>,
): { handle: WatchHandle<ConfigMap>; history: EventHistory<ConfigMap> } {
  const handle = opened.cache.acquire(query, { owner });
  const history = new EventHistory<ConfigMap>();
  handle.addEventHandler(history.handler);
  return { handle, history };
}

describe('an informer', () => {
  test('with metadata only emits the same events and stores no body', async () => {
    await write('before', 'red');
    await using opened = openCache(suite.cluster);
    const query = { resource, namespace, labelSelector: 'colour', projection: 'metadata' } as const;
    const { handle, history } = followed(opened, query);
    await history.received(`${namespace}/before`);
    await write('after', 'green');
    await history.received(`${namespace}/after`);
    const { items } = await suite.client.list(resource, { namespace, labelSelector: 'colour' });
    expect(history.state).toEqual(stateOf(items));
    const held = handle.store.get({ namespace, name: 'after' });
    expect(held).toMatchObject({ metadata: { labels: { colour: 'green' } } });
    expect(held).not.toHaveProperty('data');
  });

  test('with a selector emits objects that enter and leave the selection', async () => {
    await using opened = openCache(suite.cluster);
    const { history } = followed(opened, { resource, namespace, labelSelector: 'colour=green' });
    await write('one', 'red');
    await write('one', 'green');
    await history.received(`${namespace}/one`);
    await write('one', 'red');
    await history.received(`${namespace}/one`, 'gone');
    expect(history.emitted).toEqual([`added ${namespace}/one`, `deleted ${namespace}/one`]);
  });

  test('by name emits events of that object only', async () => {
    await using opened = openCache(suite.cluster);
    const fieldSelector = 'metadata.name=mine';
    const { history } = followed(opened, { resource, namespace, fieldSelector });
    await write('other', 'red');
    await write('mine', 'red');
    await history.received(`${namespace}/mine`);
    expect(history.emitted).toEqual([`added ${namespace}/mine`]);
  });

  test('RC01 one watch serves all handles of one query', async () => {
    const asked: string[] = [];
    await using opened = openCache(
      suite.cluster,
      {},
      { requestStarted: ({ verb }) => void asked.push(verb) },
    );
    const holders = Array.from({ length: 10 }, () => followed(opened, { resource, namespace }));
    await write('one', 'green');
    const received = holders.map(({ history }) => history.received(`${namespace}/one`));
    await Promise.all(received);
    // The first request reads the version of the server, for protobuf.
    expect(asked).toEqual(['get', 'watch']);
  });

  test('SI50 the same name with another uid is emitted as deleted, then added', async () => {
    await using opened = openCache(suite.cluster);
    const { history } = followed(opened, { resource, namespace, labelSelector: 'colour' });
    const { metadata } = await write('one', 'red');
    await history.received(`${namespace}/one`);
    await suite.client.delete(resource, { namespace, name: 'one' });
    const again = await write('one', 'red');
    await history.until(() => history.emitted.length === 3);
    expect(again.metadata?.uid).not.toBe(metadata?.uid);
    const expected = ['added', 'deleted', 'added'].map((type) => `${type} ${namespace}/one`);
    expect(history.emitted).toEqual(expected);
    expect(history.complaints).toEqual([]);
  });
});
