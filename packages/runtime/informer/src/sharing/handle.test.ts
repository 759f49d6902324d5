import { describe, expect, jest, test } from '@jest/globals';
import { array, assert, asyncProperty, constantFrom, record } from 'fast-check';
import { createInformerCache } from '../cache/informer-cache.ts';
import type { WatchHandle } from '../contract/watch-handle.ts';
import { Harness, namesIn, RecordingHandler, withCode } from '../testing/harness.test-support.ts';
import {
  a,
  bytesFrame,
  eventually,
  failing,
  Other,
  refused,
  ScriptedSource,
  silence,
  Thing,
} from '../testing/scripted-source.test-support.ts';
import { pass, stopTheClock } from '../testing/stopped-clock.test-support.ts';

/** The share of the random runs: a tenth in `npm test`, all in `.ci/run`. */
const multiple = Number(process.env['KEELSON_RUNS'] ?? 1);

/** A kind like Thing, with its own scripted source. */
const Thing2 = { ...Thing, plural: 'things2' };

describe('handles', () => {
  test('RC01 ten handles of one kind share one watch', async () => {
    await using harness = new Harness();
    harness.source.set('a');
    const handles = await Promise.all(Array.from({ length: 10 }, () => harness.synced()));
    expect(handles.map(namesIn)).toEqual(Array.from({ length: 10 }, () => ['a']));
    expect(harness.source.requests).toHaveLength(1);
    expect(harness.cache.inventory()).toHaveLength(1);
  });

  test('RC02 the watch ends with its last handle, and a double release does not affect another handle', async () => {
    await using harness = new Harness({ linger: 0 });
    const [first, second] = [await harness.synced(), await harness.synced()];
    first.release();
    first.release();
    first[Symbol.dispose]();
    await eventually(() => harness.source.openWatches.size === 1);
    expect(second.hasSynced).toBe(true);
    second.release();
    await eventually(() => harness.source.openRequests === 0);
    second.release();
    expect(harness.cache.inventory()).toEqual([]);
  });

  test('RC04 a release before the sync rejects the waiting promises with a code', async () => {
    await using harness = new Harness();
    harness.source.watchScripts.push(silence);
    const handle = harness.acquire();
    const recorded = new RecordingHandler(handle);
    handle.release();
    await expect(handle.synced).rejects.toEqual(withCode('HANDLE_RELEASED'));
    await expect(recorded.registration.synced).rejects.toEqual(withCode('REGISTRATION_REMOVED'));
    expect(() => handle.addEventHandler(() => undefined)).toThrow(withCode('HANDLE_RELEASED'));
  });

  test('RC07 a new acquire during the linger sends no request', async () => {
    await using harness = new Harness();
    (await harness.synced()).release();
    harness.source.set('a');
    const again = await harness.synced();
    expect(namesIn(again)).toEqual(['a']);
    expect(harness.source.requests).toHaveLength(1);
    expect(harness.observer.of('linger')).toEqual(['linger reused']);
  });

  test('SI18 a cache closes before its first watch, and in the turn that acquires one', async () => {
    await createInformerCache({ listerWatcher: () => new ScriptedSource() }).close();
    const harness = new Harness();
    const handle = harness.acquire();
    await harness.cache.close();
    await expect(handle.synced).rejects.toEqual(withCode('CACHE_CLOSED'));
    expect(harness.source.openRequests).toBe(0);
  });

  test('SI14 acquire, get and waitForSync on a closed cache throw with a code', async () => {
    const harness = new Harness();
    await harness.cache.close();
    expect(() => harness.acquire()).toThrow(withCode('CACHE_CLOSED'));
    expect(() => harness.cache.get(Thing, a)).toThrow(withCode('CACHE_CLOSED'));
    await expect(harness.cache.waitForSync()).rejects.toEqual(withCode('CACHE_CLOSED'));
  });

  test('RC10 a third and a fourth handler each receive a snapshot; the first is not replayed', async () => {
    await using harness = new Harness();
    harness.source.set('a');
    const handle = await harness.synced();
    const recorded = [new RecordingHandler(handle), new RecordingHandler(handle)];
    await eventually(() => recorded.every(({ registration }) => registration.hasSynced));
    harness.source.set('b');
    await harness.caughtUp(handle);
    recorded.push(new RecordingHandler(handle), new RecordingHandler(handle));
    await Promise.all(recorded.map(({ registration }) => registration.synced));
    expect(recorded.map(({ lines }) => lines)).toEqual([
      ['initial a', 'added b'],
      ['initial a', 'added b'],
      ['initial a', 'initial b'],
      ['initial a', 'initial b'],
    ]);
  });

  test('RC11 acquire returns at once although the server hangs, and another kind is not delayed', async () => {
    const [hanging, healthy] = [new ScriptedSource(), new ScriptedSource()];
    hanging.watchScripts.push(silence);
    await using cache = createInformerCache({
      listerWatcher: ({ resource }) => (resource.kind === 'Thing' ? hanging : healthy),
    });
    const stuck = cache.acquire({ resource: Thing }, { owner: 'test' });
    await cache.acquire({ resource: Other }, { owner: 'test' }).synced;
    expect(stuck.hasSynced).toBe(false);
  });

  test('RC12 a release during a replay of 10 000 objects stops the replay', async () => {
    await using harness = new Harness();
    for (let n = 0; n < 10_000; n++) harness.source.set(`o${n}`);
    const [other, released] = [await harness.synced(), await harness.synced()];
    const recorded = new RecordingHandler(released, () => {
      if (recorded.events.length === 100) released.release();
    });
    const remaining = new RecordingHandler(other);
    await remaining.registration.synced;
    expect(recorded.events).toHaveLength(100);
  });
});

