import { describe, expect, jest, test } from '@jest/globals';
import {
  managersOfTest,
  nothing,
  recordingLogger,
  useFakeTime,
  valueOf,
} from '../testing/fixtures.test-support.ts';
import type { ErrorPolicy } from './error-policy.ts';
import type { Request } from './request.ts';
import { TerminalError } from './terminal-error.ts';

const managers = managersOfTest();

interface Failing {
  /** The errors of the runs, in their order; later runs succeed. */
  readonly errors: readonly unknown[];
  readonly errorPolicy?: ErrorPolicy<Request>;
  readonly maxAttempts?: number;
}

/** Runs one request in fake time, with a backoff of 1 s, and notes its attempts with their times. */
async function fail({ errors, errorPolicy, maxAttempts }: Failing) {
  useFakeTime();
  const { logger, lines } = recordingLogger();
  const { manager } = managers.make({ logger });
  const attempts: string[] = [];
  const letters: unknown[] = [];
  let begunAt: number | undefined;
  const controller = manager.addController({
    name: 'failing',
    backoff: { base: '1s' },
    ...(errorPolicy && { errorPolicy }),
    ...(maxAttempts !== undefined && { maxAttempts }),
    reconcile(_request, { attempt }) {
      begunAt ??= Date.now();
      const error = errors[attempts.length];
      attempts.push(`${attempt} at ${Date.now() - begunAt}`);
      if (error !== undefined) throw error;
    },
    onDeadLetter: (_request, error) => void letters.push(error),
  });
  manager.start().catch(nothing);
  await jest.advanceTimersByTimeAsync(1);
  controller.enqueue({ name: 'a' });
  await jest.advanceTimersByTimeAsync(0);
  const count = (metric: string, labels = {}) =>
    valueOf(manager, metric, { controller: 'failing', ...labels });
  const messages = (): unknown[] =>
    lines.map(({ level, message }) => `${String(level)}: ${String(message)}`);
  return { controller, attempts, letters, lines, messages, count };
}

const error = new Error('the API is down');
const terminal = new TerminalError('the spec is wrong');

