import { describe, expect, jest, test } from '@jest/globals';
import { TokenBucket, type RateLimiter } from '@keelson/workqueue';
import {
  eventually,
  managersOfTest,
  recordingLogger,
  running,
  valueOf,
} from '../testing/fixtures.test-support.ts';
import type { Request } from '../reconcile/request.ts';
import { TerminalError } from '../reconcile/terminal-error.ts';
import type { ControllerOptions } from '../controller/controller-options.ts';

const managers = managersOfTest();

/** Runs a controller, with its requests queued before the start. */
async function run(options: Partial<ControllerOptions>, requests: readonly Request[]) {
  const { logger, lines } = recordingLogger();
  const { manager } = managers.make({ logger });
  const controller = manager.addController({ name: 'web', reconcile() {}, ...options } as never);
  for (const request of requests) controller.enqueue(request);
  await running(manager);
  const count = (metric: string) => valueOf(manager, metric, { controller: 'web' });
  return { manager, controller, lines, count };
}

const rows = (namespaces: string): Request[] =>
  [...namespaces.split(' ').entries()].map(([at, namespace]) => ({ namespace, name: `${at}` }));

describe('the queue options of a controller', () => {
  test('PQ32 groupOf and weightOf divide the workers between namespaces', async () => {
    const order: (string | undefined)[] = [];
    const requests = rows('a a a a b b b');
    const { controller } = await run(
      {
        groupOf: ({ namespace }) => namespace,
        weightOf: ([namespace]) => (namespace === 'a' ? 2 : 1),
        reconcile: ({ namespace }) => void order.push(namespace),
      },
      requests,
    );
    await eventually(() => order.length === 7);
    expect(order.join(' ')).toBe('a a b a a b b');
    expect(controller.length).toBe(0);
  });

  test('functions that fail are logged once and counted, and the requests run', async () => {
    const order: string[] = [];
    const broken = (): never => {
      throw new Error('broken');
    };
    const { lines, count } = await run(
      { groupOf: broken, reconcile: ({ name }) => void order.push(name) },
      rows('a b c'),
    );
    await eventually(() => order.length === 3);
    expect(await count('keelson_queue_function_errors_total')).toBe(3);
    expect(lines.filter(({ message }) => message === 'function of the queue failed')).toHaveLength(
      1,
    );
  });

  test('a rate limiter of its own receives the keys and decides the delay of retries', async () => {
    const limiter = {
      delay: jest.fn((_key: unknown) => 0),
      charge: jest.fn((_key: unknown) => undefined),
      forget: jest.fn((_key: unknown) => undefined),
      failures: () => 0,
    } satisfies RateLimiter;
    const attempts: number[] = [];
    await run(
      {
        rateLimiter: limiter,
        reconcile(_request, { attempt }) {
          attempts.push(attempt);
          return { retry: attempt < 3 };
        },
      },
      [{ namespace: 'default', name: 'a' }],
    );
    await eventually(() => limiter.forget.mock.calls.length > 0);
    expect(attempts).toEqual([1, 2, 3]);
    expect(limiter.delay.mock.calls).toEqual([['default/a'], ['default/a']]);
    expect(limiter.charge).toHaveBeenCalledTimes(2);
  });

  test('PQ34 controllers share the token bucket of their manager', async () => {
    const tokenBucket = new TokenBucket({ perSecond: 0.001, burst: 2, now: () => 0 });
    const { manager } = managers.make({ controllers: { tokenBucket, backoff: { base: 0 } } });
    const runs: string[] = [];
    const controllers = ['one', 'two'].map((name) =>
      manager.addController({
        name,
        reconcile() {
          runs.push(name);
          throw new Error('no');
        },
      }),
    );
    await running(manager);
    controllers[0]?.enqueue({ name: 'a' });
    await eventually(() => runs.length === 3);
    controllers[1]?.enqueue({ name: 'a' });
    await eventually(() => runs.length === 4 && controllers[1]?.running === 0);
    // The first controller used both tokens, so the retries of both wait for the next one.
    expect(runs).toEqual(['one', 'one', 'one', 'two']);
    expect(tokenBucket.delay()).toBeGreaterThan(1_000_000);
  });

  test('after maxAttempts the request is given up and forgotten until its next event', async () => {
    const letters: unknown[] = [];
    const attempts: number[] = [];
    // Lines of failures that differ in numbers alone are thinned.
    const errors = ['first', 'second', 'third'];
    const { controller, count, lines } = await run(
      {
        maxAttempts: 3,
        backoff: { base: 0 },
        reconcile(_request, { attempt }) {
          attempts.push(attempt);
          throw new Error(errors[attempt - 1]);
        },
        onDeadLetter: ({ name }, error, { attempt }) =>
          void letters.push([name, (error as Error).message, attempt]),
      },
      [{ name: 'a' }],
    );
    await eventually(() => letters.length === 1 && controller.running === 0);
    expect([attempts, letters]).toEqual([[1, 2, 3], [['a', 'third', 3]]]);
    expect(await count('keelson_dead_letters_total')).toBe(1);
    expect(lines.filter(({ message }) => message === 'reconcile failed')).toHaveLength(3);
    controller.enqueue({ name: 'a' });
    await eventually(() => letters.length === 2);
    expect(attempts).toEqual([1, 2, 3, 1, 2, 3]);
  });

  test('an event during the last attempt runs the request again', async () => {
    const letters: unknown[] = [];
    const attempts: number[] = [];
    const { controller } = await run(
      {
        maxAttempts: 1,
        reconcile({ name }, { attempt }) {
          attempts.push(attempt);
          if (attempts.length > 1) return;
          controller.enqueue({ name });
          throw new Error('no');
        },
        onDeadLetter: (request) => void letters.push(request),
      },
      [],
    );
    controller.enqueue({ name: 'a' });
    await eventually(() => attempts.length === 2);
    expect([attempts, letters]).toEqual([[1, 1], [{ name: 'a' }]]);
  });

  test('retry: true counts as a failed attempt and gives ATTEMPTS_EXHAUSTED', async () => {
    const errors: unknown[] = [];
    await run(
      {
        maxAttempts: 2,
        backoff: { base: 0 },
        reconcile: () => ({ retry: true }),
        onDeadLetter: (_request, error) => void errors.push(error),
      },
      [{ name: 'a' }],
    );
    await eventually(() => errors.length === 1);
    expect(errors).toMatchObject([{ code: 'ATTEMPTS_EXHAUSTED', facts: { attempts: 2 } }]);
  });

  test('a terminal error is a dead letter at once', async () => {
    const letters: unknown[] = [];
    const { controller } = await run(
      {
        reconcile() {
          throw new TerminalError('never');
        },
        onDeadLetter: (_request, error) => void letters.push(error),
      },
      [{ name: 'a' }],
    );
    await eventually(() => letters.length === 1 && controller.running === 0);
    expect(letters).toMatchObject([{ code: 'TERMINAL', facts: { reason: 'never' } }]);
    expect(controller.length).toBe(0);
  });

  test('a stop of the controller does not wait for the onDeadLetter that awaits it', async () => {
    const stopped = Promise.withResolvers<boolean>();
    // At the end of the grace period the stop would abort the run and end.
    const { manager } = managers.make({ gracePeriod: '1s' });
    const controller = manager.addController({
      name: 'web',
      reconcile() {
        throw new TerminalError('never');
      },
      async onDeadLetter(_request, _error, { signal }) {
        await controller.stop();
        stopped.resolve(signal.aborted);
      },
    });
    await running(manager);
    controller.enqueue({ name: 'a' });
    await expect(stopped.promise).resolves.toBe(false);
  });

  test('the request stays locked until onDeadLetter has ended, and its error is logged and counted', async () => {
    const end = Promise.withResolvers<void>();
    const { controller, count, lines } = await run(
      {
        maxAttempts: 1,
        reconcile() {
          throw new Error('no');
        },
        onDeadLetter: () => end.promise,
      },
      [{ name: 'a' }],
    );
    await eventually(() => lines.some(({ message }) => message === 'reconcile failed'));
    expect(controller.running).toBe(1);
    end.reject(new Error('the store is down'));
    await eventually(() => controller.running === 0);
    expect(await count('keelson_queue_function_errors_total')).toBe(1);
    expect(lines).toContainEqual(expect.objectContaining({ message: 'onDeadLetter failed' }));
  });

  const limiter: RateLimiter = { delay: () => 0, charge() {}, forget() {}, failures: () => 0 };
  test.each<[string, object]>([
    ['addController.ageAfter', { ageAfter: 'soon' }],
    ['addController.maxAttempts', { maxAttempts: -1 }],
    ['addController.maxAttempts', { maxAttempts: 1.5 }],
    ['addController.tokenBucket', { tokenBucket: limiter }],
    ['addController.groupOf', { groupOf: 'namespace' }],
    ['addController.weightOf', { weightOf: () => 1 }],
    ['addController.onDeadLetter', { onDeadLetter: true }],
    ['addController.rateLimiter', { rateLimiter: limiter, backoff: { base: 1 } }],
    ['addController.rateLimiter', { rateLimiter: { ...limiter, forget: undefined } }],
    ['addController.rateLimiter', { rateLimiter: null }],
  ])('%s is refused at the call', (option, options) => {
    const { manager } = managers.make();
    const add = (): unknown => manager.addController({ name: 'web', reconcile() {}, ...options });
    expect(add).toThrow(
      expect.objectContaining({ code: 'INVALID_OPTION', message: expect.stringContaining(option) }),
    );
  });
});
