import { describe, expect, test } from '@jest/globals';
import { jsonFormat, type Frame, type WatchEventType } from '@keelson/wire';
import {
  Harness,
  listing,
  namesIn,
  RecordingHandler,
  withCode,
} from '../testing/harness.test-support.ts';
import {
  a,
  bytesFrame,
  failing,
  silence,
  statusError,
  Thing,
} from '../testing/scripted-source.test-support.ts';
import { pass, stopTheClock } from '../testing/stopped-clock.test-support.ts';
import type { WatchHandle } from '../contract/watch-handle.ts';

stopTheClock();

const RETENTIONS = ['lazy', 'object'] as const;

/** Damages the body of the next frames about `name`. The metadata and the brackets stay intact. */
function spoil(harness: Harness, name: string, times: number): void {
  let left = times;
  harness.source.toFrame = (type: WatchEventType, object: unknown): Frame => {
    const isAbout = (object as Thing).metadata?.name === name && type !== 'BOOKMARK';
    if (!isAbout || left-- <= 0) return bytesFrame(type, object);
    const text = JSON.stringify(object).replace('"value":', '"value":x');
    const buffer = Buffer.from(text);
    return { type, format: jsonFormat, buffer, from: 0, to: buffer.length };
  };
}

function valuesIn(handle: WatchHandle<Thing>): (number | undefined)[] {
  return handle.store.list().map(({ spec }) => spec?.value);
}

const byValue = (one = 0, other = 0): number => one - other;

