import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import {
  objectFrame,
  eventually,
  failing,
  refused,
  silence,
  statusError,
} from './scripted-source.test-support.ts';
import { Harness, namesIn, Told } from './harness.test-support.ts';

beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
});

afterEach(() => {
  jest.useRealTimers();
});

/** Lets everything happen that needs no time, then lets time pass. */
async function pass(milliseconds: number): Promise<void> {
  await jest.advanceTimersByTimeAsync(milliseconds);
  for (let turn = 0; turn < 5; turn++) {
    await new Promise<void>((resolve) => setImmediate(resolve));
    await jest.advanceTimersByTimeAsync(0);
  }
}

/** A harness without WatchList. */
function listing(options: ConstructorParameters<typeof Harness>[0] = {}): Harness {
  const harness = new Harness(options);
  harness.source.supportsWatchList = false;
  return harness;
}

function lastRequest(harness: Harness): unknown {
  return harness.source.requests.at(-1);
}

describe('reflector: requests', () => {
  test('RF08 WatchList: exact options, then from the last resourceVersion', async () => {
    await using harness = new Harness();
    harness.source.set('a');
    await harness.synced();
    expect(harness.source.requests).toEqual([
      {
        verb: 'watch',
        resourceVersion: '',
        resourceVersionMatch: 'NotOlderThan',
        sendInitialEvents: true,
        allowWatchBookmarks: true,
        timeoutSeconds: 600,
      },
    ]);
    harness.source.set('b');
    await pass(20_000);
    harness.source.cut();
    await pass(0);
    expect(lastRequest(harness)).toEqual({
      verb: 'watch',
      resourceVersion: harness.source.version,
      allowWatchBookmarks: true,
      timeoutSeconds: 600,
    });
    expect(harness.source.count('list')).toBe(0);
  });

  test('RF08 list and watch: exact options, then from the last resourceVersion', async () => {
    await using harness = listing();
    harness.source.set('a');
    const handle = await harness.synced();
    expect(harness.source.requests.slice(1)).toEqual([
      { verb: 'list', resourceVersion: '0', limit: 500 },
      { verb: 'watch', resourceVersion: '2', allowWatchBookmarks: true, timeoutSeconds: 600 },
    ]);
    expect(namesIn(handle)).toEqual(['a']);
  });

  test('RF16 limit and continue are on every page', async () => {
    await using harness = listing();
    harness.source.pageSize = 2;
    for (const name of ['a', 'b', 'c', 'd', 'e']) harness.source.set(name);
    const handle = await harness.synced();
    expect(harness.source.requests.slice(1, 4)).toEqual([
      { verb: 'list', resourceVersion: '0', limit: 500 },
      { verb: 'list', continue: '2', limit: 500 },
      { verb: 'list', continue: '4', limit: 500 },
    ]);
    expect(handle.store.size).toBe(5);
  });

  test('RF16 an expired continue token costs one whole list', async () => {
    await using harness = listing();
    harness.source.pageSize = 2;
    for (const name of ['a', 'b', 'c']) harness.source.set(name);
    harness.source.listScripts.push(undefined, () => failing(statusError(410, 'Expired')));
    const handle = await harness.synced();
    expect(harness.source.requests.slice(1, 4)).toEqual([
      { verb: 'list', resourceVersion: '0', limit: 500 },
      { verb: 'list', continue: '2', limit: 500 },
      { verb: 'list', resourceVersion: '0' },
    ]);
    expect(handle.store.size).toBe(3);
  });

  test('RF17 a relist at a concrete resourceVersion is not paged', async () => {
    await using harness = listing();
    await harness.synced();
    harness.source.fail(410, 'Expired');
    await pass(0);
    expect(harness.source.requests.at(-2)).toEqual({ verb: 'list', resourceVersion: '1' });
  });

  test('RF17 a relist is paged where the list at "0" came in pages', async () => {
    await using harness = listing();
    harness.source.pageSize = 1;
    harness.source.set('a');
    harness.source.set('b');
    await harness.synced();
    harness.source.fail(410, 'Expired');
    await pass(0);
    const lists = harness.source.requests.filter(({ verb }) => verb === 'list');
    expect(lists.at(2)).toEqual({ verb: 'list', resourceVersion: '3', limit: 500 });
  });

  test('RF19 lists are at "0", then at the version last seen', async () => {
    await using harness = listing();
    const handle = await harness.synced();
    harness.source.set('a');
    await harness.caughtUp(handle);
    harness.source.fail(410, 'Expired');
    await pass(0);
    const versions = harness.source.requests.flatMap((request) =>
      request.verb === 'list' ? [request.resourceVersion] : [],
    );
    expect(versions).toEqual(['0', harness.source.version]);
  });

  test('RF20 a relist that is told "expired" asks for the newest', async () => {
    await using harness = listing();
    await harness.synced();
    harness.source.listScripts.push(() => failing(statusError(410, 'Expired')));
    harness.source.fail(410, 'Expired');
    await pass(0);
    expect(harness.source.requests.at(-2)).toEqual({
      verb: 'list',
      resourceVersion: '',
      limit: 500,
    });
    expect(harness.observer.of('listing')).toEqual([
      'listing initial',
      'listing initial',
      'listing expired',
      'listing expired',
    ]);
  });

  test.each([
    ['by cause', { details: { causes: [{ reason: 'ResourceVersionTooLarge' }] } }],
    [
      'by the message of a cause',
      { details: { causes: [{ message: 'Too large resource version' }] } },
    ],
    ['by its message', { message: 'Too large resource version: 9, current: 3' }],
  ])('RF22 "too large resource version" %s asks for the newest', async (_name, extra) => {
    await using harness = listing();
    await harness.synced();
    harness.source.listScripts.push(() => failing(statusError(504, 'Timeout', extra)));
    harness.source.fail(410, 'Expired');
    await pass(0);
    expect(harness.source.requests.at(-2)).toEqual({
      verb: 'list',
      resourceVersion: '',
      limit: 500,
    });
    expect(harness.observer.lines).toContain('listing too-large');
  });

  test('RF22 WatchList that is told "too large" asks for the newest', async () => {
    await using harness = new Harness();
    await harness.synced();
    const extra = { details: { causes: [{ reason: 'ResourceVersionTooLarge' }] } };
    harness.source.watchScripts.push(() => failing(statusError(504, 'Timeout', extra)));
    harness.source.fail(410, 'Expired');
    await pass(0);
    const [, refusedOne, last] = harness.source.requests;
    expect(refusedOne).toMatchObject({ sendInitialEvents: true, resourceVersion: '1' });
    expect(last).toMatchObject({ sendInitialEvents: true, resourceVersion: '' });
  });

  test.each([
    [0, 300],
    [0.5, 450],
    [1, 600],
  ])('RF23 timeoutSeconds is uniform from 300 to 600: %d gives %d', async (random, expected) => {
    await using harness = new Harness({ random: () => random });
    await harness.synced();
    expect(lastRequest(harness)).toMatchObject({ timeoutSeconds: expected });
  });
});

