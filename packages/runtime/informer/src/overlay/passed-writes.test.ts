import { describe, expect, test } from '@jest/globals';
import type { InformerEvent } from '../contract/informer-event.ts';
import type { WatchHandle } from '../contract/watch-handle.ts';
import { History } from '../testing/history.test-support.ts';
import { OwnWrites, valueOf } from '../testing/own-writes.test-support.ts';
import { eventually, Thing } from '../testing/scripted-source.test-support.ts';
import { MAX_REPLACED } from './overlay-entries.ts';
import { pass, stopTheClock } from '../testing/stopped-clock.test-support.ts';

stopTheClock();

const a = { namespace: 'n1', name: 'a' };

/** Records the events of a handle as text, and what the store has in the meantime. */
function linesOf(handle: WatchHandle<Thing>): string[] {
  const lines: string[] = [];
  handle.addEventHandler((event) => void lines.push(textOf(event)));
  return lines;
}

function textOf(event: InformerEvent<Thing>): string {
  const { type, object } = event;
  const state = `${type} ${object.name} ${object.uid} ${object.value().spec?.value}`;
  if (type === 'deleted') return `${state}${event.finalStateUnknown ? ' unknown' : ''}`;
  if (type === 'updated') return `${state} after ${event.previous.value().spec?.value}`;
  return event.initial ? `${state} initial` : state;
}

/** Makes every watch list again. */
async function relisted(writes: OwnWrites): Promise<void> {
  writes.server.compact();
  for (const stream of writes.server.streams) writes.server.fail(stream, 410);
  await pass(60_000);
}

