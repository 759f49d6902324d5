import { getEventListeners } from 'node:events';
import { describe, expect, test } from '@jest/globals';
import { Harness, listing, RecordingHandler, withCode } from '../testing/harness.test-support.ts';
import { eventually, failing, refused, silence } from '../testing/scripted-source.test-support.ts';
import { stopTheClock } from '../testing/stopped-clock.test-support.ts';

describe('restart of a handle', () => {
  test.each([
    ['WatchList', true],
    ['LIST', false],
  ])('lists again by %s and emits only the differences to every handle', async (_, watchList) => {
    await using harness = watchList ? new Harness() : listing();
    for (const name of ['a', 'b', 'c']) harness.source.set(name);
    const handles = [await harness.synced(), harness.acquire()] as const;
    const recorded = handles.map((handle) => new RecordingHandler(handle));
    for (const { registration } of recorded) await registration.synced;
    // A restart during the first list would share that list.
    await eventually(() => handles[0].health.state === 'live');
    const errors = harness.observer.errors.length;
    const lists = harness.observer.of('listing').length;
    // The watch loses its events without an error.
    harness.source.openWatches.clear();
    harness.source.set('b');
    harness.source.remove('c');
    await handles[0].restart();
    const initial = ['initial a', 'initial b', 'initial c'];
    for (const { lines } of recorded) {
      expect(lines.slice(0, 3)).toEqual(initial);
      expect(lines.slice(3).toSorted()).toEqual(['gone c', 'updated b']);
    }
    expect(harness.observer.of('listing').slice(lists)).toEqual(['listing requested']);
    expect(harness.observer.errors).toHaveLength(errors);
    expect(harness.observer.of('health').at(-1)).toBe('health live');
    await eventually(() => harness.source.openWatches.size === 1, 'one watch');
  });

  test('shares one list among calls at the same time', async () => {
    await using harness = new Harness();
    harness.source.set('a');
    const handles = [await harness.synced(), harness.acquire()] as const;
    const restarts = handles.flatMap((handle) => [handle.restart(), handle.restart()]);
    await Promise.all(restarts);
    expect(harness.observer.of('listing requested')).toHaveLength(1);
    await handles[1].restart();
    expect(harness.observer.of('listing requested')).toHaveLength(2);
  });

  test.each([
    ['WatchList', true],
    ['LIST', false],
  ])('is syncing from the call to the end of the list, by %s', async (_, watchList) => {
    await using harness = watchList ? new Harness() : listing();
    const handle = await harness.synced();
    await eventually(() => handle.health.state === 'live');
    for (const round of [1, 2]) {
      const seen = harness.observer.of('health').length;
      await handle.restart();
      await eventually(() => handle.health.state === 'live');
      const states = harness.observer.of('health').slice(seen);
      expect([round, states]).toEqual([round, ['health syncing', 'health live']]);
    }
  });

  test('waits for the first list', async () => {
    await using harness = new Harness();
    const handle = harness.acquire();
    await handle.restart();
    expect(handle.hasSynced).toBe(true);
    expect(harness.observer.of('listing')).toEqual(['listing initial']);
  });

  test.each([
    ['HANDLE_RELEASED', (harness: Harness) => harness.cache.inventory(), true],
    ['CACHE_CLOSED', async (harness: Harness) => harness.cache.close(), false],
  ] as const)('rejects with %s', async (code, act, releases) => {
    await using harness = new Harness();
    const handle = await harness.synced();
    const other = harness.acquire();
    harness.source.watchScripts.push(silence);
    const ended = expect(handle.restart()).rejects.toEqual(withCode(code));
    const staying = other.restart();
    staying.catch(() => undefined);
    if (releases) handle.release();
    await act(harness);
    await ended;
    if (releases) await expect(handle.restart()).rejects.toEqual(withCode(code));
  });

  test('rejects with the reason of the signal, and leaves no listener', async () => {
    await using harness = new Harness();
    const handle = await harness.synced();
    const abort = new AbortController();
    await handle.restart({ signal: abort.signal });
    expect(getEventListeners(abort.signal, 'abort')).toEqual([]);
    harness.source.watchScripts.push(silence);
    const waiting = handle.restart({ signal: abort.signal });
    abort.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    expect(getEventListeners(abort.signal, 'abort')).toEqual([]);
    await expect(handle.restart({ signal: abort } as object)).rejects.toEqual(
      withCode('INVALID_OPTION'),
    );
  });
});

describe('restart of a watch that backs off', () => {
  stopTheClock();

  test('ends the delay', async () => {
    await using harness = new Harness();
    const handle = await harness.synced();
    harness.source.watchScripts.push(() => failing(refused()));
    harness.leap();
    harness.source.cut();
    await eventually(() => handle.health.state === 'backing-off', 'the backoff');
    await handle.restart();
    expect(handle.health.state).toBe('live');
  });
});