describe('reflector: the initial state', () => {
  test('RF28 WatchList without its annotated bookmark is not synced, the store untouched', async () => {
    await using harness = new Harness();
    harness.source.watchScripts.push(async function* (request) {
      yield { frames: [objectFrame('ADDED', thing('a'))], receivedAt: 0 };
      yield {
        frames: [objectFrame('BOOKMARK', thing('', { resourceVersion: '9' }))],
        receivedAt: 0,
      };
      yield* silence(request);
    });
    const handle = harness.acquire();
    await pass(0);
    expect(handle.hasSynced).toBe(false);
    expect(handle.store.size).toBe(0);
    expect(handle.health.state).toBe('syncing');
  });

  test.each(['false', 'TRUE', ''])(
    'RF31 only "true" ends the initial events, not %j',
    async (value) => {
      await using harness = new Harness();
      harness.source.watchScripts.push(async function* (request) {
        const annotations = { 'k8s.io/initial-events-end': value };
        const bookmark = thing('', { resourceVersion: '9', annotations });
        yield { frames: [objectFrame('BOOKMARK', bookmark)], receivedAt: 0 };
        yield* silence(request);
      });
      const handle = harness.acquire();
      await pass(0);
      expect(handle.hasSynced).toBe(false);
    },
  );

  test('RF32 updates and deletes inside the initial stream are folded in', async () => {
    await using harness = new Harness();
    harness.source.watchScripts.push(async function* (request) {
      const annotations = { 'k8s.io/initial-events-end': 'true' };
      yield {
        frames: [
          objectFrame('ADDED', thing('a', { resourceVersion: '1' })),
          objectFrame('ADDED', thing('b', { resourceVersion: '2' })),
          objectFrame('MODIFIED', thing('a', { resourceVersion: '3' })),
          objectFrame('DELETED', thing('b', { resourceVersion: '4' })),
          objectFrame('BOOKMARK', thing('', { resourceVersion: '4', annotations })),
          objectFrame('ADDED', thing('c', { resourceVersion: '5' })),
        ],
        receivedAt: 0,
      };
      yield* silence(request);
    });
    const handle = harness.acquire();
    const told = new Told(handle);
    await handle.synced;
    await pass(0);
    expect(told.lines).toEqual(['initial a', 'added c']);
    expect(handle.store.view({ namespace: 'default', name: 'a' })?.resourceVersion).toBe('3');
    expect(handle.store.resourceVersion).toBe('5');
  });

  test('RF29 WatchList refused falls back to list and watch, and is remembered', async () => {
    await using harness = listing();
    await harness.synced();
    harness.source.fail(410, 'Expired');
    await pass(0);
    expect(harness.source.requests.map(({ verb }) => verb)).toEqual([
      'watch',
      'list',
      'watch',
      'list',
      'watch',
    ]);
    harness.source.supportsWatchList = true;
    await pass(11 * 60_000);
    harness.source.fail(410, 'Expired');
    await pass(0);
    expect(lastRequest(harness)).toMatchObject({ sendInitialEvents: true });
  });

  test('RF30 any other error of WatchList lists in the same cycle', async () => {
    await using harness = new Harness();
    harness.source.watchScripts.push(() => failing(statusError(500, 'InternalError')));
    await harness.synced();
    expect(harness.source.requests.map(({ verb }) => verb)).toEqual(['watch', 'list', 'watch']);
    harness.source.fail(410, 'Expired');
    await pass(0);
    expect(lastRequest(harness)).toMatchObject({ sendInitialEvents: true });
  });

  test('RF33 WatchList answered 429 three times is asked again with backoff, no list', async () => {
    await using harness = new Harness();
    for (let n = 0; n < 3; n++) {
      harness.source.watchScripts.push(() => failing(statusError(429, 'TooManyRequests')));
    }
    const handle = harness.acquire();
    await pass(0);
    expect(handle.health.state).toBe('backing-off');
    await pass(800 + 1_600 + 3_200);
    await harness.caughtUp(handle);
    expect(harness.source.times).toEqual(
      [0, 800, 2_400, 5_600].map((at) => expect.closeTo(at + (harness.source.times[0] ?? 0), 0)),
    );
    expect(harness.source.count('list')).toBe(0);
  });

  test('RF35 410 on an established stream keeps the content readable and begins a new cycle', async () => {
    await using harness = new Harness();
    harness.source.set('a');
    const handle = await harness.synced();
    harness.source.watchScripts.push(silence);
    harness.source.fail(410, 'Expired');
    await pass(0);
    expect(namesIn(handle)).toEqual(['a']);
    expect(harness.observer.lines).toContain('listing expired');
    expect(lastRequest(harness)).toMatchObject({ sendInitialEvents: true, resourceVersion: '2' });
  });

  test('RF40 WatchList whose bookmark never comes falls back to list within 10 s', async () => {
    await using harness = new Harness();
    harness.source.set('a');
    harness.source.watchScripts.push(silence);
    const handle = harness.acquire();
    await pass(9_999);
    expect(harness.source.count('list')).toBe(0);
    await pass(1);
    expect(namesIn(handle)).toEqual(['a']);
    expect(harness.source.openRequests).toBe(1);
  });

  test('RF40 a busy WatchList without its bookmark falls back within two minutes', async () => {
    await using harness = new Harness();
    harness.source.watchScripts.push(async function* ({ signal }) {
      for (let n = 0; ; n++) {
        signal.throwIfAborted();
        yield { frames: [objectFrame('MODIFIED', thing('a'))], receivedAt: n };
        await new Promise((resolve) => setTimeout(resolve, 5_000));
      }
    });
    const handle = harness.acquire();
    await pass(130_000);
    expect(handle.hasSynced).toBe(true);
    expect(harness.source.count('list')).toBe(1);
  });

  test('RF40 a WatchList cut short more than twice gives way to list', async () => {
    await using harness = new Harness();
    for (let n = 0; n < 3; n++) harness.source.watchScripts.push(cutShort);
    const handle = harness.acquire();
    await pass(1_000);
    expect(handle.hasSynced).toBe(true);
    expect(harness.source.requests.map(({ verb }) => verb)).toEqual([
      'watch',
      'watch',
      'watch',
      'list',
      'watch',
    ]);
  });
});

