import { beforeEach, describe, expect, test } from '@jest/globals';
import { builtin, isGone, type ObjectOf } from '@keelson/apimachinery';
import type { WatchEvent, WatchOptions } from '@keelson/client';
import { errorOf } from './error-of.ts';
import { openSuite, testWithControls } from './suite.ts';

type ConfigMap = ObjectOf<typeof builtin.ConfigMap>;

const suite = openSuite();

describe('a watch', () => {
  let namespace: string;

  beforeEach(async () => {
    namespace = await suite.namespace();
  });

  const write = (name: string, value: string): Promise<ConfigMap> =>
    suite.client.apply(builtin.ConfigMap, { metadata: { namespace, name }, data: { value } });

  const listed = async (): Promise<string> => {
    const { metadata } = await suite.client.list(builtin.ConfigMap, { namespace });
    return metadata.resourceVersion ?? '';
  };

  /** Returns the events up to the last expected one. */
  const eventsUntil = async (
    isLast: (event: WatchEvent<ConfigMap>) => boolean,
    options: WatchOptions,
  ): Promise<string[]> => {
    const events: string[] = [];
    for await (const event of suite.client.watch(builtin.ConfigMap, { namespace, ...options })) {
      const { metadata } = event.object;
      if (metadata.name !== 'kube-root-ca.crt') {
        events.push([event.type, metadata.name].filter(Boolean).join(' '));
      }
      if (isLast(event)) break;
    }
    return events;
  };

  const isOf =
    (type: string, name: string) =>
    (event: WatchEvent<ConfigMap>): boolean =>
      event.type === type && event.object.metadata.name === name;

  test('sends every later change once and in order', async () => {
    await write('before', '1');
    const resourceVersion = await listed();
    await write('a', '1');
    await write('b', '1');
    await write('a', '2');
    await suite.client.delete(builtin.ConfigMap, { namespace, name: 'b' });
    const events = await eventsUntil(isOf('DELETED', 'b'), { resourceVersion });
    expect(events).toEqual(['ADDED a', 'ADDED b', 'MODIFIED a', 'DELETED b']);
  });

  test('WatchList sends the state, then its final bookmark, then the changes', async () => {
    await write('a', '1');
    await write('b', '1');
    const stop = new AbortController();
    const seen: string[] = [];
    const watching = suite.client.watch(builtin.ConfigMap, {
      namespace,
      sendInitialEvents: true,
      allowWatchBookmarks: true,
      signal: stop.signal,
    });
    for await (const { type, object } of watching) {
      if (object.metadata.name === 'kube-root-ca.crt') continue;
      seen.push([type, object.metadata.name].filter(Boolean).join(' '));
      if (type === 'BOOKMARK') {
        expect(object.metadata.annotations?.['k8s.io/initial-events-end']).toBe('true');
        await write('c', '1');
      }
      if (object.metadata.name === 'c') break;
    }
    expect(seen.slice(0, 2).toSorted()).toEqual(['ADDED a', 'ADDED b']);
    expect(seen.slice(2)).toEqual(['BOOKMARK', 'ADDED c']);
  });

  test('bookmarks report progress of other kinds, and a watch can resume at them', async () => {
    const elsewhere = await suite.namespace();
    const resourceVersion = await listed();
    await write('a', '1');
    const bookmark = await bookmarkAfter(resourceVersion, elsewhere);
    await write('b', '1');
    const after = await eventsUntil(isOf('ADDED', 'b'), { resourceVersion: bookmark });
    expect(after).toEqual(['ADDED b']);
  });

  /** A kube-apiserver tries to send a bookmark shortly before it ends a watch, but may send it too late. */
  const bookmarkAfter = async (resourceVersion: string, elsewhere: string): Promise<string> => {
    const options = { namespace, resourceVersion, allowWatchBookmarks: true, timeoutSeconds: 4 };
    for await (const { type, object } of suite.client.watch(builtin.ConfigMap, options)) {
      if (type === 'BOOKMARK') return object.metadata.resourceVersion;
      // The server sends no bookmark for the version of an event.
      const metadata = { namespace: elsewhere, generateName: 'progress-' };
      if (isOf('ADDED', 'a')({ type, object }))
        await suite.client.create(builtin.ConfigMap, { metadata });
    }
    return bookmarkAfter(resourceVersion, elsewhere);
  };

  test('objects that enter or leave the selector are added or deleted', async () => {
    const resourceVersion = await listed();
    const label = (colour: string): Promise<unknown> =>
      suite.client.apply(builtin.ConfigMap, {
        metadata: { namespace, name: 'a', labels: { colour } },
      });
    await label('red');
    await label('green');
    await label('red');
    const options = { resourceVersion, labelSelector: 'colour=green' };
    const events = await eventsUntil(isOf('DELETED', 'a'), options);
    expect(events).toEqual(['ADDED a', 'DELETED a']);
  });

  testWithControls('from a compacted version gets 410', async () => {
    const resourceVersion = await listed();
    await write('a', '1');
    await suite.controls.compact();
    const watched = eventsUntil(() => true, { resourceVersion });
    expect(isGone(await errorOf(watched))).toBe(true);
  });
});
