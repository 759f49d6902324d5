import { describe, expect, test } from '@jest/globals';
import { Harness } from '../testing/harness.test-support.ts';
import { ScriptedSource } from '../testing/scripted-source.test-support.ts';
import { seeded } from '../testing/storm-source.test-support.ts';
import { pass, stopTheClock } from '../testing/stopped-clock.test-support.ts';

stopTheClock();

const WATCHES = 200;

/** Many synced watches of one server, each with its own selector. */
async function manyWatches(
  random = seeded(7),
): Promise<{ source: ScriptedSource } & AsyncDisposable> {
  const source = new ScriptedSource();
  source.set('a');
  const harness = new Harness({ listerWatcher: () => source, random });
  for (let n = 0; n < WATCHES; n++) harness.acquire({ labelSelector: `n=${n}` });
  await pass(0);
  return { source, [Symbol.asyncDispose]: async () => harness.cache.close() };
}

/**
 * The number of requests that started in the busiest millisecond, and the time until the last
 * request.
 */
function requestTimes(times: readonly number[], since: number): { busiest: number; last: number } {
  const perMillisecond = new Map<number, number>();
  for (const time of times) {
    const at = Math.floor(time);
    perMillisecond.set(at, (perMillisecond.get(at) ?? 0) + 1);
  }
  return { busiest: Math.max(...perMillisecond.values()), last: Math.max(...times) - since };
}

describe('reflector: many watches that are cut at once', () => {
  test.each<[string, (source: ScriptedSource) => void]>([
    ['a normal end before the timeout', (source) => source.cut()],
    ['a connection that breaks', (source) => source.cut(new Error('reset'))],
    ['an ERROR event', (source) => source.fail(500, 'InternalError')],
    ['410', (source) => source.fail(410, 'Expired')],
    ['404', (source) => source.fail(404, 'NotFound')],
  ])('reconnect within 100 ms and not in one: %s', async (_name, cut) => {
    await using many = await manyWatches();
    const { source } = many;
    await pass(20_000);
    const before = source.times.length;
    const since = performance.now();
    cut(source);
    await pass(110);
    const times = source.times.slice(before, before + WATCHES);
    expect(times).toHaveLength(WATCHES);
    const { busiest, last } = requestTimes(times, since);
    expect(busiest).toBeLessThanOrEqual(10);
    expect(last).toBeLessThanOrEqual(101);
    expect(source.openWatches.size).toBe(WATCHES);
  });

  test('reconnect within 100 ms and not in one: streams that the watchdog aborts together', async () => {
    await using many = await manyWatches();
    const { source } = many;
    // Bookmarks arrive once a minute, so the watchdogs of all watches fire at once.
    for (let minute = 0; minute < 5; minute++) {
      await pass(60_000);
      if (minute < 4) source.bookmark();
    }
    const before = source.times.length;
    await pass(35_200);
    const times = source.times.slice(before, before + WATCHES);
    expect(times).toHaveLength(WATCHES);
    expect(requestTimes(times, 0).busiest).toBeLessThanOrEqual(10);
  });

  test('a watch that ends at its timeout reconnects at once', async () => {
    await using many = await manyWatches(() => 0);
    const { source } = many;
    expect(source.requests[0]).toMatchObject({ timeoutSeconds: 300 });
    for (let minute = 0; minute < 5; minute++) {
      await pass(60_000);
      source.bookmark();
    }
    const before = source.times.length;
    source.cut();
    await pass(0);
    expect(source.times.length - before).toBe(WATCHES);
  });
});

describe('reflector: a connection that breaks', () => {
  test.each([
    [9_999, 'backing-off'],
    [10_000, 'live'],
  ])('after %d ms leaves the watch %s', async (lived, state) => {
    await using harness = new Harness();
    const handle = await harness.synced();
    await pass(60_000);
    harness.source.cut();
    await pass(200);
    const watches = harness.source.count('watch');
    await pass(lived - 200);
    // The new watch opened within the spread; its age is exact without one.
    expect(harness.source.count('watch')).toBe(watches);
    harness.source.cut(new Error('reset'));
    await pass(0);
    expect(handle.health.state).toBe(state);
  });
});
