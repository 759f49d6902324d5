import { describe, expect, jest, test } from '@jest/globals';
import { Harness, listing, namesIn, RecordingHandler } from '../testing/harness.test-support.ts';
import {
  cutShort,
  eventually,
  failing,
  objectFrame,
  refused,
  silence,
  statusError,
  Thing,
  thing,
} from '../testing/scripted-source.test-support.ts';
import { pass, stopTheClock } from '../testing/stopped-clock.test-support.ts';

stopTheClock();

describe('reflector: recovery', () => {
  test('RF02 RF04 a release aborts the request, open or opening', async () => {
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

  test('RF10 a rejected watch retries with growing delays up to the limit, without a list', async () => {
    await using harness = new Harness();
    const handle = await harness.synced();
    for (let n = 0; n < 8; n++) harness.source.watchScripts.push(() => failing(refused()));
    await pass(20_000);
    harness.source.cut();
    await pass(3 * 60_000);
    const { requests } = harness.source;
    const [, ...times] = harness.source.times.filter((_at, n) => requests[n]?.verb === 'watch');
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

  test('a list that failed leaves only the timer of its retry', async () => {
    await using harness = listing();
    harness.source.listScripts.push(() => failing(refused()));
    harness.acquire();
    await pass(0);
    expect(harness.source.count('list')).toBe(1);
    expect(jest.getTimerCount()).toBe(1);
  });

  test('RF12 a 429 at connect waits for Retry-After, without a relist', async () => {
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

  test.each([
    ['a year', 31_536_000, 300_000],
    ['invalid text', 'soon', 800],
    ['a negative number', -1, 800],
  ])('RF12 a 429 with a Retry-After of %s is retried', async (_what, asked, after) => {
    await using harness = new Harness();
    const handle = await harness.synced();
    const busy = statusError(429, 'TooManyRequests', { details: { retryAfterSeconds: asked } });
    harness.source.watchScripts.push(() => failing(busy));
    await pass(20_000);
    harness.source.cut();
    await pass(after - 1);
    expect(handle.health.state).toBe('backing-off');
    await pass(1);
    expect(handle.health.state).toBe('live');
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
    expect(harness.lastRequest).toMatchObject({ sendInitialEvents: true });
  });

  test('RF38 a server that always responds 410 gets no tight loop of requests', async () => {
    await using harness = listing();
    await harness.synced();
    const always = () => failing(statusError(410, 'Expired'));
    harness.source.watchScripts.push(...Array.from({ length: 1_000 }, () => always));
    harness.source.fail(410, 'Expired');
    await pass(60_000);
    expect(harness.source.count('watch')).toBeLessThan(25);
  });

  test('RF39 the third instant end without events relists', async () => {
    await using harness = new Harness();
    await harness.synced();
    for (let n = 0; n < 3; n++) harness.source.watchScripts.push(cutShort);
    await pass(20_000);
    harness.source.cut();
    await pass(1_000);
    expect(harness.observer.of('listing')).toEqual(['listing initial', 'listing instant-ends']);
    expect(harness.source.count('watch')).toBe(5);
  });

  test.each([
    ['a refused connection', refused()],
    ['a status', statusError(503, 'ServiceUnavailable')],
  ])('RF39 %s between instant ends leaves their count as it is', async (_what, error) => {
    await using harness = new Harness();
    await harness.synced();
    const { watchScripts } = harness.source;
    watchScripts.push(cutShort, cutShort, () => failing(error), cutShort);
    await pass(20_000);
    harness.source.cut();
    await pass(5_000);
    expect(harness.observer.of('listing')).toEqual(['listing initial', 'listing instant-ends']);
  });

  test.each([
    [9, ['listing initial']],
    [10, ['listing initial', 'listing instant-ends']],
  ])('RF39 connections that break at once without events: %d of them', async (times, lists) => {
    await using harness = new Harness();
    await harness.synced();
    harness.source.watchScripts.push(...Array.from({ length: times }, () => brokenOff));
    await pass(20_000);
    harness.source.cut();
    await pass(60_000);
    expect(harness.observer.of('listing')).toEqual(lists);
  });

  test('RF39 connections that break early after events back off and do not relist', async () => {
    await using harness = new Harness();
    const handle = await harness.synced();
    harness.source.watchScripts.push(
      ...Array.from({ length: 1_000 }, (_, n) => breakingAfter(String(100 + n))),
    );
    await pass(20_000);
    harness.source.cut();
    await pass(20_000);
    expect(harness.source.count('watch')).toBeLessThan(14);
    expect(harness.source.count('watch')).toBeGreaterThan(5);
    expect(harness.observer.of('listing')).toEqual(['listing initial']);
    expect(handle.health.state).toBe('backing-off');
  });

  test('RF41 a silent stream is aborted after 1.5 times the longest bookmark interval, and resumes', async () => {
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

  test('RF41 without bookmarks the stream may be silent until its timeout', async () => {
    await using harness = listing({ random: () => 0 });
    await harness.synced();
    await pass(309_999);
    expect(harness.source.count('watch')).toBe(2);
    // The watchdog fires, then the reconnect waits up to 100 ms.
    await pass(101);
    expect(harness.source.count('watch')).toBe(3);
  });

  test('RF41 a server that sends bookmarks is expected to send one a minute', async () => {
    await using harness = new Harness();
    await harness.synced();
    await pass(94_999);
    expect(harness.source.count('watch')).toBe(1);
    await pass(1);
    expect(harness.source.count('watch')).toBe(2);
    expect(harness.observer.of('listing')).toEqual(['listing initial']);
  });

  test('RF42 a stream that breaks resumes from the last resourceVersion', async () => {
    await using harness = new Harness();
    const handle = await harness.synced();
    harness.source.set('a');
    await pass(20_000);
    harness.source.cut(new Error('truncated'));
    harness.source.set('b');
    await pass(0);
    expect(namesIn(handle)).toEqual(['a', 'b']);
    expect(harness.lastRequest).toMatchObject({ resourceVersion: '2' });
    expect(harness.observer.lines).toContain('restarting broken');
  });

  test('RF46 a loop that throws restarts, is counted, and changes the health', async () => {
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

  test('RF46 an error of the sink during an event restarts the loop with a relist', async () => {
    await using harness = new Harness();
    const handle = await harness.synced();
    const boom = jest.fn(() => {
      throw new Error('boom');
    });
    const trap = Object.defineProperty({}, 'metadata', { get: boom });
    for (const watch of harness.source.openWatches) watch.push([objectFrame('ADDED', trap)]);
    harness.source.set('a');
    await pass(0);
    expect(boom).toHaveBeenCalledTimes(1);
    expect(harness.observer.of('loop')).toEqual(['loop restarted']);
    await pass(800);
    expect(namesIn(handle)).toEqual(['a']);
    expect(harness.source.count('watch')).toBe(2);
  });

  test('RC17 a kind that is not served parks, is live when it is served, and parks again when it is removed', async () => {
    await using harness = new Harness();
    harness.source.set('a');
    const notFound = () => failing(statusError(404, 'NotFound'));
    harness.source.watchScripts.push(notFound);
    harness.source.listScripts.push(notFound);
    const handle = harness.acquire();
    const recorded = new RecordingHandler(handle);
    await pass(0);
    expect(handle.health.state).toBe('parked');
    expect(harness.source.requests).toHaveLength(2);
    await pass(2_000);
    expect(handle.health.state).toBe('live');
    expect(recorded.lines).toEqual(['initial a']);
    harness.source.watchScripts.push(notFound, notFound, notFound);
    harness.source.listScripts.push(notFound, notFound);
    await pass(20_000);
    harness.source.cut();
    await pass(100);
    expect(handle.health.state).toBe('parked');
    expect(recorded.lines).toEqual(['initial a', 'gone a']);
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
    expect(recorded.lines).toEqual(['initial a', 'gone a', 'added a']);
  });

  test('RC17 served() wakes a parked watch at once', async () => {
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

  test('RC17 served() during an attempt causes another attempt', async () => {
    await using harness = listing();
    const response = Promise.withResolvers<void>();
    harness.source.listScripts.push(async function* late() {
      await response.promise;
      yield* failing(statusError(404, 'NotFound'));
    });
    const handle = harness.acquire();
    await eventually(() => harness.source.count('list') === 1);
    harness.cache.served(Thing);
    response.resolve();
    await pass(0);
    expect(handle.health.state).toBe('live');
  });

  test.each(['list', 'watch'] as const)(
    'RC18 a forbidden %s is reported and retried at long intervals',
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

/** A connection that sends one event and breaks. */
function breakingAfter(resourceVersion: string) {
  return async function* () {
    yield { frames: [objectFrame('MODIFIED', thing('hot', { resourceVersion }))], receivedAt: 0 };
    throw new Error('reset');
  };
}

/** Starts a response and breaks. */
async function* brokenOff() {
  yield* cutShort();
  throw new Error('reset');
}