describe('an error policy', () => {
  test('receives the error, the request and the context of the run', async () => {
    const given: unknown[] = [];
    await fail({
      errors: [error],
      errorPolicy: (thrown, request, { attempt, reconcileId }) =>
        void given.push(thrown, request, attempt, typeof reconcileId),
    });
    expect(given).toEqual([error, { name: 'a' }, 1, 'string']);
  });

  test('R0-17 without a decision the default applies: backoff, and no retry of a TerminalError', async () => {
    const { attempts, letters } = await fail({ errors: [error, terminal], errorPolicy: nothing });
    await jest.advanceTimersByTimeAsync(3_600_000);
    expect(attempts).toEqual(['1 at 0', '2 at 1000']);
    expect(letters).toEqual([terminal]);
  });

  test('retry runs again after the backoff, also for a TerminalError', async () => {
    const { attempts, letters, count } = await fail({
      errors: [terminal, terminal],
      errorPolicy: () => 'retry',
    });
    await jest.advanceTimersByTimeAsync(3_600_000);
    expect(attempts).toEqual(['1 at 0', '2 at 1000', '3 at 3000']);
    expect(letters).toEqual([]);
    expect(await count('controller_runtime_terminal_reconcile_errors_total')).toBe(0);
  });

  test('requeueAfter replaces the backoff, and the attempts count as failed', async () => {
    const { attempts, count } = await fail({
      errors: [error, error, error],
      errorPolicy: (_error, _request, { attempt }) =>
        attempt < 3 ? { requeueAfter: attempt * 100 } : 'retry',
    });
    await jest.advanceTimersByTimeAsync(3_600_000);
    // The backoff of the third failure is that of three failures: 4 s.
    expect(attempts).toEqual(['1 at 0', '2 at 100', '3 at 300', '4 at 4300']);
    expect(await count('controller_runtime_reconcile_errors_total')).toBe(3);
  });

  test('PQ33 events during requeueAfter cause one early run, whose failure keeps its end', async () => {
    const { controller, attempts } = await fail({
      errors: [error, error],
      errorPolicy: () => ({ requeueAfter: '10s' }),
    });
    for (let events = 0; events < 5; events += 1) {
      await jest.advanceTimersByTimeAsync(1000);
      controller.enqueue({ name: 'a' });
    }
    await jest.advanceTimersByTimeAsync(3_600_000);
    expect(attempts).toEqual(['1 at 0', '2 at 1000', '2 at 10000']);
  });

  test('maxAttempts ends the runs of requeueAfter too', async () => {
    const { attempts, letters } = await fail({
      errors: [error, error, error],
      errorPolicy: () => ({ requeueAfter: 10 }),
      maxAttempts: 2,
    });
    await jest.advanceTimersByTimeAsync(3_600_000);
    expect(attempts).toEqual(['1 at 0', '2 at 10']);
    expect(letters).toEqual([error]);
  });

  test('terminal gives the request up, counts it as terminal, and the next event starts with attempt 1', async () => {
    const { controller, attempts, letters, count } = await fail({
      errors: [error],
      errorPolicy: () => 'terminal',
    });
    await jest.advanceTimersByTimeAsync(5000);
    expect(letters).toEqual([error]);
    expect(await count('controller_runtime_terminal_reconcile_errors_total')).toBe(1);
    controller.enqueue({ name: 'a' });
    await jest.advanceTimersByTimeAsync(3_600_000);
    expect(attempts).toEqual(['1 at 0', '1 at 5000']);
  });

  test('ignore makes the run a success: no retry, no failures, no line above debug', async () => {
    const { controller, attempts, letters, messages, count } = await fail({
      errors: [error, error],
      errorPolicy: (_error, _request, { attempt }) => (attempt === 1 ? 'retry' : 'ignore'),
    });
    await jest.advanceTimersByTimeAsync(3_600_000);
    expect(attempts).toEqual(['1 at 0', '2 at 1000']);
    expect(letters).toEqual([]);
    expect(messages().filter((line) => /of reconcile|reconcile failed/.test(String(line)))).toEqual(
      ['error: reconcile failed', 'debug: error of reconcile ignored'],
    );
    expect(await count('controller_runtime_reconcile_total', { result: 'error' })).toBe(1);
    expect(await count('controller_runtime_reconcile_total', { result: 'success' })).toBe(1);
    controller.enqueue({ name: 'a' });
    await jest.advanceTimersByTimeAsync(0);
    expect(attempts.at(-1)).toMatch(/^1 at/);
  });

  test.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw new Error('broken');
      },
    ],
    ['returns a promise that rejects', () => Promise.reject(new Error('late'))],
    ['returns an unknown decision', () => 'later'],
    ['returns null', () => null],
    ['returns a delay of zero', () => ({ requeueAfter: 0 })],
    ['returns an invalid delay', () => ({ requeueAfter: 'soon' })],
    ['returns an outcome', () => ({ requeueAfter: 5, priority: 3 })],
    [
      'returns an object with a getter that throws',
      () => ({
        get requeueAfter(): number {
          throw new Error('no');
        },
      }),
    ],
  ])('that %s is logged and counted, and the default applies', async (_what, policy) => {
    const { attempts, messages, count } = await fail({
      errors: [error],
      errorPolicy: policy as ErrorPolicy<Request>,
    });
    expect(messages()).toContain('error: errorPolicy failed');
    expect(await count('keelson_queue_function_errors_total')).toBe(1);
    await jest.advanceTimersByTimeAsync(3_600_000);
    expect(attempts).toEqual(['1 at 0', '2 at 1000']);
  });

  test('the error of an invalid decision names the option and its cure', async () => {
    const { lines } = await fail({ errors: [error], errorPolicy: () => 'later' as 'retry' });
    const failed = lines.find(({ message }) => message === 'errorPolicy failed');
    const message: unknown = expect.stringMatching(/option=errorPolicy.*returned=later/);
    expect(failed).toMatchObject({ err: { code: 'INVALID_OPTION', message } });
  });

  test('decides about work.fail of a loop too', async () => {
    const { manager } = managers.make();
    const given: unknown[] = [];
    const controller = manager.addPulledController({
      name: 'pulled',
      errorPolicy(thrown) {
        given.push(thrown);
        return 'ignore';
      },
    });
    manager.start().catch(nothing);
    controller.enqueue({ name: 'a' });
    controller.enqueue({ name: 'b' });
    const attempts: number[] = [];
    for await (const work of controller.work()) {
      attempts.push(work.context.attempt);
      if (work.request.name === 'b') break;
      work.fail(error);
    }
    expect([given, attempts]).toEqual([[error], [1, 1]]);
  });

  test('is not called for a run that the stop of its controller aborted', async () => {
    const { manager } = managers.make();
    const errorPolicy = jest.fn(nothing);
    const controller = manager.addController({
      name: 'aborted',
      errorPolicy,
      reconcile: (_request, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason as Error));
          void manager.stop();
        }),
    });
    controller.enqueue({ name: 'a' });
    await manager.start().catch(nothing);
    expect(errorPolicy).not.toHaveBeenCalled();
  });
});
