import { describe, expect, jest, test } from '@jest/globals';
import { OwnWrites, valueOf } from '../testing/own-writes.test-support.ts';
import { eventually, Other, Thing } from '../testing/scripted-source.test-support.ts';
import { withCode } from '../testing/harness.test-support.ts';
import { pass, stopTheClock } from '../testing/stopped-clock.test-support.ts';
import { MAX_AGE_MS, MAX_BYTES, MAX_ENTRIES } from './overlay-entries.ts';

stopTheClock();

const a = { namespace: 'n1', name: 'a' };

/** Lets time pass while bookmarks arrive each minute: the informer lists behind a watch that is silent for minutes. */
async function passWithBookmarks({ server }: OwnWrites, milliseconds: number): Promise<void> {
  for (let left = milliseconds; left > 0; left -= 60_000) {
    server.bookmarkAll();
    await jest.advanceTimersByTimeAsync(Math.min(left, 60_000));
  }
}

describe('CT47 the end of an own write', () => {
  test('is the event of its version, not an earlier one', async () => {
    await using writes = new OwnWrites();
    await writes.synced();
    writes.server.set('b');
    writes.write('a');
    writes.server.send(writes.stream, 1);
    await eventually(() => writes.cache.inventory()[0]?.objects === 1, 'the event of b');
    expect([writes.count, writes.ends]).toEqual([1, []]);
    await writes.send();
    expect([writes.count, writes.ends]).toEqual([0, ['reached']]);
  });

  test('is an event of another object or a bookmark at a later version', async () => {
    await using writes = new OwnWrites();
    await writes.synced({ labelSelector: 'app=x' });
    writes.write('a', { labels: { app: 'y' } });
    expect(writes.count).toBe(1);
    await writes.send();
    expect([writes.count, writes.ends]).toEqual([0, ['reached']]);
    writes.write('a', { labels: { app: 'z' } });
    writes.server.set('b', { labels: { app: 'x' } });
    writes.server.send(writes.stream);
    await eventually(() => writes.count === 0, 'the end');
  });

  test('is a list at or after its version, which also ends ghosts', async () => {
    await using writes = new OwnWrites();
    const { store } = await writes.synced();
    writes.write('a', { value: 1 });
    await writes.send();
    writes.write('b', { value: 2 });
    writes.server.remove('b');
    writes.server.remove('a');
    expect(store.list().length).toBe(2);
    writes.server.compact();
    writes.server.fail(writes.stream, 410);
    await pass(60_000);
    expect([store.list(), writes.count, writes.ends]).toEqual([[], 0, ['reached', 'reached']]);
  });

  test('is not a list before its version', async () => {
    await using writes = new OwnWrites();
    writes.server.supportsWatchList = false;
    const handle = await writes.synced();
    writes.write('a', { value: 1 });
    await writes.send();
    writes.write('a', { value: 2 });
    writes.delete('a');
    writes.write('a', { value: 3 });
    // The list of version 4 shows the deletion.
    for (const [lag, count] of [
      [3, 2],
      [1, 1],
    ] as const) {
      writes.server.lag = lag;
      await handle.restart();
      expect(handle.store.list().map(valueOf)).toEqual([3]);
      expect(writes.count).toBe(count);
    }
    writes.server.lag = 0;
    await handle.restart();
    expect([valueOf(handle.store.get(a)), writes.count]).toEqual([3, 0]);
  });

  test('is a restore of the server from a backup', async () => {
    await using writes = new OwnWrites();
    const { store } = await writes.synced();
    for (const name of ['a', 'b', 'c']) writes.write(name);
    await writes.send();
    writes.write('a', { value: 9 });
    writes.delete('b');
    expect(writes.count).toBe(2);
    writes.server.restore(3);
    writes.server.fail(writes.stream, 410);
    await pass(60_000);
    expect([store.resourceVersion, writes.count]).toEqual(['3', 0]);
    expect(store.list().map(valueOf)).toEqual([0, 0]);
  });

  test('is 5 minutes after its response', async () => {
    await using writes = new OwnWrites();
    const { store } = await writes.synced();
    writes.write('a');
    await jest.advanceTimersByTimeAsync(1_000);
    writes.cache.deleted(Thing, { ...a, name: 'b', uid: 'b' });
    await passWithBookmarks(writes, MAX_AGE_MS - 1_001);
    expect(store.has(a)).toBe(true);
    await jest.advanceTimersByTimeAsync(1);
    expect([store.has(a), writes.count]).toEqual([false, 1]);
    await jest.advanceTimersByTimeAsync(1_000);
    expect([writes.count, writes.ends]).toEqual([0, ['expired', 'expired']]);
  });

  test('wakes the waits for the state before it', async () => {
    await using writes = new OwnWrites();
    await writes.synced();
    writes.write('a');
    const gone = writes.cache.waitFor(Thing, a, (object) => object === undefined);
    await passWithBookmarks(writes, MAX_AGE_MS);
    expect(await gone).toBeUndefined();
  });

  test('comes earlier for the oldest of too many or too large ones', async () => {
    await using writes = new OwnWrites();
    const { store } = await writes.synced();
    for (let at = 0; at < MAX_ENTRIES; at++) {
      writes.cache.deleted(Thing, { ...a, uid: `uid of ${at}` });
    }
    writes.write('a');
    expect([writes.count, writes.ends]).toEqual([MAX_ENTRIES, ['evicted']]);
    const large = { labels: { text: 'x'.repeat(MAX_BYTES / 2) } };
    writes.write('b', large);
    writes.write('c', large);
    expect([store.has({ ...a, name: 'b' }), store.has({ ...a, name: 'c' })]).toEqual([false, true]);
  });

  test('is the end of the watch', async () => {
    await using writes = new OwnWrites({ linger: 0 });
    const handle = await writes.synced();
    writes.write('a');
    writes.cache.deleted(Thing, { ...a, name: 'b', uid: 'b' });
    handle.release();
    expect(writes.ends).toEqual(['closed', 'closed']);
    writes.write('a');
    expect(writes.count).toBe(0);
  });
});

