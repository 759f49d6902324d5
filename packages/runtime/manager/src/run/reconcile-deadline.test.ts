import { describe, expect, jest, test } from '@jest/globals';
import {
  managersOfTest,
  nothing,
  recordingLogger,
  useFakeTime,
} from '../testing/fixtures.test-support.ts';
import type { ReconcileContext } from '../reconcile/reconcile.ts';

const managers = managersOfTest();

describe('the deadline of a reconcile', () => {
  test('CT03 the context has the time at which the signal aborts, and the log names the request', async () => {
    useFakeTime();
    const { logger, lines } = recordingLogger();
    const { manager } = managers.make({ logger });
    const runs: { context: ReconcileContext; begunAt: number; abortedAt: number }[] = [];
    const controller = manager.addController({
      name: 'slow',
      timeout: '2s',
      backoff: { base: '10s' },
      async reconcile(_request, context) {
        const run = { context, begunAt: Date.now(), abortedAt: 0 };
        runs.push(run);
        await new Promise((resolve) => context.signal.addEventListener('abort', resolve));
        run.abortedAt = Date.now();
        context.signal.throwIfAborted();
      },
    });
    manager.start().catch(nothing);
    await jest.advanceTimersByTimeAsync(1);
    controller.enqueue({ namespace: 'default', name: 'a' });
    await jest.advanceTimersByTimeAsync(1999);
    const warnings = (): unknown[] =>
      lines.filter(({ message }) => message === 'reconcile exceeded its timeout');
    expect(warnings()).toEqual([]);
    await jest.advanceTimersByTimeAsync(1);
    const [first] = runs;
    expect(first?.context.deadline).toBe((first?.begunAt ?? 0) + 2000);
    expect(first?.abortedAt).toBe(first?.context.deadline);
    expect(first?.context.signal.reason).toMatchObject({
      code: 'RECONCILE_TIMEOUT',
      facts: { controller: 'slow', request: 'default/a', timeout: 2000 },
    });
    expect(warnings()).toMatchObject([
      {
        level: 'warn',
        controller: 'slow',
        namespace: 'default',
        name: 'a',
        reconcileId: first?.context.reconcileId,
        timeout: 2000,
        attempt: 1,
      },
    ]);
    // The run that failed at its deadline is retried with backoff, and with a deadline of its own.
    await jest.advanceTimersByTimeAsync(9_999);
    expect(runs).toHaveLength(1);
    await jest.advanceTimersByTimeAsync(1);
    expect(runs[1]?.context).toMatchObject({ attempt: 2, deadline: Date.now() + 2000 });
  });

  test('CT03 a run of a controller without timeout has no deadline', async () => {
    useFakeTime();
    const { manager } = managers.make();
    const deadlines: unknown[] = [];
    const controller = manager.addController({
      name: 'patient',
      reconcile: (_request, { deadline }) => void deadlines.push(deadline),
    });
    manager.start().catch(nothing);
    controller.enqueue({ name: 'a' });
    await jest.advanceTimersByTimeAsync(1);
    expect(deadlines).toEqual([undefined]);
  });
});