describe('an object whose body does not parse', () => {
  test.each(RETENTIONS)('arrives in an event and is fetched again (%s)', async (retain) => {
    await using harness = new Harness();
    harness.source.set('b', { spec: { value: 7 } });
    const handle = await harness.synced({ retain });
    const recorded = new RecordingHandler(handle);
    await recorded.registration.synced;
    spoil(harness, 'a', 1);
    harness.source.set('a', { spec: { value: 1 } });
    harness.source.set('b', { spec: { value: 8 } });
    await pass(0);
    expect(valuesIn(handle)).toContain(8);
    await pass(0);
    expect(valuesIn(handle).toSorted(byValue)).toEqual([1, 8]);
    expect(handle.store.get(a)?.spec).toEqual({ value: 1 });
    expect(harness.observer.of('skipped')).toEqual(['skipped malformed']);
    expect(harness.source.requests.filter(({ verb }) => verb === 'list')).toEqual([
      { verb: 'list', resourceVersion: '', name: a },
    ]);
    expect(recorded.events.at(-1)?.object.value().spec).toEqual({ value: 1 });
    expect(harness.observer.of('loop')).toEqual([]);
    expect(harness.source.count('watch')).toBe(1);
  });

  test.each(RETENTIONS)(
    'arrives in the initial state and is fetched again (%s)',
    async (retain) => {
      for (const make of [() => new Harness(), listing]) {
        await using harness = make();
        for (const name of ['a', 'b', 'c']) harness.source.set(name, { spec: { value: 1 } });
        spoil(harness, 'a', 1);
        const handle = harness.acquire({ retain });
        await pass(0);
        valuesIn(handle);
        await pass(10);
        expect(namesIn(handle)).toEqual(['a', 'b', 'c']);
        expect(valuesIn(handle)).toEqual([1, 1, 1]);
        expect(harness.observer.of('loop')).toEqual([]);
      }
    },
  );

  test.each(RETENTIONS)('arrives in a relist and is fetched again (%s)', async (retain) => {
    await using harness = new Harness();
    for (const name of ['a', 'b']) harness.source.set(name, { spec: { value: 1 } });
    const handle = await harness.synced({ retain });
    const recorded = new RecordingHandler(handle);
    await recorded.registration.synced;
    spoil(harness, 'a', 1);
    await pass(20_000);
    harness.missed(() => harness.source.set('a', { spec: { value: 2 } }));
    await pass(10);
    valuesIn(handle);
    await pass(10);
    expect(handle.store.get(a)?.spec).toEqual({ value: 2 });
    expect(recorded.lines).not.toContain('gone a');
    expect(valuesIn(handle).toSorted(byValue)).toEqual([1, 2]);
  });

  test('is missing in lists until the fetch, and a read of it throws OBJECT_MALFORMED', async () => {
    await using harness = new Harness();
    harness.source.set('b', { spec: { value: 7 }, metadata: { labels: { app: 'x' } } });
    const handle = await harness.synced();
    handle.addIndexer({ name: 'value', body: ({ spec }) => [String(spec?.value)] });
    spoil(harness, 'a', Infinity);
    harness.source.set('a', { spec: { value: 1 }, metadata: { labels: { app: 'x' } } });
    await pass(0);
    expect(() => handle.store.get(a)).toThrow(withCode('OBJECT_MALFORMED'));
    expect(valuesIn(handle)).toEqual([7]);
    expect(handle.store.list({ fieldSelector: 'spec.value=7' })).toHaveLength(1);
    expect(handle.store.list({ index: { name: 'value', value: '7' } })).toHaveLength(1);
    expect(handle.store.views({ labelSelector: 'app=x' })).toHaveLength(2);
    expect(() => harness.cache.get(Thing, a)).toThrow(withCode('OBJECT_MALFORMED'));
    expect(harness.cache.list(Thing)).toHaveLength(1);
    const all = handle.store.listAsync();
    await pass(0);
    expect(await all).toHaveLength(1);
  });

  test.each(RETENTIONS)(
    'is fetched four times, and again at its next change (%s)',
    async (retain) => {
      await using harness = new Harness();
      const handle = await harness.synced({ retain });
      spoil(harness, 'a', 5);
      harness.source.set('a', { spec: { value: 1 } });
      await pass(0);
      valuesIn(handle);
      await pass(60_000);
      expect(harness.source.count('list')).toBe(4);
      expect(harness.observer.of('loop')).toEqual([]);
      harness.source.set('a', { spec: { value: 2 } });
      await pass(0);
      expect(handle.store.get(a)?.spec).toEqual({ value: 2 });
    },
  );

  test.each(RETENTIONS)('is fetched until the server responds (%s)', async (retain) => {
    await using harness = new Harness();
    const handle = await harness.synced({ retain });
    spoil(harness, 'a', 1);
    for (let at = 0; at < 10; at++) {
      harness.source.listScripts.push(() => failing(statusError(500, 'InternalError')));
    }
    harness.source.set('a', { spec: { value: 1 } });
    await pass(0);
    valuesIn(handle);
    await pass(300_000);
    expect(handle.store.get(a)?.spec).toEqual({ value: 1 });
    expect(harness.source.count('list')).toBeGreaterThan(10);
  });

  test.each(RETENTIONS)(
    'that changes during the fetch is taken from the watch (%s)',
    async (retain) => {
      await using harness = new Harness();
      const handle = await harness.synced({ retain });
      const recorded = new RecordingHandler(handle);
      await recorded.registration.synced;
      spoil(harness, 'a', 1);
      harness.source.listScripts.push(() => failing(statusError(500, 'InternalError')));
      harness.source.set('a', { spec: { value: 1 } });
      await pass(0);
      valuesIn(handle);
      await pass(10);
      harness.source.set('a', { spec: { value: 2 } });
      await pass(60_000);
      expect(harness.source.count('list')).toBe(1);
      expect(handle.store.get(a)?.spec).toEqual({ value: 2 });
      expect(recorded.events.map(({ object }) => object.resourceVersion)).toEqual(
        retain === 'lazy' ? ['2', '3'] : ['3'],
      );
    },
  );

  test.each(RETENTIONS)('that is deleted during the fetch stays deleted (%s)', async (retain) => {
    await using harness = new Harness();
    const handle = await harness.synced({ retain });
    spoil(harness, 'a', 1);
    harness.source.set('a', { spec: { value: 1 } });
    await pass(0);
    valuesIn(handle);
    harness.source.remove('a');
    await pass(60_000);
    expect(namesIn(handle)).toEqual([]);
  });

  test('is fetched again if a request does not end', async () => {
    await using harness = new Harness();
    const handle = await harness.synced({ retain: 'object' });
    spoil(harness, 'a', 1);
    harness.source.listScripts.push(silence);
    harness.source.set('a', { spec: { value: 1 } });
    await pass(29_000);
    expect(namesIn(handle)).toEqual([]);
    await pass(3_000);
    expect(valuesIn(handle)).toEqual([1]);
  });

  test('is fetched again by a later read if every fetch failed', async () => {
    await using harness = new Harness();
    const handle = await harness.synced();
    spoil(harness, 'a', Infinity);
    harness.source.set('a', { spec: { value: 1 } });
    await pass(0);
    expect(valuesIn(handle)).toEqual([]);
    await pass(60_000);
    expect(harness.source.count('list')).toBe(4);
    harness.source.toFrame = bytesFrame;
    expect(valuesIn(handle)).toEqual([]);
    await pass(0);
    expect(valuesIn(handle)).toEqual([1]);
  });

  test('is not fetched after its watch has ended', async () => {
    await using harness = new Harness({ linger: 0 });
    const handle = await harness.synced({ retain: 'object' });
    spoil(harness, 'a', Infinity);
    harness.source.set('a', { spec: { value: 1 } });
    await pass(0);
    const before = harness.source.requests.length;
    handle.release();
    await pass(60_000);
    expect(harness.source.requests).toHaveLength(before);
  });
});
