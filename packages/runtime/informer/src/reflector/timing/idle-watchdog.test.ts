import { describe, expect, test } from '@jest/globals';
import { Harness } from '../../testing/harness.test-support.ts';
import { pass, stopTheClock } from '../../testing/stopped-clock.test-support.ts';

describe('lastEventAge of the inventory', () => {
  stopTheClock();

  test('returns the milliseconds since the server last sent data', async () => {
    await using harness = new Harness();
    harness.acquire();
    const age = (): number | undefined => harness.cache.inventory()[0]?.lastEventAge;
    expect(age()).toBeUndefined();
    await pass(0);
    await pass(5_000);
    expect(age()).toBe(5_000);
    harness.source.set('a');
    await pass(0);
    expect(age()).toBe(0);
  });
});

describe('the time that a stream may be silent', () => {
  stopTheClock();

  test.each([
    { bookmarks: 1, silence: 95_000 },
    { bookmarks: 2, silence: 20_000 },
    { bookmarks: 3, silence: 20_000 },
  ])(
    'after $bookmarks bookmarks in steps of 10 s is $silence ms',
    async ({ bookmarks, silence }) => {
      await using harness = new Harness();
      const handle = await harness.synced();
      await pass(0);
      for (let n = 0; n < bookmarks; n++) {
        await pass(10_000);
        harness.source.bookmark();
        await pass(0);
      }
      harness.source.openWatches.clear();
      await pass(silence - 1);
      expect(harness.source.count('watch')).toBe(1);
      await pass(1);
      expect(harness.source.count('watch')).toBe(2);
      expect(handle.hasSynced).toBe(true);
    },
  );

  test('grows with each silent stream, also after bookmarks that arrived together', async () => {
    await using harness = new Harness();
    await harness.synced();
    for (let n = 0; n < 3; n++) harness.source.bookmark();
    await pass(300_000);
    expect(harness.source.count('watch')).toBeLessThan(10);
  });
});
