import { getEventListeners } from 'node:events';
import { describe, expect, test } from '@jest/globals';
import type { StreamEvent } from '../contract/informer-event.ts';
import { EventStream } from './event-stream.ts';
import { Harness } from '../testing/harness.test-support.ts';
import { eventually, ScriptedSource, type Thing } from '../testing/scripted-source.test-support.ts';

/** Reads some events as text: the type, the key and the value. */
async function read(
  stream: AsyncIterableIterator<StreamEvent<Thing>>,
  count: number,
): Promise<string[]> {
  const lines: string[] = [];
  while (lines.length < count) {
    const { value } = (await stream.next()) as IteratorYieldResult<StreamEvent<Thing>>;
    if (value.type === 'initialDone') lines.push(value.type);
    else {
      const type = value.type === 'added' && value.initial ? 'initial' : value.type;
      lines.push(`${type} ${value.key} ${value.object.value().spec?.value}`);
    }
  }
  return lines;
}

describe('event streams', () => {
  test('events() yields initialDone once, after the initial objects', async () => {
    const empty = new ScriptedSource();
    await using harness: Harness = new Harness({
      // The watch of the other namespace may open before the one of all namespaces serves it.
      listerWatcher: ({ namespace }) => (namespace === 'none' ? empty : harness.source),
    });
    for (const name of ['a', 'b']) harness.source.set(name);
    const handle = harness.acquire();
    const [early, none] = [handle.events(), harness.acquire({ namespace: 'none' }).events()];
    await handle.synced;
    const late = handle.events();
    const initial = ['initial default/a undefined', 'initial default/b undefined', 'initialDone'];
    for (const stream of [early, late]) expect(await read(stream, 3)).toEqual(initial);
    expect(await read(none, 1)).toEqual(['initialDone']);
    harness.missed(() => harness.source.set('b'));
    for (const stream of [early, late]) {
      expect(await read(stream, 1)).toEqual(['updated default/b undefined']);
    }
  });

  test('events() starts with the snapshot and merges the changes between two reads', async () => {
    await using harness = new Harness();
    for (const name of ['a', 'b', 'c']) harness.source.set(name);
    const handle = await harness.synced();
    const stream = handle.events();
    const first = await stream.next();
    expect(first.value).toMatchObject({ type: 'added', initial: true, key: 'default/a' });
    await eventually(() => true);
    harness.source.set('a', { spec: { value: 1 } });
    harness.source.set('a', { spec: { value: 2 } });
    harness.source.set('b', { spec: { value: 1 } });
    harness.source.remove('c');
    harness.source.set('d');
    harness.source.remove('d');
    await harness.caughtUp(handle);
    const lines = await read(stream, 3);
    expect(lines).toEqual(['initial default/b 1', 'initialDone', 'updated default/a 2']);
    const pending = stream.next();
    handle.release();
    expect(await pending).toEqual({ done: true, value: undefined });
  });

  test('events() yields a deletion and a re-creation separately, and ends with the loop or the signal', async () => {
    await using harness = new Harness();
    harness.source.set('a');
    const handle = await harness.synced();
    const stream = handle.events();
    expect(await read(stream, 2)).toEqual(['initial default/a undefined', 'initialDone']);
    harness.source.remove('a');
    harness.source.set('a');
    await harness.caughtUp(handle);
    const types: string[] = [];
    for await (const event of stream) {
      types.push(event.type);
      if (types.length === 2) break;
    }
    expect(types).toEqual(['deleted', 'added']);
    const abort = new AbortController();
    const aborted = handle.events({ signal: abort.signal });
    await read(aborted, 2);
    const waiting = aborted.next();
    abort.abort();
    expect(await waiting).toMatchObject({ done: true });
    expect(await handle.events({ signal: abort.signal }).next()).toMatchObject({ done: true });
  });

  test('events() yields a re-creation directly after the deletion, not after the events behind it', async () => {
    await using harness = new Harness();
    for (const name of ['a', 'b']) harness.source.set(name);
    const handle = await harness.synced();
    const stream = handle.events();
    expect((await read(stream, 3)).at(-1)).toBe('initialDone');
    harness.source.remove('a');
    harness.source.set('a');
    harness.source.set('b', { spec: { value: 1 } });
    await harness.caughtUp(handle);
    expect(await read(stream, 3)).toEqual([
      'deleted default/a undefined',
      'added default/a undefined',
      'updated default/b 1',
    ]);
  });

  test('an ended stream leaves no listener on the signal of its caller', async () => {
    const { signal } = new AbortController();
    const stream = new EventStream<Thing>(() => () => undefined, signal);
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    await stream.return();
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  test.each<[string, (stream: EventStream<Thing>, abort: AbortController) => unknown]>([
    ['return()', (stream) => stream.return()],
    ['its signal', (_stream, abort) => abort.abort()],
  ])('%s removes the handler of a stream, once', async (_end, end) => {
    const abort = new AbortController();
    let removals = 0;
    const stream = new EventStream<Thing>(() => () => void removals++, abort.signal);
    const waiting = [stream.next(), stream.next()];
    await end(stream, abort);
    await end(stream, abort);
    const done = { done: true, value: undefined };
    expect(await Promise.all([...waiting, stream.next()])).toEqual([done, done, done]);
    expect(removals).toBe(1);
  });
});