describe('CT47 reads without own writes', () => {
  test('are those with overlay: false', async () => {
    await using writes = new OwnWrites();
    const handle = await writes.synced();
    const view = await writes.synced({ labelSelector: 'app=x' });
    writes.write('a', { value: 1, labels: { app: 'x' } });
    await writes.send();
    writes.write('a', { value: 2 });
    const { cache } = writes;
    const overlay = false;
    expect([handle.store.get(a), cache.get(Thing, a, { overlay })].map(valueOf)).toEqual([2, 1]);
    expect(cache.list(Thing, { overlay, labelSelector: 'app=x' }).map(valueOf)).toEqual([1]);
    expect((await cache.listAsync(Thing, { overlay })).map(valueOf)).toEqual([1]);
    const { store } = view;
    expect([store.get(a, { overlay }), store.view(a, { overlay })?.value()].map(valueOf)).toEqual([
      1, 1,
    ]);
    expect(store.list({ overlay }).map(valueOf)).toEqual([1]);
    expect((await store.listAsync({ overlay })).map(valueOf)).toEqual([1]);
    expect(store.views({ overlay }).map((one) => valueOf(one.value()))).toEqual([1]);
    writes.delete('a');
    expect([store.has(a), store.has(a, { overlay })]).toEqual([false, true]);
    const wrong = { overlay: 0 as never };
    const reads = [
      () => cache.list(Thing, wrong),
      () => store.list(wrong),
      () => store.get(a, wrong),
      () => store.has(a, { overlai: true } as never),
    ];
    for (const read of reads) expect(read).toThrow(withCode('INVALID_OPTION'));
  });

  test('are all with the option of the cache', async () => {
    await using writes = new OwnWrites({ overlay: false });
    const { store } = await writes.synced();
    writes.write('a');
    writes.delete('a');
    expect([store.size, writes.count]).toEqual([0, 0]);
  });

  test('are all of a server whose versions have no order', async () => {
    await using writes = new OwnWrites();
    writes.server.versionText = (version) => `v${version}`;
    const { store } = await writes.synced();
    writes.server.set('a', { value: 1 });
    await eventually(() => writes.server.streams.size > 0, 'the watch');
    writes.server.sendAll();
    await eventually(() => store.has(a), 'the event');
    writes.write('a', { value: 2 });
    writes.cache.deleted(Thing, { ...a, uid: 'uid-1' });
    expect([valueOf(store.get(a)), writes.count]).toEqual([1, 0]);
  });

  test('are those of a field selector that only the server evaluates', async () => {
    await using writes = new OwnWrites();
    const { store } = await writes.synced({ fieldSelector: 'spec.value=1' });
    writes.write('a', { value: 1 });
    expect([store.has(a), writes.count]).toEqual([false, 0]);
    const names = await writes.synced({ fieldSelector: 'metadata.name=a' });
    writes.write('a', { value: 1 });
    writes.write('b', { value: 1 });
    expect(names.store.list().map(({ metadata }) => metadata.name)).toEqual(['a']);
  });
});

