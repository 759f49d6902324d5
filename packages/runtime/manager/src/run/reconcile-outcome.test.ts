import { strictEqual } from 'node:assert/strict';
import { describe, expect, jest, test } from '@jest/globals';
import {
  eventually,
  gate,
  managersOfTest,
  nothing,
  objectOf,
  recordingLogger,
  running,
  sumOf,
  useFakeTime,
  valueOf,
  WebApp,
} from '../testing/fixtures.test-support.ts';
import { outcomeMistakes } from '../common-mistakes.ts';
import { decide, type Outcome } from '../reconcile/outcome.ts';
import type { ReconcileContext } from '../reconcile/reconcile.ts';
import { TerminalError } from '../reconcile/terminal-error.ts';

const managers = managersOfTest();

/** A result with a getter that throws. */
function throwing(): object {
  return {
    get requeueAfter(): number {
      throw new Error('no');
    },
  };
}

describe('the outcome of a reconcile', () => {
  test('CT02 a thrown value, also one that is not an Error, is counted as an error', async () => {
    const { manager } = managers.make({ controllers: { backoff: { base: '1h' } } });
    let runs = 0;
    const controller = manager.addController({
      name: 'failing',
      reconcile({ name }) {
        runs += 1;
        // oxlint-disable-next-line typescript/only-throw-error
        throw name === 'error' ? new Error('no') : 'not an error';
      },
    });
    await running(manager);
    controller.enqueue({ name: 'error' });
    controller.enqueue({ name: 'text' });
    await eventually(() => runs === 2 && controller.running === 0);
    const labels = { controller: 'failing' };
    expect(await valueOf(manager, 'controller_runtime_reconcile_errors_total', labels)).toBe(2);
    expect(await valueOf(manager, 'controller_runtime_reconcile_panics_total', labels)).toBe(1);
    expect(
      await valueOf(manager, 'controller_runtime_reconcile_total', { ...labels, result: 'error' }),
    ).toBe(2);
  });

  test.each<[boolean, string, () => unknown]>([
    [true, 'a member of undefined', () => (undefined as unknown as { a: unknown }).a],
    [true, 'a call of what is not a function', () => (1 as unknown as () => void)()],
    [true, 'a variable before its declaration', useEarly],
    [true, 'a stack overflow', overflow],
    [true, 'a failed assertion', () => strictEqual(1, 2)],
    [true, 'a rejection with undefined', () => Promise.reject()],
    [false, 'an Error', () => Promise.reject(new Error('no'))],
    [false, 'a URL that is not one', () => new URL('no')],
    [false, 'a fetch that failed', () => fetch('http://127.0.0.1:1')],
    [false, 'JSON that does not parse', () => JSON.parse('{')],
    [false, 'an aborted signal', () => AbortSignal.abort().throwIfAborted()],
    [false, 'a terminal error', () => Promise.reject(new TerminalError('no'))],
  ])('counts as a panic: %s, for %s', async (isPanic, _what, act) => {
    const { manager } = managers.make({ controllers: { backoff: { base: '1h' } } });
    const controller = manager.addController({
      name: 'failing',
      async reconcile() {
        await act();
      },
    });
    await running(manager);
    controller.enqueue({ name: 'a' });
    const labels = { controller: 'failing' };
    const errors = 'controller_runtime_reconcile_errors_total';
    await eventually(async () => (await valueOf(manager, errors, labels)) === 1);
    const panics = 'controller_runtime_reconcile_panics_total';
    expect(await valueOf(manager, panics, labels)).toBe(isPanic ? 1 : 0);
  });

  test('CT03, CT04 the timeout aborts the signal and keeps the slot; other TimeoutErrors are not counted as timeouts', async () => {
    useFakeTime();
    const { manager } = managers.make();
    const end = gate();
    const contexts: ReconcileContext[] = [];
    const controller = manager.addController({
      name: 'slow',
      timeout: '1s',
      async reconcile(_request, context) {
        contexts.push(context);
        if (contexts.length === 1) await end.opened;
        else throw new DOMException('another deadline expired', 'TimeoutError');
      },
    });
    manager.start().catch(() => undefined);
    await jest.advanceTimersByTimeAsync(1);
    controller.enqueue({ name: 'first' });
    controller.enqueue({ name: 'second' });
    await jest.advanceTimersByTimeAsync(999);
    expect(contexts[0]?.signal.aborted).toBe(false);
    await jest.advanceTimersByTimeAsync(1);
    expect(contexts[0]?.signal.reason).toMatchObject({ code: 'RECONCILE_TIMEOUT' });
    expect(contexts).toHaveLength(1);
    expect(controller.running).toBe(1);
    end.open();
    await jest.advanceTimersByTimeAsync(1);
    expect(contexts.length).toBeGreaterThan(1);
    await jest.advanceTimersByTimeAsync(5000);
    const labels = { controller: 'slow' };
    expect(await valueOf(manager, 'controller_runtime_reconcile_timeouts_total', labels)).toBe(1);
  });

  test('CT03 a run that fails after its timeout is logged, and a later stop does not change its abort reason', async () => {
    useFakeTime();
    const { logger, lines } = recordingLogger();
    const { manager } = managers.make({ logger });
    const end = gate();
    const reasons: unknown[] = [];
    const controller = manager.addController({
      name: 'slow',
      timeout: '1s',
      concurrency: 2,
      async reconcile({ name }, context) {
        if (name === 'stuck') await end.opened;
        else await new Promise((resolve) => context.signal.addEventListener('abort', resolve));
        reasons.push(context.signal.reason);
        throw context.signal.reason;
      },
    });
    manager.start().catch(nothing);
    await jest.advanceTimersByTimeAsync(1);
    for (const name of ['obedient', 'stuck']) controller.enqueue({ name });
    await jest.advanceTimersByTimeAsync(1000);
    const failures = (): unknown[] => lines.filter(({ message }) => message === 'reconcile failed');
    const timeout = { code: 'RECONCILE_TIMEOUT' };
    expect(failures()).toMatchObject([
      { level: 'error', name: 'obedient', attempt: 1, terminal: false, err: timeout },
    ]);
    const stopped = manager.stop();
    await jest.advanceTimersByTimeAsync(1);
    await stopped;
    end.open();
    await jest.advanceTimersByTimeAsync(1);
    const factsOf = (request: string): object => ({ controller: 'slow', request, timeout: 1000 });
    expect(reasons).toMatchObject([
      { ...timeout, facts: factsOf('obedient') },
      { ...timeout, facts: factsOf('stuck') },
    ]);
    // The run failed during the stop of its manager, after the abort of its signal.
    expect(failures()).toHaveLength(1);
  });

  test('a run that fails during the stop of its controller is logged unless its signal has aborted', async () => {
    useFakeTime();
    const { logger, lines } = recordingLogger();
    const { manager } = managers.make({ logger, gracePeriod: '10s' });
    const controller = manager.addController({
      name: 'failing',
      concurrency: 2,
      async reconcile({ name }) {
        await new Promise((resolve) => setTimeout(resolve, name === 'early' ? 1000 : 9000));
        throw new Error(name);
      },
    });
    manager.start().catch(nothing);
    await jest.advanceTimersByTimeAsync(1);
    for (const name of ['early', 'late']) controller.enqueue({ name });
    await jest.advanceTimersByTimeAsync(1);
    const stopped = manager.stop();
    await jest.advanceTimersByTimeAsync(10_000);
    await stopped;
    const failed = lines.filter(({ message }) => message === 'reconcile failed');
    expect(failed).toMatchObject([{ name: 'early', err: { message: 'early' } }]);
  });

  test('CT03 timeout 0 sets no deadline', async () => {
    useFakeTime();
    const { manager } = managers.make();
    const end = gate();
    let signal: AbortSignal | undefined;
    const controller = manager.addController({
      name: 'patient',
      timeout: 0,
      async reconcile(_request, context) {
        signal = context.signal;
        await end.opened;
      },
    });
    manager.start().catch(() => undefined);
    await jest.advanceTimersByTimeAsync(1);
    controller.enqueue({ name: 'a' });
    await jest.advanceTimersByTimeAsync(10_000_000);
    expect(signal?.aborted).toBe(false);
    end.open();
    await jest.advanceTimersByTimeAsync(1);
  });

  test('CT17, CT18 a success resets the failures, and an error is retried with backoff', async () => {
    useFakeTime();
    const { manager } = managers.make({ controllers: { backoff: { base: 100, max: '1h' } } });
    const attempts: number[] = [];
    let fails = true;
    const controller = manager.addController({
      name: 'flaky',
      reconcile(_request, { attempt }) {
        attempts.push(attempt);
        if (fails) throw new Error('not yet');
      },
    });
    manager.start().catch(() => undefined);
    await jest.advanceTimersByTimeAsync(1);
    controller.enqueue({ name: 'a' });
    await jest.advanceTimersByTimeAsync(1);
    expect(attempts).toEqual([1]);
    await jest.advanceTimersByTimeAsync(98);
    expect(attempts).toEqual([1]);
    await jest.advanceTimersByTimeAsync(2);
    expect(attempts).toEqual([1, 2]);
    fails = false;
    await jest.advanceTimersByTimeAsync(201);
    expect(attempts).toEqual([1, 2, 3]);
    controller.enqueue({ name: 'a' });
    await jest.advanceTimersByTimeAsync(1);
    expect(attempts).toEqual([1, 2, 3, 1]);
  });

  test('CT19 a TerminalError is counted and not retried, also as the cause of another error', async () => {
    useFakeTime();
    const { manager } = managers.make();
    const seen: string[] = [];
    const controller = manager.addController({
      name: 'strict',
      reconcile({ name }) {
        seen.push(name);
        const terminal = new TerminalError('the spec is wrong');
        throw name === 'plain' ? terminal : new Error('wrapped', { cause: terminal });
      },
    });
    manager.start().catch(() => undefined);
    await jest.advanceTimersByTimeAsync(1);
    controller.enqueue({ name: 'plain' });
    controller.enqueue({ name: 'wrapped' });
    await jest.advanceTimersByTimeAsync(10_000_000);
    expect(seen).toEqual(['plain', 'wrapped']);
    const labels = { controller: 'strict' };
    expect(
      await valueOf(manager, 'controller_runtime_terminal_reconcile_errors_total', labels),
    ).toBe(2);
  });

  test.each<[string, Outcome, number, string]>([
    ['CT21 retry → backoff', { retry: true }, 100, 'requeue'],
    ['CT23 requeueAfter → exactly that delay', { requeueAfter: '7s' }, 7000, 'requeue_after'],
    ['CT23 requeueAfter beats retry', { requeueAfter: 20, retry: true }, 20, 'requeue_after'],
  ])('%s', async (_name, outcome, delay, result) => {
    useFakeTime();
    const { manager } = managers.make({ controllers: { backoff: { base: 100 } } });
    let runs = 0;
    const controller = manager.addController({
      name: 'again',
      reconcile() {
        runs += 1;
        return runs === 1 ? outcome : undefined;
      },
    });
    manager.start().catch(() => undefined);
    await jest.advanceTimersByTimeAsync(1);
    controller.enqueue({ name: 'a' });
    await jest.advanceTimersByTimeAsync(0);
    expect(runs).toBe(1);
    await jest.advanceTimersByTimeAsync(delay - 1);
    expect(runs).toBe(1);
    await jest.advanceTimersByTimeAsync(1);
    expect(runs).toBe(2);
    const labels = { controller: 'again', result };
    expect(await valueOf(manager, 'controller_runtime_reconcile_total', labels)).toBe(1);
  });

  test('CT23 requeueAfter resets the failures', async () => {
    useFakeTime();
    const { manager } = managers.make({ controllers: { backoff: { base: 1 } } });
    const attempts: number[] = [];
    const controller = manager.addController({
      name: 'resets',
      reconcile(_request, { attempt }) {
        attempts.push(attempt);
        if (attempts.length < 3) throw new Error('no');
        return attempts.length === 3 ? { requeueAfter: 5 } : undefined;
      },
    });
    manager.start().catch(() => undefined);
    await jest.advanceTimersByTimeAsync(1);
    controller.enqueue({ name: 'a' });
    await jest.advanceTimersByTimeAsync(100);
    expect(attempts).toEqual([1, 2, 3, 1]);
  });

  test('CT24 an error takes precedence over a result', async () => {
    const { manager } = managers.make({ controllers: { backoff: { base: '1h' } } });
    const controller = manager.addController({
      name: 'thrower',
      async reconcile(): Promise<Outcome> {
        try {
          return { requeueAfter: '1ms' };
        } finally {
          // oxlint-disable-next-line no-unsafe-finally
          throw new Error('no');
        }
      },
    });
    await running(manager);
    controller.enqueue({ name: 'a' });
    const count = async (result: string): Promise<number | undefined> =>
      valueOf(manager, 'controller_runtime_reconcile_total', { controller: 'thrower', result });
    await eventually(async () => (await count('error')) === 1);
    expect([await count('success'), await count('requeue_after')]).toEqual([0, 0]);
  });

  test.each<Outcome>([{}, { retry: false }, { priority: 3 }])(
    '%j is a success and not retried',
    async (outcome) => {
      const { manager } = managers.make({ controllers: { backoff: { base: 1 } } });
      const controller = manager.addController({ name: 'done', reconcile: () => outcome });
      await running(manager);
      controller.enqueue({ name: 'a' });
      const total = 'controller_runtime_reconcile_total';
      const labels = { controller: 'done' };
      const ended = (result: string): Promise<number | undefined> =>
        valueOf(manager, total, { ...labels, result });
      await eventually(async () => (await ended('success')) === 1);
      expect(await ended('requeue')).toBe(0);
      expect(await valueOf(manager, 'workqueue_retries_total', labels)).toBe(0);
    },
  );

  test('an instance of a class with its own members is a valid result', () => {
    class Later {
      readonly requeueAfter = 5;
    }
    expect(decide(new Later())).toMatchObject({ kind: 'requeue_after', after: 5 });
  });

  test.each<[unknown, object]>([
    [{ requeue: true }, { member: 'result', value: 'object', unknown: 'requeue' }],
    ...Object.entries(outcomeMistakes).map<[unknown, object]>(([unknown, cure]) => [
      { [unknown]: 1 },
      { unknown, cure },
    ]),
    [[], { member: 'result', value: 'object' }],
    [{ requeueAfter: -5 }, { member: 'requeueAfter', value: -5 }],
    [{ requeueAfter: '30 sec' }, { member: 'requeueAfter', value: '30 sec' }],
    [{ retry: {} }, { member: 'retry', value: 'object' }],
  ])('the error of the invalid result %j names the member and its value', (result, facts) => {
    expect(() => decide(result as Outcome)).toThrow(
      expect.objectContaining({ facts: expect.objectContaining(facts) as unknown }),
    );
  });

  test.each([null, 'done', 5, true, [], new Map(), { requeue: true }, { requeueAfter: 0 }])(
    'the error of the invalid result %j has no cause, because no other error led to it',
    (result) => {
      expect(() => decide(result as Outcome)).toThrow(
        expect.not.objectContaining({ cause: expect.anything() as unknown }),
      );
    },
  );

  test.each<[string, unknown, unknown]>([
    ['a getter that throws', throwing(), expect.any(Error)],
    [
      'a wrong duration',
      { requeueAfter: '30 sec' },
      expect.objectContaining({ code: expect.any(String) }),
    ],
  ])('the error of %s has that error as its cause', (_name, result, cause) => {
    expect(() => decide(result as Outcome)).toThrow(expect.objectContaining({ cause }));
  });

  test('a decision has the kind, delay and priority of the result', () => {
    expect([
      decide(undefined),
      decide({}),
      decide({ retry: true }),
      decide({ retry: true, priority: 3 }),
      decide({ requeueAfter: '2s', priority: 0 }),
      decide({ requeueAfter: 5, retry: true }),
    ]).toEqual([
      { kind: 'success', after: 0, priority: undefined },
      { kind: 'success', after: 0, priority: undefined },
      { kind: 'requeue', after: 0, priority: undefined },
      { kind: 'requeue', after: 0, priority: 3 },
      { kind: 'requeue_after', after: 2000, priority: 0 },
      { kind: 'requeue_after', after: 5, priority: undefined },
    ]);
  });

  test.each<[string, unknown, string]>([
    ['a requeueAfter of zero', { requeueAfter: 0 }, 'requeueAfter'],
    ['a negative requeueAfter', { requeueAfter: -5 }, 'requeueAfter'],
    ['a requeueAfter with an invalid unit', { requeueAfter: '30 sec' }, 'requeueAfter'],
    ['a requeueAfter of NaN', { requeueAfter: Number.NaN }, 'requeueAfter'],
    ['a requeueAfter of zero seconds', { requeueAfter: '0s' }, 'requeueAfter'],
    ['an unknown member', { requeue: true }, 'result'],
    ['a retry that is not a boolean', { retry: 'yes' }, 'retry'],
    ['an infinite priority', { priority: Infinity }, 'priority'],
    ['a string', 'done', 'result'],
    ['null', null, 'result'],
    ['a list', [], 'result'],
    ['an error', Object.assign(new Error('no'), { retry: true }), 'result'],
    ['a map', new Map([['requeueAfter', 5]]), 'result'],
    ['a date', new Date(), 'result'],
    ['an inherited name', { toString: true }, 'result'],
    ['a getter that throws', throwing(), 'result'],
  ])(
    '%s as a result is logged as INVALID_RESULT with its cure, counted, and not retried',
    async (_, result, member) => {
      const { logger, lines } = recordingLogger();
      const { manager } = managers.make({ logger, controllers: { backoff: { base: 1 } } });
      let fails = true;
      const attempts: number[] = [];
      const controller = manager.addController({
        name: 'invalid',
        reconcile({ name }, { attempt }) {
          if (name === 'last') return;
          attempts.push(attempt);
          if (fails) {
            fails = false;
            throw new Error('not yet');
          }
          return result as Outcome;
        },
      });
      await running(manager);
      controller.enqueue({ name: 'a' });
      await eventually(() => attempts.length === 2 && controller.running === 0);
      const line = lines.find(({ message }) => message === 'invalid result of reconcile');
      expect(line).toMatchObject({ controller: 'invalid', name: 'a' });
      expect(line?.['err']).toMatchObject({ code: 'INVALID_RESULT' });
      expect(JSON.stringify(line)).toContain(`member=${member}`);
      expect(JSON.stringify(line)).toContain('cure=');
      const labels = { controller: 'invalid' };
      expect(await valueOf(manager, 'keelson_invalid_results_total', labels)).toBe(1);
      const total = 'controller_runtime_reconcile_total';
      expect(await valueOf(manager, total, { ...labels, result: 'success' })).toBe(1);
      expect(await valueOf(manager, total, { ...labels, result: 'error' })).toBe(1);
      // The failures are reset, and no retry waits.
      controller.enqueue({ name: 'a' });
      controller.enqueue({ name: 'last' }, { after: 20 });
      await eventually(async () => (await valueOf(manager, total, labels)) === 3);
      expect(attempts).toEqual([1, 2, 1]);
    },
  );

  test('PQ33 a reconcile that adds its own key and then throws runs twice per backoff, which is one attempt', async () => {
    useFakeTime();
    const { manager, cache } = managers.make({
      controllers: { backoff: { base: 100, max: '1h' } },
    });
    const runs: [at: number, attempt: number][] = [];
    let began = 0;
    manager.addController({
      name: 'status-writer',
      for: WebApp,
      reconcile({ name }, { attempt }) {
        runs.push([performance.now() - began, attempt]);
        // The event of its own status write arrives before the error.
        cache.set(WebApp, objectOf(WebApp, name, { status: { runs: runs.length } }));
        throw new Error('no');
      },
    });
    manager.start().catch(() => undefined);
    await jest.advanceTimersByTimeAsync(10);
    began = performance.now();
    cache.set(WebApp, objectOf(WebApp, 'a'));
    await jest.advanceTimersByTimeAsync(1600);
    const windows = runs.map(([at]) => Math.floor(Math.log2(at / 100 + 1)));
    for (const window of [0, 1, 2, 3]) {
      expect(windows.filter((one) => one === window)).toHaveLength(2);
    }
    expect(runs.map(([, attempt]) => attempt)).toEqual(
      runs.map((_, index) => Math.ceil(index / 2) + 1),
    );
  });

  test.each([1, 2, 3])(
    'PQ33 events use up no attempts: with an early run in each backoff, %i attempts end at its retry',
    async (maxAttempts) => {
      useFakeTime();
      const { manager } = managers.make();
      const attempts: number[] = [];
      const letters: number[] = [];
      const controller = manager.addController({
        name: 'busy',
        maxAttempts,
        backoff: { base: 1000, max: 1000 },
        reconcile(_request, { attempt }) {
          attempts.push(attempt);
          throw new Error('no');
        },
        onDeadLetter: (_request, _error, { attempt }) => void letters.push(attempt),
      });
      manager.start().catch(() => undefined);
      await jest.advanceTimersByTimeAsync(10);
      for (let at = 0; letters.length === 0 && at < 10_000; at += 100) {
        controller.enqueue({ name: 'a' });
        await jest.advanceTimersByTimeAsync(100);
      }
      expect(attempts).toEqual([1, 2, 2, 3, 3].slice(0, 2 * maxAttempts - 1));
      expect(letters).toEqual([maxAttempts]);
    },
  );

  test("CT22 a retry keeps the priority, and a result's priority overrides it", async () => {
    useFakeTime();
    const { manager } = managers.make();
    const priorities: number[] = [];
    const controller = manager.addController({
      name: 'ranked',
      reconcile(_request, { priority }): Outcome | undefined {
        priorities.push(priority);
        if (priorities.length === 1) throw new Error('no');
        return priorities.length === 2 ? { retry: true, priority: 3 } : undefined;
      },
    });
    manager.start().catch(() => undefined);
    await jest.advanceTimersByTimeAsync(1);
    controller.enqueue({ name: 'a' }, { priority: 7 });
    await jest.advanceTimersByTimeAsync(100);
    expect(priorities).toEqual([7, 7, 3]);
  });

  test('CT25 the duration of a run and of its work is measured', async () => {
    useFakeTime();
    const { manager } = managers.make();
    const controller = manager.addController({
      name: 'timed',
      reconcile: () => new Promise((resolve) => setTimeout(resolve, 2000)),
    });
    await jest.advanceTimersByTimeAsync(1000);
    manager.start().catch(nothing);
    await jest.advanceTimersByTimeAsync(1);
    controller.enqueue({ name: 'a' });
    await jest.advanceTimersByTimeAsync(2001);
    expect(await sumOf(manager, 'controller_runtime_reconcile_time_seconds')).toBe(2);
    expect(await sumOf(manager, 'workqueue_work_duration_seconds')).toBe(2);
  });

  test('CT25 runs are counted by outcome, and active workers return to 0', async () => {
    const { manager } = managers.make({ controllers: { backoff: { base: '1h' } } });
    const end = gate();
    const outcomes: Record<string, () => Outcome | undefined> = {
      success: () => undefined,
      error: () => {
        throw new Error('no');
      },
      requeue: () => ({ retry: true }),
      requeue_after: () => ({ requeueAfter: '1h' }),
    };
    const controller = manager.addController({
      name: 'counted',
      concurrency: 4,
      async reconcile({ name }) {
        await end.opened;
        return outcomes[name]?.();
      },
    });
    const total = 'controller_runtime_reconcile_total';
    const active = 'controller_runtime_active_workers';
    await running(manager);
    for (const result of Object.keys(outcomes)) {
      expect(await valueOf(manager, total, { controller: 'counted', result })).toBe(0);
      controller.enqueue({ name: result });
    }
    await eventually(() => controller.running === 4);
    expect(await valueOf(manager, active, { controller: 'counted' })).toBe(4);
    end.open();
    await eventually(() => controller.running === 0);
    expect(await valueOf(manager, active, { controller: 'counted' })).toBe(0);
    for (const result of Object.keys(outcomes)) {
      expect(await valueOf(manager, total, { controller: 'counted', result })).toBe(1);
    }
  });
});

function useEarly(): number {
  const read = (): number => early;
  const value = read();
  const early = 1;
  return value + early;
}

function overflow(): number {
  return overflow() + 1;
}
