import { describe, expect, jest, test } from '@jest/globals';
import { systemClock } from '@keelson/apimachinery';
import type { EventHandlerOptions, InformerEvent } from '../contract/informer-event.ts';
import type { WatchHandle } from '../contract/watch-handle.ts';
import { Harness, listing } from '../testing/harness.test-support.ts';
import type { Store } from '../store/store.ts';
import type { StoredObject } from '../store/stored-object.ts';
import { eventually, silence, Thing } from '../testing/scripted-source.test-support.ts';
import { Registration } from './registration.ts';
import { pass, stopTheClock } from '../testing/stopped-clock.test-support.ts';

stopTheClock();

const MINUTE = 60_000;

/** Adds a handler that records its events since the last reading as texts. */
function resyncing(
  handle: WatchHandle<Thing>,
  options: EventHandlerOptions = { resync: '1m' },
  onEvent: (event: InformerEvent<Thing>) => void = () => undefined,
): { readonly take: () => string[]; readonly remove: () => void } {
  const lines: string[] = [];
  const registration = handle.addEventHandler((event) => {
    const isAgain = event.type === 'updated' && event.previous === event.object;
    lines.push(`${isAgain ? 'again' : event.type} ${event.object.name}`);
    onEvent(event);
  }, options);
  return { take: () => lines.splice(0), remove: () => registration.remove() };
}

function harnessOf(random: number): Harness {
  const harness = new Harness({ random: () => random });
  for (const name of ['a', 'b']) harness.source.set(name);
  return harness;
}