describe('CT47 the form of an own write', () => {
  test('is that of the watch: transform, projection and managed fields', async () => {
    await using writes = new OwnWrites();
    const apply = (object: Thing): Thing => ({ ...object, spec: { value: 100 } });
    const short = await writes.synced({ transform: { name: 'short', apply } });
    const heads = await writes.synced({ projection: 'metadata', labelSelector: 'app=x' });
    const object = writes.server.set('a', { value: 1, labels: { app: 'x' } });
    (object.metadata ?? {}).managedFields = [{ manager: 'me' }];
    writes.cache.written(Thing, object);
    const [seen, head] = [short.store.get(a), heads.store.get(a)];
    expect(seen?.spec).toEqual({ value: 100 });
    expect(seen?.metadata).not.toHaveProperty('managedFields');
    expect([head?.kind, head?.metadata.labels, head]).toEqual([
      'Thing',
      { app: 'x' },
      expect.not.objectContaining({ spec: expect.anything() }),
    ]);
    await writes.send();
    expect([short.store.get(a), heads.store.get(a)]).toEqual([seen, head]);
  });

  test('keeps managed fields with the option of the cache', async () => {
    await using writes = new OwnWrites({ keepManagedFields: true });
    const { store } = await writes.synced();
    const object = writes.server.set('a');
    (object.metadata ?? {}).managedFields = [{ manager: 'me' }];
    writes.cache.written(Thing, object);
    expect(store.get(a)?.metadata.managedFields).toEqual([{ manager: 'me' }]);
  });

  test('does not exist if the transform fails', async () => {
    await using writes = new OwnWrites();
    const apply = (): never => {
      throw new Error('broken');
    };
    const { store } = await writes.synced({ transform: { name: 'broken', apply } });
    writes.write('a');
    expect([store.has(a), writes.count, writes.skips]).toEqual([false, 0, ['transform']]);
  });

  test('does not exist for a response without a stored object of the kind', async () => {
    await using writes = new OwnWrites();
    await writes.synced();
    const { apiVersion = '', kind = '', metadata = {} } = writes.server.set('a');
    const { uid: _uid, ...unsaved } = metadata;
    const responses = [
      { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata },
      { apiVersion: 'meta.k8s.io/v1', kind: 'PartialObjectMetadata', metadata },
      { apiVersion: 'example.com/v2', kind, metadata },
      { apiVersion, kind, metadata: unsaved },
      { apiVersion, kind, metadata: { ...metadata, resourceVersion: '' } },
      { apiVersion, kind },
    ];
    for (const response of responses) writes.cache.written(Thing, response);
    writes.cache.written(Other, { apiVersion, kind: Other.kind, metadata });
    expect(writes.count).toBe(0);
    const wrong = [
      () => writes.cache.written(Thing, null as never),
      () => writes.cache.deleted(Thing, 'a' as never),
      () => writes.cache.deleted(Thing, { ...a, uid: '' }),
      () => writes.cache.deleted(Thing, { name: '', uid: 'a' }),
    ];
    for (const call of wrong) expect(call).toThrow(withCode('INVALID_OPTION'));
  });
});
