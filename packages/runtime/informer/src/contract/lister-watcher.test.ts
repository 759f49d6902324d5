import { describe, expect, test } from '@jest/globals';
import type { ListerWatcher } from './lister-watcher.ts';
import { Harness } from '../testing/harness.test-support.ts';
import { Other, ScriptedSource } from '../testing/scripted-source.test-support.ts';
import { pass, stopTheClock } from '../testing/stopped-clock.test-support.ts';

stopTheClock();

/** Faults of the factory of a lister-watcher, and the code of the error in the health. */
const faults: readonly [string, () => unknown, string | undefined][] = [
  [
    'throws',
    () => {
      throw new Error('no session');
    },
    undefined,
  ],
  ['returns nothing', () => undefined, 'INVALID_OPTION'],
  ['returns null', () => null, 'INVALID_OPTION'],
  ['returns an object without methods', () => ({}), 'INVALID_OPTION'],
  ['returns an object without watch', () => ({ list: () => undefined }), 'INVALID_OPTION'],
  ['returns a promise', () => Promise.resolve(new ScriptedSource()), 'INVALID_OPTION'],
  ['returns a promise that rejects', () => Promise.reject(new Error('no')), 'INVALID_OPTION'],
];

describe('the lister-watcher of a watch', () => {
  test.each(faults)(
    'that user code %s is created again with growing delays',
    async (_what, fault, code) => {
      const calls: number[] = [];
      let isBroken = true;
      const source = new ScriptedSource();
      const others = new ScriptedSource();
      await using harness = new Harness({
        listerWatcher: ({ resource }) => {
          if (resource.plural === Other.plural) return others;
          calls.push(performance.now());
          return isBroken ? (fault() as ListerWatcher) : source;
        },
      });
      const handle = harness.acquire();
      const other = harness.cache.acquire({ resource: Other }, { owner: 'test' });
      await pass(20_000);
      const delays = calls.slice(1).map((at, n) => Math.round(at - (calls[n] ?? 0)));
      expect(delays).toEqual([800, 1_600, 3_200, 6_400]);
      expect(handle.health).toMatchObject({ state: 'backing-off', attempts: 5 });
      expect((handle.health.lastError as { code?: string }).code).toBe(code);
      expect(other.health.state).toBe('live');
      isBroken = false;
      await pass(12_800);
      expect([handle.health.state, calls.length]).toEqual(['live', 6]);
    },
  );

  test('is created once, also if its requests fail', async () => {
    let calls = 0;
    const source = new ScriptedSource();
    await using harness = new Harness({
      listerWatcher: () => {
        calls++;
        return source;
      },
    });
    harness.acquire();
    await pass(0);
    for (let n = 0; n < 5; n++) {
      source.fail(410, 'Expired');
      await pass(10_000);
    }
    expect(calls).toBe(1);
  });
});