describe('reflector: changes', () => {
  test('RF06 events reach the store; what is no object of the kind is counted and skipped', async () => {
    await using harness = new Harness();
    const handle = await harness.synced();
    harness.source.set('a');
    harness.source.set('b');
    harness.source.set('b', { spec: { value: 2 } });
    harness.source.remove('a');
    await harness.caughtUp(handle);
    const version = harness.source.version;
    for (const watch of harness.source.openWatches) {
      watch.push([
        objectFrame('ADDED', { ...thing('x'), kind: 'Other' }),
        objectFrame('ADDED', { kind: 'Thing' }),
        objectFrame('ADDED', undefined),
      ]);
    }
    await pass(0);
    expect(harness.observer.of('skipped')).toEqual([
      'skipped other-kind',
      'skipped no-metadata',
      'skipped no-metadata',
    ]);
    expect(namesIn(handle)).toEqual(['b']);
    expect(handle.store.resourceVersion).toBe(version);
  });

  test('RF24 SI42 the resourceVersion follows add, update, delete, bookmark and relist', async () => {
    await using harness = new Harness();
    const handle = await harness.synced();
    const seen: string[] = [];
    for (const change of [
      () => harness.source.set('a'),
      () => harness.source.set('a', { spec: { value: 1 } }),
      () => harness.source.remove('a'),
      () => harness.source.bookmark({ resourceVersion: '77' }),
      () => harness.source.fail(410, 'Expired'),
    ]) {
      change();
      await pass(0);
      seen.push(handle.store.resourceVersion);
    }
    expect(seen).toEqual(['2', '3', '4', '77', '4']);
  });

  test('RF25 an ERROR event ends the watch and relists; what vanished is removed', async () => {
    await using harness = new Harness();
    harness.source.set('a');
    harness.source.set('b');
    const handle = await harness.synced();
    const told = new Told(handle);
    await told.registration.synced;
    await pass(20_000);
    for (const watch of harness.source.openWatches) {
      watch.push([objectFrame('ERROR', { kind: 'Status', code: 500, reason: 'InternalError' })]);
    }
    await pass(0);
    expect(harness.observer.of('listing')).toEqual(['listing initial', 'listing error']);
    expect(told.lines).toEqual(['initial a', 'initial b']);
    // The deletion happens where no stream is open to tell of it.
    harness.source.watchScripts.push(() => failing(statusError(410, 'Expired')));
    await pass(20_000);
    harness.source.cut();
    harness.source.remove('a');
    await pass(0);
    expect(told.lines).toEqual(['initial a', 'initial b', 'gone a']);
  });

  test('RF26 objects of list, watch and WatchList are transformed exactly once', async () => {
    for (const supportsWatchList of [true, false]) {
      await using harness = new Harness();
      harness.source.supportsWatchList = supportsWatchList;
      harness.source.set('a');
      const seen: string[] = [];
      const transform = {
        name: 'mark',
        apply: (object: { metadata?: { name?: string; resourceVersion?: string } }) => {
          seen.push(`${object.metadata?.name} ${object.metadata?.resourceVersion}`);
          return { ...object, spec: { node: 'marked' } };
        },
      };
      const handle = await harness.synced({ transform });
      harness.source.set('b');
      await harness.caughtUp(handle);
      harness.source.fail(410, 'Expired');
      await pass(0);
      expect(seen).toEqual(['a 2', 'b 3']);
      expect(handle.store.list().map(({ spec }) => spec?.node)).toEqual(['marked', 'marked']);
    }
  });

  test('RF27 a Table answer is an error', async () => {
    await using harness = listing();
    harness.source.listScripts.push(async function* () {
      yield { frames: [objectFrame('ADDED', { kind: 'Table' })], receivedAt: 0, listMetadata: {} };
    });
    const handle = harness.acquire();
    await pass(0);
    expect(handle.health.lastError).toMatchObject({ code: 'TABLE_ANSWER' });
    expect(handle.hasSynced).toBe(false);
  });
});