describe('CT47 an own write that a list passes', () => {
  test('reaches handlers as added and deleted if the object is gone', async () => {
    await using writes = new OwnWrites();
    const handle = await writes.synced();
    const lines = linesOf(handle);
    writes.write('a', { value: 1 });
    expect(valueOf(handle.store.get(a))).toBe(1);
    writes.server.remove('a');
    await relisted(writes);
    expect(lines).toEqual(['added a uid-1 1', 'deleted a uid-1 1 unknown']);
    await relisted(writes);
    expect([lines.length, writes.count, writes.ends]).toEqual([2, 0, ['reached']]);
  });

  test('reaches them so before the first list too, and not as an initial object', async () => {
    await using writes = new OwnWrites();
    writes.server.supportsWatchList = false;
    writes.server.set('b', { value: 5 });
    const handle = writes.cache.acquire({ resource: Thing }, { owner: 'test' });
    const lines = linesOf(handle);
    const { synced } = handle.addEventHandler(() => undefined);
    writes.write('a', { value: 1 });
    writes.server.remove('a');
    writes.write('b', { value: 6 });
    await synced;
    expect(lines.toSorted()).toEqual([
      'added a uid-2 1',
      'added b uid-1 6 initial',
      'deleted a uid-2 1 unknown',
    ]);
  });

  test('reaches them with its own deletion too, because other code may have read it', async () => {
    await using writes = new OwnWrites();
    const lines = linesOf(await writes.synced());
    writes.write('a', { value: 1 });
    writes.delete('a');
    await relisted(writes);
    expect(lines).toEqual(['added a uid-1 1', 'deleted a uid-1 1 unknown']);
  });

  test('reaches them in every state that was read', async () => {
    await using writes = new OwnWrites();
    const lines = linesOf(await writes.synced());
    writes.write('a', { value: 1 });
    writes.write('a', { value: 2 });
    writes.server.remove('a');
    await relisted(writes);
    expect(lines).toEqual([
      'added a uid-1 1',
      'updated a uid-1 2 after 1',
      'deleted a uid-1 2 unknown',
    ]);
  });

  test('reaches them in its last states, if there are very many', async () => {
    await using writes = new OwnWrites();
    const lines = linesOf(await writes.synced());
    const last = MAX_REPLACED + 2;
    for (let value = 1; value <= last; value++) writes.write('a', { value });
    await relisted(writes);
    expect([lines.length, lines[0], lines.at(-1)]).toEqual([
      last - 1,
      'added a uid-1 2',
      `updated a uid-1 ${last} after ${last - 1}`,
    ]);
    expect([writes.ends.length, new Set(writes.ends)]).toEqual([
      last,
      new Set(['replaced', 'reached']),
    ]);
  });

  test('reaches them once for each life of the object', async () => {
    await using writes = new OwnWrites();
    const lines = linesOf(await writes.synced());
    writes.write('a', { value: 1 });
    writes.delete('a');
    writes.write('a', { value: 2 });
    writes.server.remove('a');
    writes.server.set('a', { value: 3 });
    await relisted(writes);
    expect(lines).toEqual([
      'added a uid-1 1',
      'deleted a uid-1 1 unknown',
      'added a uid-2 2',
      'deleted a uid-2 2 unknown',
      'added a uid-3 3',
    ]);
  });

  test('reaches them between the former state and that of the list', async () => {
    await using writes = new OwnWrites();
    const lines = linesOf(await writes.synced());
    for (const name of ['a', 'b', 'c', 'd']) writes.write(name, { value: 1 });
    await writes.send();
    lines.length = 0;
    for (const name of ['a', 'b', 'c']) writes.write(name, { value: 2 });
    writes.server.set('a', { value: 3 });
    writes.server.remove('b');
    await relisted(writes);
    expect(lines.toSorted()).toEqual([
      'deleted b uid-2 2 unknown',
      'updated a uid-1 2 after 1',
      'updated a uid-1 3 after 2',
      'updated b uid-2 2 after 1',
      'updated c uid-3 2 after 1',
    ]);
  });

  test('does not reach them if the list has not reached it', async () => {
    await using writes = new OwnWrites();
    writes.server.supportsWatchList = false;
    const handle = await writes.synced();
    const lines = linesOf(handle);
    writes.write('a', { value: 1 });
    writes.server.remove('a');
    writes.server.lag = 2;
    await handle.restart();
    expect([lines, writes.count]).toEqual([[], 1]);
    writes.server.lag = 0;
    await handle.restart();
    expect(lines).toEqual(['added a uid-1 1', 'deleted a uid-1 1 unknown']);
  });

  test('does not reach them again after its event', async () => {
    await using writes = new OwnWrites();
    const lines = linesOf(await writes.synced());
    const create = writes.server.set('a', { value: 1 });
    writes.server.sendAll();
    await eventually(() => lines.length === 1, 'the event');
    writes.cache.written(Thing, create);
    writes.server.remove('a');
    await relisted(writes);
    expect(lines).toEqual(['added a uid-1 1', 'deleted a uid-1 1 unknown']);
  });

  test('reaches the handlers of the queries that select it', async () => {
    await using writes = new OwnWrites();
    const wide = linesOf(await writes.synced());
    const x = linesOf(await writes.synced({ labelSelector: 'app=x' }));
    const y = linesOf(await writes.synced({ labelSelector: 'app=y' }));
    const heads = (await writes.synced({ projection: 'metadata' })).addEventHandler(
      ({ object }) => void wide.push(Object.keys(object.value()).join(' ')),
    );
    writes.write('a', { value: 1, labels: { app: 'x' } });
    writes.server.remove('a');
    await relisted(writes);
    heads.remove();
    const both = ['added a uid-1 1', 'deleted a uid-1 1 unknown'];
    const metadata = 'apiVersion kind metadata';
    expect(wide.toSorted()).toEqual([both[0], metadata, metadata, both[1]]);
    expect([x, y]).toEqual([both, []]);
  });

  test('reaches handlers that move to a watch that has passed it', async () => {
    await using writes = new OwnWrites();
    const narrow = await writes.synced({ labelSelector: 'app=x' });
    const lines = linesOf(narrow);
    const history = new History<Thing>();
    narrow.addEventHandler(history.handler);
    writes.write('b', { labels: { app: 'x' } });
    await writes.send();
    for (const name of ['a', 'b']) writes.write(name, { value: 1, labels: { app: 'x' } });
    for (const name of ['a', 'b']) writes.server.remove(name);
    lines.length = 0;
    await writes.synced();
    await eventually(
      () => writes.cache.plan().every(({ isView, owner }) => isView || owner),
      'plan',
    );
    await pass(60_000);
    expect(lines.toSorted()).toEqual([
      'added a uid-2 1',
      'deleted a uid-2 1 unknown',
      'deleted b uid-1 1 unknown',
      'updated b uid-1 1 after 0',
    ]);
    expect([history.complaints, history.state]).toEqual([[], []]);
  });

  test('reaches handlers that move before their first list', async () => {
    await using writes = new OwnWrites();
    writes.server.isSilent = ({ labelSelector }) => labelSelector !== undefined;
    const narrow = writes.cache.acquire(
      { resource: Thing, labelSelector: 'app=x' },
      { owner: 'test' },
    );
    const lines = linesOf(narrow);
    writes.write('a', { value: 1, labels: { app: 'x' } });
    writes.server.remove('a');
    writes.server.set('a', { value: 2, labels: { app: 'x' } });
    await writes.synced();
    await pass(1_000);
    expect(lines).toEqual([
      'added a uid-1 1',
      'deleted a uid-1 1 unknown',
      'added a uid-2 2 initial',
    ]);
  });

  test('reaches the handlers of a watch that began after it, in every state', async () => {
    await using writes = new OwnWrites();
    await writes.synced({ labelSelector: 'app=x' });
    for (const value of [1, 2]) writes.write('a', { value, labels: { app: 'x' } });
    writes.server.remove('a');
    const wide = writes.cache.acquire({ resource: Thing }, { owner: 'test' });
    const lines = linesOf(wide);
    await wide.synced;
    await pass(0);
    expect(lines).toEqual([
      'added a uid-1 1',
      'updated a uid-1 2 after 1',
      'deleted a uid-1 2 unknown',
    ]);
  });

  test('ends a wait for the end of the object', async () => {
    await using writes = new OwnWrites();
    await writes.synced();
    writes.write('a', { value: 1 });
    const seen: unknown[] = [];
    const gone = writes.cache.waitFor(Thing, a, (thing) => {
      seen.push(valueOf(thing));
      return thing === undefined;
    });
    writes.server.remove('a');
    await relisted(writes);
    expect([await gone, seen]).toEqual([undefined, [1, 'none']]);
  });

  test('reaches handlers if the check of a silent watch finds the server restored', async () => {
    await using writes = new OwnWrites();
    const lines = linesOf(await writes.synced());
    writes.write('b', { value: 5 });
    writes.server.set('c');
    await writes.send();
    // The watch expects a bookmark each minute from now on.
    for (let minute = 0; minute < 3; minute++) {
      await pass(60_000);
      writes.server.bookmarkAll();
    }
    writes.stream.watch.end(new Error('reset'));
    writes.server.restore(2);
    await pass(1_000);
    lines.length = 0;
    // The response of a write before the restore.
    const undone = structuredClone(writes.server.set('a', { value: 1 }));
    (undone.metadata ?? {}).resourceVersion = '9';
    writes.cache.written(Thing, undone);
    writes.server.restore(2);
    await pass(250_000);
    // After a restore, b may be another state although its version is the same.
    const others = ['deleted c uid-2 0 unknown', 'updated b uid-1 5 after 5'];
    const passed = ['added a uid-3 1', 'deleted a uid-3 1 unknown'];
    expect(lines.toSorted()).toEqual([...passed, ...others]);
    expect(writes.ends.at(-1)).toBe('reached');
  });

  test('reaches handlers if a restore of the server from a backup undid it', async () => {
    await using writes = new OwnWrites();
    const lines = linesOf(await writes.synced());
    writes.write('b', { value: 5 });
    writes.server.set('c');
    await writes.send();
    lines.length = 0;
    writes.write('a', { value: 1 });
    writes.write('b', { value: 6 });
    writes.server.restore(2);
    await relisted(writes);
    expect(lines.toSorted()).toEqual([
      'added a uid-3 1',
      'deleted a uid-3 1 unknown',
      'deleted c uid-2 0 unknown',
    ]);
  });
});
