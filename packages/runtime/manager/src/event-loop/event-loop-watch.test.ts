import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { recordingLogger } from '../testing/fixtures.test-support.ts';
import { LoopClock } from '../testing/loop-clock.test-support.ts';
import { EventLoopWatch } from './event-loop-watch.ts';
import type { UserCalls } from './user-calls.ts';

afterEach(() => {
  jest.restoreAllMocks();
  jest.useRealTimers();
});

interface World {
  readonly clock: LoopClock;
  readonly watch: EventLoopWatch;
  readonly calls: UserCalls;
  readonly lines: Record<string, unknown>[];
  /** The milliseconds of each report, by role. */
  readonly blocked: [role: string, ms: number][];
  /** Blocks the event loop in a call of the user. */
  readonly call: (ms: number) => void;
}

function worldOf(warnAfter = 200, origin?: () => undefined): World {
  const clock = new LoopClock();
  const { logger: log, lines } = recordingLogger();
  const blocked: World['blocked'] = [];
  const watch = new EventLoopWatch({
    settings: { warnAfter, traceAwaits: origin !== undefined },
    log,
    origin: () => origin?.(),
    blocked: (ms) => void blocked.push(['unknown', ms]),
  });
  const calls = watch.calls({
    name: 'web',
    log,
    blocked: (role, ms) => void blocked.push([role, ms]),
  });
  const call = (ms: number): void => {
    const startedAt = performance.now();
    clock.block(ms);
    calls.report({ role: 'event' }, { startedAt, endedAt: performance.now() });
  };
  return { clock, watch, calls, lines, blocked, call };
}

describe('EventLoopWatch', () => {
  test('reports a call and the rest of the call around it, without counting any time twice', () => {
    const { clock, calls, blocked, call } = worldOf();
    const startedAt = performance.now();
    call(300);
    call(500);
    clock.block(199);
    calls.report({ role: 'reconcile' }, { startedAt, endedAt: performance.now() });
    clock.block(1);
    calls.report({ role: 'reconcile' }, { startedAt, endedAt: performance.now() });
    clock.block(199);
    calls.report({ role: 'runnable' }, { startedAt, endedAt: performance.now() });
    clock.block(1);
    calls.report({ role: 'runnable' }, { startedAt, endedAt: performance.now() });
    expect(blocked).toEqual([
      ['event', 300],
      ['event', 500],
      ['reconcile', 200],
      ['runnable', 200],
    ]);
  });

  test('does not suspect runs of a time that a call was reported for', async () => {
    const { clock, watch, calls, blocked, call } = worldOf();
    calls.began({ title: 'web default/a' });
    await clock.pass(1000);
    call(300);
    call(400);
    clock.block(199);
    await clock.pass(1000);
    call(300);
    clock.block(200);
    await clock.pass(1000);
    expect(blocked).toEqual([
      ['event', 300],
      ['event', 400],
      ['event', 300],
      ['unknown', 200],
    ]);
    watch.stop();
  });

  test('suspects the running runs and the last ended ones, sixteen at most', async () => {
    const { clock, watch, calls, lines } = worldOf();
    const runs = Array.from({ length: 40 }, (_, at) => ({ title: `web ${at}` }));
    const slots = runs.map((run) => calls.began(run));
    for (const slot of slots.slice(2)) calls.ended(slot);
    clock.block(500);
    await clock.pass(100);
    const candidates = lines[0]?.['candidates'] as string[];
    expect(candidates).toHaveLength(16);
    expect(candidates.slice(0, 2)).toEqual(['web 0', 'web 1']);
    expect(candidates).toContain('web 39');
    expect(lines).toMatchObject([{ others: 24, blockedMs: 500 }]);
    // The runs that ended before the last check are no longer suspected.
    await clock.pass(60_000);
    clock.block(500);
    await clock.pass(100);
    expect(lines[1]).toMatchObject({ candidates: ['web 0', 'web 1'], others: 0 });
    watch.stop();
  });

  test('has neither a timer nor hooks before its first run and after its stop', async () => {
    const origin = jest.fn(() => undefined);
    const { watch, calls } = worldOf(200, origin);
    const settle = (): Promise<void> => Promise.resolve().then(() => undefined);
    await settle();
    expect([jest.getTimerCount(), origin.mock.calls.length]).toEqual([0, 0]);
    calls.began({ title: 'web default/a' });
    await settle();
    expect(jest.getTimerCount()).toBe(1);
    expect(origin).toHaveBeenCalled();
    watch.stop();
    origin.mockClear();
    await settle();
    expect([jest.getTimerCount(), origin.mock.calls.length]).toEqual([0, 0]);
  });

  test.each([
    [1, 10],
    [200, 100],
    [1_000_000_000_000, 1000],
  ])('with a limit of %i ms checks every %i ms', async (warnAfter, interval) => {
    const { clock, watch, calls } = worldOf(warnAfter);
    const usage = jest.spyOn(process, 'cpuUsage');
    const timers = jest.spyOn(globalThis, 'setInterval');
    calls.began({ title: 'web default/a' });
    // It keeps no process alive.
    const started = timers.mock.results.map(({ value }) => value as NodeJS.Timeout);
    expect(started.map((timer) => timer.hasRef())).toEqual([false]);
    const before = usage.mock.calls.length;
    await clock.pass(interval - 1);
    expect(usage.mock.calls.length).toBe(before);
    await clock.pass(1);
    expect(usage.mock.calls.length).toBeGreaterThan(before);
    watch.stop();
  });
});
