import { afterEach, describe, expect, jest, test } from '@jest/globals';
import type { InformerCache } from '@keelson/informer';
import { recordingLogger, unusedClient, useFakeTime } from '../testing/fixtures.test-support.ts';
import { CallScope } from '../user-code/call-scope.ts';
import { PhaseWalk, type PhaseWalkOptions } from './phase-walk.ts';

afterEach(() => {
  jest.useRealTimers();
});

function walkOf(
  stages: PhaseWalkOptions['stages'],
  gracePeriod: number,
): { walk: PhaseWalk; lines: Record<string, unknown>[] } {
  const { logger, lines } = recordingLogger();
  const dependencies = { cache: {} as InformerCache, client: unusedClient(), log: logger };
  const failed = (_: unknown, error: unknown): void => {
    throw error;
  };
  const runnables = { dependencies, failed, callScope: new CallScope() };
  return { walk: new PhaseWalk({ stages, runnables, log: logger, gracePeriod }), lines };
}

describe('PhaseWalk', () => {
  test.each([
    [10_000, 10_000],
    [0, 500],
  ])(
    'a start that hangs is reported, and delays a stop of %i ms by at most %i ms',
    async (gracePeriod, longest) => {
      useFakeTime();
      const { walk, lines } = walkOf(
        { servers: { start: () => Promise.withResolvers<void>().promise } },
        gracePeriod,
      );
      void walk.forwards();
      const stop = walk.backwards();
      await jest.advanceTimersByTimeAsync(longest);
      expect(await stop).toEqual({ stillRunning: ['start of servers'], errors: [] });
      const message = 'phase did not end in time';
      expect(lines).toEqual([
        expect.objectContaining({ message, phase: 'servers', stillRunning: ['start of servers'] }),
      ]);
    },
  );

  test('a start that ends during the stop begins no further phase and is not reported', async () => {
    const slow = Promise.withResolvers<void>();
    const began: string[] = [];
    const { walk, lines } = walkOf(
      {
        servers: { start: () => slow.promise },
        caches: { start: () => void began.push('caches') },
      },
      10_000,
    );
    const forwards = walk.forwards();
    const stop = walk.backwards();
    slow.resolve();
    expect(await stop).toEqual({ stillRunning: [], errors: [] });
    await forwards;
    expect([began, lines]).toEqual([[], []]);
  });
});