describe('reflector: recovery', () => {
  test('RF02 RF04 a release ends the request, open or opening', async () => {
    await using harness = new Harness({ linger: 0 });
    (await harness.synced()).release();
    await eventually(() => harness.source.openRequests === 0);
    harness.source.supportsWatchList = false;
    harness.source.listScripts.push(silence);
    const opening = harness.acquire();
    await eventually(() => harness.source.count('list') === 1);
    opening.release();
    await eventually(() => harness.source.openRequests === 0);
    harness.acquire().release();
    await pass(60_000);
    expect(harness.source.openRequests).toBe(0);
    expect(jest.getTimerCount()).toBe(0);
  });

  test('RF10 a refused watch is tried with growing delays, flat at the cap, and never listed', async () => {
    await using harness = new Harness();
    const handle = await harness.synced();
    for (let n = 0; n < 8; n++) harness.source.watchScripts.push(() => failing(refused()));
    await pass(20_000);
    harness.source.cut();
    await pass(10 * 60_000);
    const [, ...times] = harness.source.times;
    const delays = times.slice(1).map((at, n) => Math.round(at - (times[n] ?? 0)));
    expect(delays).toEqual([800, 1_600, 3_200, 6_400, 12_800, 25_600, 30_000, 30_000]);
    expect(harness.observer.of('listing')).toEqual(['listing initial']);
    expect(handle.health.state).toBe('live');
  });

  test('RF11 one backoff serves list and watch', async () => {
    await using harness = listing();
    harness.source.listScripts.push(() => failing(refused()));
    harness.source.watchScripts.push(undefined, () => failing(refused()));
    harness.acquire();
    await pass(60_000);
    const [, failed, again, watch, watchAgain] = harness.source.times;
    expect(Math.round((again ?? 0) - (failed ?? 0))).toBe(800);
    expect(Math.round((watchAgain ?? 0) - (watch ?? 0))).toBe(1_600);
  });

  test('RF12 a 429 at the opening waits as long as the server asks, without a relist', async () => {
    await using harness = new Harness();
    const handle = await harness.synced();
    const busy = statusError(429, 'TooManyRequests', { details: { retryAfterSeconds: 17 } });
    harness.source.watchScripts.push(() => failing(busy));
    await pass(20_000);
    harness.source.cut();
    await pass(0);
    expect(handle.health).toMatchObject({
      state: 'backing-off',
      reason: 'the server asked to wait',
    });
    const before = harness.source.requests.length;
    await pass(16_999);
    expect(harness.source.requests).toHaveLength(before);
    await pass(1);
    expect(handle.health.state).toBe('live');
    expect(harness.observer.of('listing')).toEqual(['listing initial']);
    expect(harness.observer.lines).toContain('restarting throttled');
  });

  test('RF38 410 as an HTTP status at connect relists at once', async () => {
    await using harness = new Harness();
    harness.source.set('a');
    const handle = await harness.synced();
    await pass(20_000);
    harness.source.cut();
    harness.source.remove('a');
    harness.source.set('b');
    harness.source.compact();
    await pass(0);
    expect(namesIn(handle)).toEqual(['b']);
    expect(harness.source.requests.at(-2)).toMatchObject({ resourceVersion: '2' });
    expect(lastRequest(harness)).toMatchObject({ sendInitialEvents: true });
  });

  test('RF38 a server that says 410 for ever is not asked in a tight loop', async () => {
    await using harness = listing();
    await harness.synced();
    const always = () => failing(statusError(410, 'Expired'));
    harness.source.watchScripts.push(...Array.from({ length: 1_000 }, () => always));
    harness.source.fail(410, 'Expired');
    await pass(60_000);
    expect(harness.source.count('watch')).toBeLessThan(25);
  });

  test('RF39 the third instant end without a word relists', async () => {
    await using harness = new Harness();
    await harness.synced();
    for (let n = 0; n < 3; n++) harness.source.watchScripts.push(wordless);
    await pass(20_000);
    harness.source.cut();
    await pass(1_000);
    expect(harness.observer.of('listing')).toEqual(['listing initial', 'listing eof-storm']);
    expect(harness.source.count('watch')).toBe(5);
  });

  test('RF39 connections that die young but speak are backed off and never relisted', async () => {
    await using harness = new Harness();
    const handle = await harness.synced();
    harness.source.watchScripts.push(
      ...Array.from({ length: 1_000 }, (_, n) => dyingAfter(String(100 + n))),
    );
    await pass(20_000);
    harness.source.cut();
    await pass(20_000);
    expect(harness.source.count('watch')).toBeLessThan(14);
    expect(harness.source.count('watch')).toBeGreaterThan(5);
    expect(harness.observer.of('listing')).toEqual(['listing initial']);
    expect(handle.health.state).toBe('backing-off');
  });

  test('RF41 a silent stream is given up after the longest bookmark interval and a half, and resumed', async () => {
    await using harness = new Harness();
    const handle = await harness.synced();
    for (let n = 0; n < 4; n++) {
      await pass(60_000);
      harness.source.bookmark();
    }
    const [stalled] = harness.source.openWatches;
    harness.source.openWatches.clear();
    harness.source.set('missed');
    await pass(94_999);
    expect(harness.source.count('watch')).toBe(1);
    await pass(1);
    expect(stalled).toBeDefined();
    expect(harness.source.requests.at(-1)).toMatchObject({ resourceVersion: '1' });
    expect(namesIn(handle)).toEqual(['missed']);
    expect(harness.observer.lines.slice(-3)).toEqual([
      'health stale',
      'restarting idle',
      'health live',
    ]);
    expect(harness.observer.of('listing')).toEqual(['listing initial']);
  });

  test('RF41 a bookmark resets the watchdog, and so does any received byte', async () => {
    await using harness = new Harness();
    await harness.synced();
    for (let n = 0; n < 4; n++) {
      await pass(1_000);
      harness.source.bookmark();
    }
    for (let n = 0; n < 20; n++) {
      await pass(6_000);
      for (const watch of harness.source.openWatches) watch.push([]);
    }
    expect(harness.source.count('watch')).toBe(1);
    await pass(6_500);
    expect(harness.source.count('watch')).toBe(2);
  });

  test('RF41 without bookmarks the stream is trusted until it should have ended', async () => {
    await using harness = new Harness({ random: () => 0 });
    await harness.synced();
    await pass(309_999);
    expect(harness.source.count('watch')).toBe(1);
    await pass(1);
    expect(harness.source.count('watch')).toBe(2);
  });

  test('RF42 a stream that breaks is resumed from the last resourceVersion', async () => {
    await using harness = new Harness();
    const handle = await harness.synced();
    harness.source.set('a');
    await pass(20_000);
    harness.source.cut(new Error('truncated'));
    harness.source.set('b');
    await pass(0);
    expect(namesIn(handle)).toEqual(['a', 'b']);
    expect(lastRequest(harness)).toMatchObject({ resourceVersion: '2' });
    expect(harness.observer.lines).toContain('restarting broken');
  });

  test('RF46 a loop that throws is restarted, counted, and its health says so', async () => {
    let isBroken = true;
    await using harness = new Harness({
      listerWatcher: () => {
        if (isBroken) throw new Error('boom');
        return harness.source;
      },
    });
    const handle = harness.acquire();
    await pass(0);
    expect(harness.observer.of('loop')).toEqual(['loop restarted']);
    expect(handle.health).toMatchObject({ state: 'backing-off', attempts: 1 });
    expect(handle.health.lastError?.message).toBe('boom');
    isBroken = false;
    harness.source.set('a');
    await pass(800);
    expect(namesIn(handle)).toEqual(['a']);
    expect(handle.health.state).toBe('live');
    expect(harness.observer.lines).toContain('listing restart');
  });

  test('RF46 what our own side throws while events are taken restarts the loop with a relist', async () => {
    await using harness = new Harness();
    const handle = await harness.synced();
    const boom = jest.spyOn(harness.observer, 'skipped').mockImplementationOnce(() => {
      throw new Error('boom');
    });
    for (const watch of harness.source.openWatches) watch.push([objectFrame('ADDED', {})]);
    harness.source.set('a');
    await pass(0);
    expect(boom).toHaveBeenCalledTimes(1);
    expect(harness.observer.of('loop')).toEqual(['loop restarted']);
    await pass(800);
    expect(namesIn(handle)).toEqual(['a']);
    expect(harness.source.count('watch')).toBe(2);
  });

  test('RC17 a kind that is not served parks, goes live when it is, and parks again when it is gone', async () => {
    await using harness = new Harness();
    harness.source.set('a');
    const notFound = () => failing(statusError(404, 'NotFound'));
    harness.source.watchScripts.push(notFound);
    harness.source.listScripts.push(notFound);
    const handle = harness.acquire();
    const told = new Told(handle);
    await pass(0);
    expect(handle.health.state).toBe('parked');
    expect(harness.source.requests).toHaveLength(2);
    await pass(2_000);
    expect(handle.health.state).toBe('live');
    expect(told.lines).toEqual(['initial a']);
    harness.source.watchScripts.push(notFound, notFound, notFound);
    harness.source.listScripts.push(notFound, notFound);
    await pass(20_000);
    harness.source.cut();
    await pass(100);
    expect(handle.health.state).toBe('parked');
    expect(told.lines).toEqual(['initial a', 'gone a']);
    expect(handle.store.size).toBe(0);
    harness.cache.served({
      group: 'example.com',
      version: 'v1',
      plural: 'things',
      kind: 'Thing',
      namespaced: true,
    });
    await pass(0);
    expect(handle.health.state).toBe('parked');
    await pass(10_000);
    expect(handle.health.state).toBe('live');
    expect(told.lines).toEqual(['initial a', 'gone a', 'added a']);
  });

  test('RC17 news that the kind is served wakes a parked watch at once', async () => {
    await using harness = new Harness();
    const notFound = () => failing(statusError(404, 'NotFound'));
    harness.source.watchScripts.push(notFound);
    harness.source.listScripts.push(notFound);
    const handle = harness.acquire();
    await pass(0);
    harness.cache.served({
      group: 'example.com',
      version: 'v1',
      plural: 'things',
      kind: 'Thing',
      namespaced: true,
    });
    await pass(0);
    expect(handle.health.state).toBe('live');
  });

  test.each(['list', 'watch'] as const)(
    'RC18 a forbidden %s says so and is asked again slowly',
    async (verb) => {
      await using harness = listing();
      const forbidden = () => failing(statusError(403, 'Forbidden'));
      if (verb === 'list') harness.source.listScripts.push(forbidden, forbidden);
      else harness.source.watchScripts.push(undefined, forbidden, forbidden);
      const handle = harness.acquire();
      await pass(0);
      expect(handle.health).toMatchObject({ state: 'forbidden', verb });
      expect(handle.health.reason).toContain(`not allow to ${verb} example.com/v1/things`);
      await pass(1_999);
      expect(handle.health.attempts).toBe(1);
      await pass(10_000);
      expect(handle.health.state).toBe('live');
    },
  );
});

function thing(name: string, metadata: object = {}): object {
  return {
    apiVersion: 'example.com/v1',
    kind: 'Thing',
    metadata: { name, namespace: 'default', uid: `uid-${name}`, resourceVersion: '1', ...metadata },
  };
}

async function* cutShort(): AsyncGenerator<{ frames: never[]; receivedAt: number }> {
  yield { frames: [], receivedAt: 0 };
}

const wordless = cutShort;

/** A connection that tells one thing and dies. */
function dyingAfter(resourceVersion: string) {
  return async function* () {
    yield { frames: [objectFrame('MODIFIED', thing('hot', { resourceVersion }))], receivedAt: 0 };
    throw new Error('reset');
  };
}
