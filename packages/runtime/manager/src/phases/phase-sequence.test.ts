import { systemClock } from '@keelson/apimachinery';
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import type { InformerCache } from '@keelson/informer';
import { recordingLogger, unusedClient, useFakeTime } from '../testing/fixtures.test-support.ts';
import { unwatchedCalls } from '../testing/unwatched-calls.test-support.ts';
import type { UserCalls } from '../event-loop/user-calls.ts';
import { CallScope } from '../user-code/call-scope.ts';
import { PhaseSequence, type PhaseSequenceOptions } from './phase-sequence.ts';

afterEach(() => {
  jest.useRealTimers();
});

function sequenceOf(
  steps: PhaseSequenceOptions['steps'],
  gracePeriod: number,
): { sequence: PhaseSequence; lines: Record<string, unknown>[] } {
  const { logger, lines } = recordingLogger();
  const dependencies = {
    cache: {} as InformerCache,
    client: unusedClient(),
    clock: systemClock,
    log: logger,
  };
  const failed = (_: unknown, error: unknown): void => {
    throw error;
  };
  const calls = (): UserCalls => unwatchedCalls;
  const runnables = () => ({ dependencies, failed, callScope: new CallScope(), calls });
  return { sequence: new PhaseSequence({ steps, runnables, log: logger, gracePeriod }), lines };
}

describe('PhaseSequence', () => {
  test.each([
    [10_000, 10_000],
    [0, 500],
  ])(
    'a start that hangs is reported, and delays a stop of %i ms by at most %i ms',
    async (gracePeriod, longest) => {
      useFakeTime();
      const { sequence, lines } = sequenceOf(
        { servers: { start: () => Promise.withResolvers<void>().promise } },
        gracePeriod,
      );
      void sequence.start();
      const stop = sequence.stop();
      await jest.advanceTimersByTimeAsync(longest);
      expect(await stop).toEqual({ stillRunning: ['start of servers'], errors: [] });
      const message = 'phase did not end in time';
      expect(lines).toEqual([
        expect.objectContaining({ message, phase: 'servers', stillRunning: ['start of servers'] }),
      ]);
    },
  );

  test('a drain leaves half of the time of its phase to the close, and all later phases get what is left', async () => {
    useFakeTime();
    const given: [string, number][] = [];
    const note =
      (name: string) =>
      async (milliseconds: number): Promise<void> =>
        void given.push([name, Math.round(milliseconds)]);
    const { sequence } = sequenceOf(
      {
        leader: { drain: note('drain leader') },
        always: { drain: note('drain always'), close: note('close always') },
        caches: { close: note('close caches') },
        servers: { drain: note('drain servers'), close: note('close servers') },
      },
      1000,
    );
    await sequence.start();
    await sequence.stop();
    expect(given).toEqual([
      ['drain leader', 800],
      ['drain always', 250],
      ['close always', 500],
      ['close caches', 500],
      ['drain servers', 500],
      ['close servers', 1000],
    ]);
  });

  test('an error of a drain or close is reported, and the other phases stop', async () => {
    const failing = (name: string) => () => Promise.reject(new Error(name));
    const { sequence, lines } = sequenceOf(
      {
        leader: { drain: failing('drain leader'), close: failing('close leader') },
        caches: { close: failing('close caches') },
        servers: { drain: failing('drain servers') },
      },
      1000,
    );
    await sequence.start();
    const { errors, stillRunning } = await sequence.stop();
    expect((errors as Error[]).map(({ message }) => message)).toEqual([
      'drain leader',
      'close leader',
      'close caches',
      'drain servers',
    ]);
    expect([stillRunning, lines]).toEqual([[], []]);
  });

  test('components that hang in a drain or close are reported with their phase', async () => {
    useFakeTime();
    const hang = (): Promise<void> => Promise.withResolvers<void>().promise;
    const { sequence, lines } = sequenceOf(
      {
        leader: { drain: hang, busy: () => ['a', 'b'] },
        caches: { close: hang },
        servers: { drain: hang, busy: () => [] },
      },
      1000,
    );
    await sequence.start();
    const stop = sequence.stop();
    await jest.advanceTimersByTimeAsync(2000);
    expect(await stop).toEqual({ stillRunning: ['a', 'b', 'end of caches'], errors: [] });
    expect(lines.map(({ phase, stillRunning }) => [phase, stillRunning])).toEqual([
      ['leader', ['a', 'b']],
      ['caches', ['end of caches']],
    ]);
  });

  test('a phase has begun from its start on, also after the stop', async () => {
    const { sequence } = sequenceOf({}, 1000);
    expect(sequence.hasBegun('servers')).toBe(false);
    await sequence.start();
    expect(sequence.hasBegun('leader')).toBe(true);
    await sequence.stop();
    expect(sequence.hasBegun('leader')).toBe(true);
  });

  test.each(['leader', 'shards', 'always', 'caches'] as const)(
    'a start that ends with the drain of %s does not delay the stop',
    async (phase) => {
      useFakeTime();
      const [begun, drained] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const start = (): Promise<void> => {
        begun.resolve();
        return drained.promise;
      };
      const drain = async (): Promise<void> => drained.resolve();
      const steps =
        phase === 'caches'
          ? { caches: { start, drain } }
          : { caches: { start }, [phase]: { drain } };
      const { sequence, lines } = sequenceOf(steps, 10_000);
      const started = sequence.start();
      await begun.promise;
      expect(await sequence.stop()).toEqual({ stillRunning: [], errors: [] });
      await started;
      expect([jest.getTimerCount(), lines]).toEqual([0, []]);
    },
  );

  test('a start that ends during the stop begins no further phase and is not reported', async () => {
    const slow = Promise.withResolvers<void>();
    const began: string[] = [];
    const { sequence, lines } = sequenceOf(
      {
        servers: { start: () => slow.promise },
        caches: { start: () => void began.push('caches') },
      },
      10_000,
    );
    const started = sequence.start();
    const stop = sequence.stop();
    slow.resolve();
    expect(await stop).toEqual({ stillRunning: [], errors: [] });
    await started;
    expect([began, lines]).toEqual([[], []]);
  });
});
