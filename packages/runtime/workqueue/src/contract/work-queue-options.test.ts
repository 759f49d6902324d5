import { describe, expect, test } from '@jest/globals';
import {
  CappedLimiter,
  CombinedLimiter,
  ExponentialBackoff,
  FastSlowLimiter,
  TokenBucket,
  WorkQueue,
  WorkQueueError,
  workqueueErrors,
} from '../index.ts';

const invalid = (option: string): unknown =>
  expect.objectContaining({
    code: 'INVALID_OPTION',
    message: expect.stringContaining(workqueueErrors.INVALID_OPTION),
    facts: expect.objectContaining({ option }),
  });

const none = null as never;

describe('invalid options throw at the call and name the option', () => {
  test.each([
    ['concurrency', () => new WorkQueue({ ['concurrency' as string]: 4 })],
    ['keyOf', () => new WorkQueue({ keyOf: 5 as never })],
    ['clock', () => new WorkQueue({ clock: none })],
    ['clock.now', () => new WorkQueue({ clock: { now: 5 as never } })],
    ['clock.time', () => new WorkQueue({ clock: { now: () => 0, ['time' as string]: 1 } })],
    ['causes.sameCause', () => new WorkQueue({ causes: { sameCause: 'id' as never } })],
    ['backoff', () => new WorkQueue({ backoff: {}, rateLimiter: new ExponentialBackoff() })],
    ['backoff.base', () => new WorkQueue({ backoff: { base: -1 } })],
    ['backoff.max', () => new ExponentialBackoff({ max: Number.NaN })],
    ['factor', () => new ExponentialBackoff({ ['factor' as string]: 3 })],
    ['perSecond', () => new TokenBucket({ perSecond: 0, burst: 1 })],
    ['burst', () => new TokenBucket({ perSecond: 1, burst: 0 })],
    ['fastAttempts', () => new FastSlowLimiter({ fast: 1, slow: 2, fastAttempts: -1 })],
    ['max', () => new CappedLimiter(new ExponentialBackoff(), -1)],
    ['priority', () => new WorkQueue<string>().add('foo', { priority: Number.NaN })],
    ['priority', () => new WorkQueue<string>().add('foo', { priority: Infinity })],
    ['prority', () => new WorkQueue<string>().add('foo', { ['prority' as string]: 1 })],
    ['drian', () => new WorkQueue<string>().shutDown({ ['drian' as string]: true })],
    ['after', () => new WorkQueue<string>().add('foo', { after: Infinity })],
    ['onAvailable.listener', () => new WorkQueue().onAvailable(undefined as never)],
    ['withdraw.matches', () => new WorkQueue().withdraw(none)],
    ['processingFor.matches', () => new WorkQueue().processingFor('x' as never)],
    ['after', () => new WorkQueue<string>().add('foo', { after: '5s' as unknown as number })],
    ['options', () => new WorkQueue(none)],
    ['options', () => new WorkQueue<string>().add('foo', none)],
    ['ageAfter', () => new WorkQueue({ ageAfter: -1 })],
    ['ageAfter', () => new WorkQueue({ ageAfter: '10s' as never })],
    ['groups.groupOf', () => new WorkQueue({ groups: { groupOf: 'namespace' as never } })],
    [
      'groups.weightOf',
      () => new WorkQueue({ groups: { groupOf: () => 'a', weightOf: {} as never } }),
    ],
    ['groups.groupOf', () => new WorkQueue({ groups: { weightOf: () => 1 } as never })],
    ['onError', () => new WorkQueue({ onError: 'log' as never })],
    ['name', () => new WorkQueue({ name: 5 as unknown as string })],
    ['observer', () => new WorkQueue({ observer: 'log' as never })],
    ['observer.added', () => new WorkQueue({ observer: { added: 'log' } as never })],
    ['backoff', () => new WorkQueue({ backoff: none })],
    ['rateLimiter', () => new WorkQueue({ rateLimiter: none })],
    ['rateLimiter', () => new WorkQueue({ rateLimiter: { delay: () => 0 } as never })],
    ['limiters', () => new CombinedLimiter([new ExponentialBackoff()] as never)],
    ['limiter', () => new CappedLimiter(none, 1)],
    ['rateLimited', () => new WorkQueue<string>().add('foo', { rateLimited: 'no' as never })],
    ['causes', () => new WorkQueue<string>().add('foo', { causes: 'why' as never })],
    ['signal', () => new WorkQueue<string>().get(new AbortController() as never)],
  ])('%s', (option, call) => {
    expect(call).toThrow(invalid(option));
  });

  test('an add with an invalid number does not change the queue', () => {
    const queue = new WorkQueue<string>();
    expect(() => queue.add('foo', { after: Number.NaN })).toThrow(invalid('after'));
    expect([queue.length, queue.waiting]).toEqual([0, 0]);
  });
});

describe('WorkQueueError', () => {
  test('appends its facts to the constant message', () => {
    const { QUEUE_SHUT_DOWN: message } = workqueueErrors;
    expect(new WorkQueueError('QUEUE_SHUT_DOWN').message).toBe(message);
    expect(new WorkQueueError('QUEUE_SHUT_DOWN', { queue: 'foo', length: 2 }).message).toBe(
      `${message} (queue=foo, length=2)`,
    );
  });
});