describe('handles, with a stopped clock', () => {
  stopTheClock();

  test('RC03 the last release ends the request, frees the store, clears the timers, notifies the observer', async () => {
    await using harness = new Harness();
    harness.source.toFrame = bytesFrame;
    harness.source.set('a');
    const handle = await harness.synced();
    handle.store.get(a);
    handle.release();
    expect(harness.cache.inventory()).toMatchObject([{ handles: [] }]);
    await pass(9_999);
    expect(harness.source.openRequests).toBe(1);
    await pass(1);
    await eventually(() => harness.source.openRequests === 0);
    expect(harness.cache.inventory()).toEqual([]);
    expect(jest.getTimerCount()).toBe(0);
    expect(harness.observer.lines.slice(-2)).toEqual(['health stopped', 'stopped']);
    expect(handle.health.state).toBe('stopped');
  });

  test('RC05 RC15 acquire, release and the end of the linger in any order leave one running informer and no orphan', async () => {
    const action = record({
      does: constantFrom('acquire', 'acquire', 'release', 'turn', 'wait'),
      which: constantFrom(0, 1, 2, 3),
    });
    await assert(
      asyncProperty(array(action, { maxLength: 40 }), async (actions) => {
        await using harness = new Harness({ linger: 1_000 });
        harness.source.set('a');
        const held: { handle: WatchHandle<Thing>; recorded: RecordingHandler }[] = [];
        const gone: { recorded: RecordingHandler; received: number }[] = [];
        for (const { does, which } of actions) {
          if (does === 'acquire') {
            const handle = harness.acquire();
            held.push({ handle, recorded: new RecordingHandler(handle) });
          } else if (does === 'release') {
            const [out] = held.splice(which, 1);
            out?.handle.release();
            out?.handle.release();
            if (out !== undefined)
              gone.push({ recorded: out.recorded, received: out.recorded.events.length });
          } else if (does === 'turn') {
            await new Promise((resolve) => setImmediate(resolve));
          } else {
            await pass((which + 1) * 250);
          }
          expect(harness.cache.inventory().length).toBeLessThanOrEqual(1);
          expect(harness.source.openWatches.size).toBeLessThanOrEqual(2);
        }
        harness.source.set('b');
        await Promise.all(held.map(({ recorded }) => recorded.registration.synced));
        await eventually(() => held.every(({ handle }) => handle.store.size === 2));
        for (const { recorded } of held)
          expect(recorded.lines.map((line) => line.slice(-1)).toSorted()).toEqual(['a', 'b']);
        for (const { recorded, received } of gone) expect(recorded.events).toHaveLength(received);
        for (const { handle } of held) handle.release();
        await pass(1_000);
        expect(harness.source.openRequests).toBe(0);
        expect(harness.cache.inventory()).toEqual([]);
      }),
      { numRuns: Math.ceil(200 * multiple) },
    );
  });

  test('RC08 SI18 close does not linger and leaves no timers or requests', async () => {
    const harness = new Harness();
    const [live, lingering] = [
      await harness.synced(),
      await harness.synced({ namespace: 'x', sharing: 'exact' }),
    ];
    lingering.release();
    harness.source.watchScripts.push(() => failing(refused()));
    harness.acquire({ namespace: 'y', sharing: 'exact' });
    await eventually(() => harness.source.requests.length === 3);
    await harness.cache.close();
    await harness.cache.close();
    expect(harness.source.openRequests).toBe(0);
    expect(jest.getTimerCount()).toBe(0);
    expect(live.health.state).toBe('stopped');
  });

  test('RC19 a kind that fails for ten minutes does not affect another kind', async () => {
    const [failed, healthy] = [new ScriptedSource(), new ScriptedSource()];
    failed.watchScripts.push(...Array.from({ length: 1_000 }, () => () => failing(refused())));
    await using cache = createInformerCache({
      listerWatcher: ({ resource }) => (resource.plural === 'things' ? failed : healthy),
    });
    const bad = cache.acquire({ resource: Thing }, { owner: 'test' });
    const good = cache.acquire({ resource: Thing2 }, { owner: 'test' });
    await good.synced;
    for (let minute = 0; minute < 10; minute++) {
      await pass(60_000);
      healthy.set(`o${minute}`);
      await eventually(() => good.store.resourceVersion === healthy.version);
    }
    expect(bad.health.state).toBe('backing-off');
    expect(failed.requests.length).toBeLessThan(90);
    expect(healthy.requests.length).toBeLessThan(4);
  });
});
