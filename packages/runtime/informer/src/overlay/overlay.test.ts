import { describe, expect, test } from '@jest/globals';
import type { KubernetesObject } from '@keelson/apimachinery';
import { defineIndex } from '../contract/indexer.ts';
import { RecordingHandler } from '../testing/harness.test-support.ts';
import { OwnWrites, valueOf } from '../testing/own-writes.test-support.ts';
import { eventually, Thing } from '../testing/scripted-source.test-support.ts';

const a = { namespace: 'n1', name: 'a' };

describe('CT47 own writes', () => {
  test('a created object is in every kind of read before its event', async () => {
    await using writes = new OwnWrites();
    const head = ({ metadata }: KubernetesObject): string[] => [metadata?.labels?.['app'] ?? ''];
    const indexer = { name: 'app', head: head as never };
    const { store } = await writes.synced({ indexers: [indexer] });
    writes.write('b', { value: 3 });
    await writes.send();
    const object = writes.write('a', { value: 7, labels: { app: 'x' } });
    const { cache } = writes;
    const index = { name: 'app', value: 'x' };
    const lists = [
      cache.list(Thing, { labelSelector: 'app=x' }),
      await cache.listAsync(Thing, { index }),
      store.list({ index }),
      store.list({ fieldSelector: 'spec.value=7' }),
      await store.listAsync({ namespace: 'n1', labelSelector: 'app=x' }),
    ];
    for (const list of lists) expect(list).toEqual([object]);
    expect([cache.get(Thing, a), store.get(a), store.view(a)?.value()]).toEqual([
      object,
      object,
      object,
    ]);
    expect([store.has(a), store.size, store.views({ namespace: 'n2' })]).toEqual([true, 2, []]);
    expect(cache.get(Thing, a, { projection: 'metadata' })?.metadata).toEqual(object.metadata);
    expect(store.list({ index: { name: 'app', value: 'y' } })).toEqual([]);
  });

  test('an updated object is read once, in its new state and under its new index values', async () => {
    await using writes = new OwnWrites();
    const body = ({ spec }: { readonly spec?: Thing['spec'] }): string[] => [`${spec?.value}`];
    const { store } = await writes.synced({ indexers: [{ name: 'value', body }] });
    writes.write('a', { value: 1 });
    await writes.send();
    writes.write('a', { value: 2 });
    expect(store.list().map(valueOf)).toEqual([2]);
    expect(store.list({ index: { name: 'value', value: '1' } })).toEqual([]);
    expect(store.list({ index: { name: 'value', value: '2' } }).map(valueOf)).toEqual([2]);
    expect(store.size).toBe(1);
  });

  test('children, lookups in an index and its values include own writes', async () => {
    await using writes = new OwnWrites();
    const byNumber = defineIndex(Thing, 'number', ({ spec }) => [`${spec?.value}`]);
    await writes.synced({ indexers: [byNumber] });
    const owner = writes.write('owner', { value: 1 });
    await writes.send();
    const { cache } = writes;
    const child = writes.write('a', { value: 2, owner });
    expect(cache.owned(Thing, owner)).toEqual([child]);
    expect(cache.by(byNumber, '2')).toEqual([child]);
    expect(cache.namesBy(byNumber, '2')).toEqual([a]);
    writes.write('owner', { value: 3 });
    expect(cache.indexValues(byNumber).toSorted()).toEqual(['2', '3']);
    writes.delete('a');
    expect([cache.owned(Thing, owner), cache.indexValues(byNumber)]).toEqual([[], ['3']]);
  });

  test('a deleted object is not read, also if its creation has not arrived', async () => {
    await using writes = new OwnWrites();
    const { store } = await writes.synced();
    writes.write('a');
    writes.write('b');
    await writes.send();
    writes.delete('a');
    writes.write('c');
    writes.delete('c');
    expect([store.has(a), store.size, store.list().map(({ metadata }) => metadata.name)]).toEqual([
      false,
      1,
      ['b'],
    ]);
    // The creation of c arrives, and not yet its deletion.
    writes.server.send(writes.stream, 2);
    await eventually(() => store.resourceVersion === '5', 'the creation');
    expect([store.has({ ...a, name: 'c' }), store.size]).toEqual([false, 1]);
    await writes.send();
    expect([store.size, writes.count]).toEqual([1, 0]);
  });

  test('a re-created object is read in its new life', async () => {
    await using writes = new OwnWrites();
    const { store } = await writes.synced();
    writes.write('a', { value: 1 });
    await writes.send();
    writes.delete('a');
    const object = writes.write('a', { value: 2 });
    expect(store.list()).toEqual([object]);
    // The deletion of the first life arrives.
    writes.server.send(writes.stream, 1);
    await eventually(() => store.resourceVersion === '3', 'the deletion');
    expect(store.list()).toEqual([object]);
  });

  test('an object leaves and enters a selector by the write, in its own watch and in a view', async () => {
    await using writes = new OwnWrites();
    const query = { labelSelector: 'app=x' };
    const exact = await writes.synced({ ...query, sharing: 'exact' });
    await writes.synced();
    const view = await writes.synced(query);
    writes.write('a', { labels: { app: 'x' } });
    await writes.send();
    for (const { store } of [exact, view]) {
      // The first list of a view adds an index, which the later ones use.
      expect([store.list().length, store.size, store.has(a)]).toEqual([1, 1, true]);
    }
    writes.write('a', { labels: { app: 'y' } });
    for (const { store } of [exact, view]) {
      expect([store.list(), store.size, store.has(a)]).toEqual([[], 0, false]);
    }
    writes.write('a', { labels: { app: 'x' }, value: 9 });
    for (const { store } of [exact, view]) expect(store.list().map(valueOf)).toEqual([9]);
  });

  test('a change of another client is never hidden, and handlers receive each change once', async () => {
    await using writes = new OwnWrites();
    const handle = await writes.synced();
    const recorded = new RecordingHandler(handle);
    writes.write('a', { value: 1 });
    await writes.send();
    writes.server.set('a', { value: 2 });
    writes.write('a', { value: 3 });
    writes.server.set('a', { value: 4 });
    const reads: unknown[] = [valueOf(handle.store.get(a))];
    for (let event = 0; event < 3; event++) {
      writes.server.send(writes.stream, 1);
      await eventually(() => recorded.events.length === event + 2, 'the event');
      reads.push(valueOf(handle.store.get(a)));
    }
    expect(reads).toEqual([3, 3, 3, 4]);
    const values = recorded.events.map(({ object }) => valueOf(object.value()));
    expect(values).toEqual([1, 2, 3, 4]);
    expect(recorded.lines).toEqual(['added a', 'updated a', 'updated a', 'updated a']);
  });

  test('a response that arrives after its event or after a later one changes nothing', async () => {
    await using writes = new OwnWrites();
    const { store } = await writes.synced();
    const own = writes.server.set('a', { value: 1 });
    writes.server.set('a', { value: 2 });
    await writes.send();
    writes.cache.written(Thing, own);
    expect([valueOf(store.get(a)), writes.count]).toEqual([2, 0]);
    const last = writes.server.set('a', { value: 3 });
    writes.server.remove('a');
    await writes.send();
    writes.cache.written(Thing, last);
    expect([store.has(a), writes.count]).toEqual([false, 0]);
  });

  test('of two responses the later version counts, in whichever order they arrive', async () => {
    await using writes = new OwnWrites();
    const { store } = await writes.synced();
    const first = writes.server.set('a', { value: 1 });
    writes.write('a', { value: 2 });
    writes.cache.written(Thing, first);
    expect([valueOf(store.get(a)), writes.ends]).toEqual([2, []]);
    const deleted = writes.server.set('b');
    writes.delete('b');
    writes.cache.written(Thing, deleted);
    expect(store.has({ ...a, name: 'b' })).toBe(false);
  });

  test('a deletion with a version hides no later version of the object, which shows that it exists', async () => {
    await using writes = new OwnWrites();
    const { store } = await writes.synced();
    const { metadata } = writes.write('a', { value: 1 });
    const { uid = '', resourceVersion } = metadata ?? {};
    writes.cache.deleted(Thing, { ...a, uid, resourceVersion });
    expect(store.has(a)).toBe(false);
    writes.server.set('a', { value: 2 });
    await writes.send();
    expect(valueOf(store.get(a))).toBe(2);
  });

  test('a deletion stays while an object that left the selector may enter it again', async () => {
    await using writes = new OwnWrites();
    const { store } = await writes.synced({ labelSelector: 'app=x' });
    writes.write('a', { labels: { app: 'x' } });
    await writes.send();
    writes.server.set('a');
    writes.server.set('a', { labels: { app: 'x' } });
    writes.delete('a');
    writes.server.send(writes.stream, 1);
    await eventually(() => store.resourceVersion === '3', 'the end of the match');
    writes.server.send(writes.stream, 1);
    await eventually(() => store.resourceVersion === '4', 'the next match');
    expect(store.has(a)).toBe(false);
  });

  test('a deletion that the watch has seen is not recorded', async () => {
    await using writes = new OwnWrites();
    const { store } = await writes.synced();
    const { metadata } = writes.write('a');
    await writes.send();
    writes.server.remove('a');
    await writes.send();
    writes.cache.deleted(Thing, { ...a, uid: metadata?.uid ?? '' });
    expect([store.has(a), writes.count]).toEqual([false, 0]);
  });

  test('the caller of a write may change the response', async () => {
    await using writes = new OwnWrites();
    const { store } = await writes.synced();
    const object = writes.server.set('a', { value: 1, labels: { app: 'x' } });
    writes.cache.written(Thing, object);
    object.spec = { value: 2 };
    (object.metadata ?? {}).labels = {};
    expect([valueOf(store.get(a)), store.list({ labelSelector: 'app=x' }).length]).toEqual([1, 1]);
    expect(Object.isFrozen(store.get(a)?.spec)).toBe(true);
  });

  test('a watch that starts while another one has not reached a write takes it over', async () => {
    await using writes = new OwnWrites();
    writes.server.supportsWatchList = false;
    await writes.synced({ namespace: 'n1' });
    writes.write('a', { value: 1 });
    writes.write('b');
    writes.delete('b');
    // A list of a replica that lags behind.
    writes.server.lag = 3;
    const wide = await writes.synced();
    expect(Number(wide.store.resourceVersion)).toBeLessThan(writes.server.version);
    expect(wide.store.list().map(valueOf)).toEqual([1]);
  });

  test('a wait ends with an own write', async () => {
    await using writes = new OwnWrites();
    await writes.synced();
    const created = writes.cache.waitFor(Thing, a, (object) => object !== undefined);
    writes.write('a', { value: 5 });
    expect(valueOf(await created)).toBe(5);
    const deleted = writes.cache.waitFor(Thing, a, (object) => object === undefined);
    writes.delete('a');
    expect(await deleted).toBeUndefined();
    const received = writes.cache.waitFor(Thing, a, () => true, { overlay: false });
    expect(await received).toBeUndefined();
  });
});