describe('a resync', () => {
  test.each([
    [0, 0.9 * MINUTE],
    [0.5, MINUTE],
    [1, 1.1 * MINUTE],
  ])('with the random number %d calls its handler again after each %d ms', async (random, ms) => {
    await using harness = harnessOf(random);
    const handle = await harness.synced();
    const [once, never] = [resyncing(handle), resyncing(handle, {})];
    await pass(0);
    expect(once.take()).toEqual(['added a', 'added b']);
    for (const _ of [1, 2]) {
      await jest.advanceTimersByTimeAsync(ms - 1);
      expect(once.take()).toEqual([]);
      await jest.advanceTimersByTimeAsync(1);
      expect(once.take()).toEqual(['again a', 'again b']);
    }
    expect(never.take()).toEqual(['added a', 'added b']);
  });

  test('emits the present state of the objects that exist', async () => {
    await using harness = harnessOf(0.5);
    const handle = await harness.synced();
    const versions: string[] = [];
    const handler = resyncing(handle, { resync: MINUTE }, ({ object }) =>
      versions.push(object.resourceVersion),
    );
    harness.source.set('a');
    harness.source.remove('b');
    await harness.caughtUp(handle);
    handler.take();
    await pass(MINUTE);
    expect(handler.take()).toEqual(['again a']);
    expect(versions.at(-1)).toBe(handle.store.views()[0]?.resourceVersion);
  });

  test('of an interval beyond the longest timer comes at its time', async () => {
    await using harness = harnessOf(0.5);
    const handle = await harness.synced();
    // The watch does not reconnect during these hours.
    jest.clearAllTimers();
    const handler = resyncing(handle, { resync: '1000h' });
    await jest.advanceTimersByTimeAsync(1000 * 60 * MINUTE - 1);
    expect(handler.take()).toEqual(['added a', 'added b']);
    await jest.advanceTimersByTimeAsync(1);
    expect(handler.take()).toEqual(['again a', 'again b']);
  });

  test.each([
    ['its handler is removed', (_: WatchHandle, remove: () => void) => remove()],
    ['its handle is released', (handle: WatchHandle) => handle.release()],
  ])('ends without a timer when %s, also in the middle of a round', async (_, end) => {
    await using harness = new Harness({ random: () => 0.5, linger: 0 });
    for (const name of ['a', 'b', 'c']) harness.source.set(name);
    const handle = await harness.synced();
    // A second handle keeps the watch.
    await harness.synced();
    await pass(0);
    const timers = jest.getTimerCount();
    const handler = resyncing(handle, { resync: MINUTE }, ({ type }) => {
      if (type === 'updated') end(handle, handler.remove);
    });
    await pass(0);
    expect(jest.getTimerCount()).toBe(timers + 1);
    await pass(MINUTE);
    expect(handler.take().slice(3)).toEqual(['again a']);
    expect(jest.getTimerCount()).toBe(timers);
  });

  test('waits for the first sync', async () => {
    await using harness = harnessOf(0.5);
    harness.source.watchScripts.push(silence);
    const handler = resyncing(harness.acquire(), { resync: 1_000 });
    await pass(5_000);
    expect(handler.take()).toEqual([]);
    // The silent request ends at its time limit.
    await pass(MINUTE);
    expect(handler.take().slice(0, 3)).toEqual(['added a', 'added b', 'again a']);
  });

  test('waits until a relist that runs in slices is delivered', async () => {
    let leapt = 0;
    // Each reading of the clock takes a whole slice.
    const now = (): number => performance.now() + (leapt += 5);
    await using harness = listing({ random: () => 0.5, now });
    const handle = await harness.synced();
    const handler = resyncing(handle, { resync: 5_000 }, ({ type, object }) => {
      // The resync is due while the handler does not know `b` and `c`.
      if (type === 'added' && object.name === 'a') jest.advanceTimersByTime(5_000);
    });
    await pass(0);
    harness.source.openWatches.clear();
    for (const name of ['a', 'b', 'c']) harness.source.set(name);
    await handle.restart();
    await pass(100);
    const names = ['a', 'b', 'c'];
    const lines = ['added', 'again'].flatMap((type) => names.map((name) => `${type} ${name}`));
    expect(handler.take()).toEqual(lines);
  });

  test('waits until its handler has moved to another watch', async () => {
    await using harness = harnessOf(0.5);
    const { store } = await harness.synced();
    const objects = store.views() as unknown as StoredObject[];
    const lines: string[] = [];
    const registration = new Registration({
      owner: 'test',
      handler: ({ type }) => lines.push(type),
      onRemove: () => undefined,
      clock: { ...systemClock, monotonic: () => 0, random: () => 0.5 },
    });
    registration.moveTo({
      lens: undefined,
      store: { all: () => objects, find: (name: StoredObject) => name } as unknown as Store,
      progress: { isDelivering: false },
      onError: () => undefined,
      onRemove: () => undefined,
    });
    registration.markSynced();
    registration.during({ swallows: () => true });
    registration.resyncEvery(MINUTE);
    await pass(2 * MINUTE);
    expect(lines).toEqual([]);
    registration.during(undefined);
    await pass(100);
    expect(lines).toEqual(['updated', 'updated']);
    registration.remove();
  });

  test('continues with another interval, or ends', async () => {
    await using harness = harnessOf(0.5);
    const handle = await harness.synced();
    const lines: string[] = [];
    const registration = handle.addEventHandler(
      ({ type, key }) => void lines.push(`${type} ${key}`),
    );
    await pass(0);
    const taken = (): string[] => lines.splice(0);
    expect(taken()).toEqual(['added default/a', 'added default/b']);
    const again = ['updated default/a', 'updated default/b'];
    for (const [interval, ms] of [
      ['1m', MINUTE],
      [5_000, 5_000],
      ['2m', 2 * MINUTE],
    ] as const) {
      registration.resyncEvery(interval);
      for (const _ of [1, 2]) {
        await pass(ms - 1);
        expect(taken()).toEqual([]);
        await pass(1);
        expect(taken()).toEqual(again);
      }
    }
    registration.resyncEvery(0);
    await pass(10 * MINUTE);
    expect(taken()).toEqual([]);
    expect(() => registration.resyncEvery('soon' as '1s')).toThrow(/resyncEvery.interval/);
    registration.resyncEvery(MINUTE);
    registration.remove();
    registration.resyncEvery(MINUTE);
    await pass(2 * MINUTE);
    expect(taken()).toEqual([]);
  });

  test('lets the event loop turn between slices', async () => {
    let leapt = 0;
    await using harness = new Harness({
      random: () => 0.5,
      now: () => performance.now() + (leapt += 5),
    });
    for (const name of ['a', 'b', 'c']) harness.source.set(name);
    const handle = await harness.synced();
    const turns: number[] = [];
    let turn = 0;
    const count = (): void => {
      turn += 1;
      if (turns.length < 3) setImmediate(count);
    };
    handle.addEventHandler(({ type }) => void (type === 'updated' && turns.push(turn)), {
      resync: MINUTE,
    });
    await pass(0);
    count();
    jest.advanceTimersByTime(MINUTE);
    await eventually(() => turns.length === 3);
    expect(new Set(turns).size).toBe(3);
  });

  test('of a view emits the objects of its query, before and after a move', async () => {
    await using harness = new Harness({ random: () => 0.5, linger: 0 });
    harness.source.set('a', { metadata: { labels: { app: 'x' } } });
    harness.source.set('b');
    const wide = await harness.synced();
    const narrow = harness.acquire({ labelSelector: 'app=x', projection: 'metadata' });
    await narrow.synced;
    const handler = resyncing(narrow, { resync: MINUTE });
    await pass(MINUTE);
    expect(handler.take()).toEqual(['added a', 'again a']);
    expect(harness.cache.plan().map(({ isView }) => isView)).toEqual([false, true]);
    // The scripted source evaluates no selector: without `b`, the narrow watch equals the view.
    harness.source.remove('b');
    wide.release();
    await eventually(() => harness.cache.plan().every(({ isView }) => !isView));
    await pass(MINUTE);
    expect(handler.take()).toEqual(['again a']);
  });

  test.each<[string, object]>([
    ['addEventHandler.resync', { resync: 'often' }],
    ['addEventHandler.resync', { resync: -1 }],
    ['addEventHandler.resnyc', { resnyc: 1 }],
  ])('with a wrong option throws at once and names %s', async (option, options) => {
    await using harness = new Harness();
    const handle = await harness.synced();
    expect(() => handle.addEventHandler(() => undefined, options)).toThrow(
      expect.objectContaining({
        code: 'INVALID_OPTION',
        facts: expect.objectContaining({ option }),
      }),
    );
  });
});
