import { setImmediate } from 'node:timers/promises';
import { describe, expect, jest, test } from '@jest/globals';
import { WorkQueue, type RateLimiter, type WorkQueueError } from '../index.ts';

/** A queue whose limiter has one method of the test, and the errors that it reports. */
function limitedBy(changed: Partial<RateLimiter>): {
  queue: WorkQueue<string>;
  clock: { now: number };
  errors: WorkQueueError[];
} {
  const clock = { now: 0 };
  const errors: WorkQueueError[] = [];
  const queue = new WorkQueue<string>({
    clock: { now: () => clock.now },
    rateLimiter: { delay: () => 50, charge() {}, forget() {}, failures: () => 0, ...changed },
    onError: (error) => errors.push(error),
  });
  return { queue, clock, errors };
}

/** Runs an item that fails, and returns the milliseconds until its retry is ready. */
function delayOfRetry({ queue, clock }: ReturnType<typeof limitedBy>): number {
  queue.add('foo', { rateLimited: true });
  queue.done('foo');
  const failedAt = clock.now;
  while (queue.take() === undefined) clock.now += 1;
  return clock.now - failedAt;
}

describe('a rate limiter of the user', () => {
  test.each<[string, unknown]>([
    ['NaN', Number.NaN],
    ['Infinity', Infinity],
    ['a duration as text', '5s'],
    ['a promise', Promise.resolve(5)],
    ['nothing', undefined],
  ])('a delay of %s is reported, and the default backoff decides', async (_, delay) => {
    const world = limitedBy({ delay: () => delay as number });
    expect([1, 2, 3].map(() => delayOfRetry(world))).toEqual([5, 10, 20]);
    expect(world.errors).toHaveLength(3);
    expect(world.errors[0]).toMatchObject({
      code: 'USER_FUNCTION_FAILED',
      facts: { function: 'rateLimiter.delay' },
    });
    await world.queue.shutDown();
  });

  test('the rejection of an async method is reported, and that of an async onError has no effect', async () => {
    const unhandled: unknown[] = [];
    const listener = (error: unknown): number => unhandled.push(error);
    process.on('unhandledRejection', listener);
    const reported: unknown[] = [];
    const noTable = (): Promise<never> => Promise.reject(new RangeError('no table'));
    const queue = new WorkQueue<string>({
      rateLimiter: { delay: () => 50, charge: noTable, forget() {}, failures: () => 0 },
      onError: (error) => {
        reported.push(error);
        return noTable();
      },
    });
    queue.add('foo', { rateLimited: true });
    await setImmediate();
    process.off('unhandledRejection', listener);
    expect(unhandled).toEqual([]);
    expect(reported).toMatchObject([
      { code: 'USER_FUNCTION_FAILED', facts: { function: 'rateLimiter.charge' } },
    ]);
    await queue.shutDown();
  });

  test('a negative delay means no delay', () => {
    const world = limitedBy({ delay: () => -5 });
    expect(delayOfRetry(world)).toBe(0);
    expect(world.errors).toEqual([]);
  });

  test('after a delay that throws, forget resets the default backoff', async () => {
    const delay = (): number => {
      throw new RangeError('no table');
    };
    const world = limitedBy({ delay });
    expect([delayOfRetry(world), delayOfRetry(world)]).toEqual([5, 10]);
    world.queue.forget('foo');
    expect(delayOfRetry(world)).toBe(5);
    expect(world.errors[0]?.cause).toBeInstanceOf(RangeError);
    await world.queue.shutDown();
  });

  test.each(['charge', 'forget'] as const)('%s may throw, and its error is reported', (method) => {
    const act = jest.fn((_key: unknown): never => {
      throw new Error('broken');
    });
    const world = limitedBy({ [method]: act });
    expect(delayOfRetry(world)).toBe(50);
    world.queue.forget('foo');
    expect(act).toHaveBeenCalledWith('foo');
    expect(world.errors).toMatchObject([{ facts: { function: `rateLimiter.${method}` } }]);
  });
});
