import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { observerMethods } from './work-queue-observer.ts';
import { functionNames } from './work-queue-options.ts';
import { WorkQueue, WorkQueueError, type RateLimiter } from '../index.ts';

type Fault = (...given: unknown[]) => never;
type Queue = WorkQueue<string, string>;

const boom = new Error('boom');

const THEN = ['th', 'en'].join('');

/** A thenable that rejects. */
function rejecting(): object {
  const value = (_: unknown, reject: (error: unknown) => void): void => reject(boom);
  return Object.defineProperty({}, THEN, { value });
}

/** A thenable whose `then` throws. */
function throwing(): object {
  const get = (): never => {
    throw boom;
  };
  return Object.defineProperty({}, THEN, { get });
}

/** How a function of the user goes wrong. `queue` is the one that calls it. */
const faults: Readonly<Record<string, (queue: () => Queue) => Fault>> = {
  'a throw': () => () => {
    throw boom;
  },
  'a rejection': () => (() => Promise.reject(boom)) as Fault,
  'a thenable that rejects': () => (() => rejecting()) as Fault,
  'a thenable whose then throws': () => (() => throwing()) as Fault,
  'a call of the queue': (queue) =>
    ((...given: unknown[]): unknown => queue().add(`re-entered ${String(given[0])}`)) as Fault,
};

const limiter: RateLimiter = {
  delay: () => 5,
  charge: () => undefined,
  forget: () => undefined,
  failures: () => 0,
};

/** One place at which a queue calls a function of the user, and the steps that lead there. */
interface Place {
  readonly options?: (fault: Fault) => Record<string, unknown>;
  readonly steps?: (queue: Queue, fault: Fault) => void;
}

const places: Readonly<Record<string, Place>> = {
  now: { options: (now) => ({ clock: { now } }) },
  sameCause: { options: (sameCause) => ({ causes: { sameCause } }) },
  sourceOf: { options: (sourceOf) => ({ causes: { sourceOf } }) },
  groupOf: { options: (groupOf) => ({ groups: { groupOf } }) },
  weightOf: { options: (weightOf) => ({ groups: { groupOf: (item: string) => item, weightOf } }) },
  onLeave: { options: (onLeave) => ({ onLeave }) },
  'rateLimiter.delay': { options: (delay) => ({ rateLimiter: { ...limiter, delay } }) },
  'rateLimiter.charge': { options: (charge) => ({ rateLimiter: { ...limiter, charge } }) },
  'rateLimiter.forget': { options: (forget) => ({ rateLimiter: { ...limiter, forget } }) },
  'counter.charge': {
    steps: (queue, charge) =>
      queue.limitRetries({ rateLimiter: limiter, counter: { ...limiter, charge } }),
  },
  'take.suspends': {
    steps: (queue, suspends) => {
      queue.add('offered');
      queue.done(queue.take(suspends)?.item ?? 'none');
    },
  },
  ...Object.fromEntries(
    observerMethods.map((method) => [
      `observer.${method}`,
      { options: (fault: Fault) => ({ name: 'observed', observer: { [method]: fault } }) },
    ]),
  ),
};

/** Leads to a call of every function: adds, failures, retries, withdrawals, purges and a drain. */
function use(queue: Queue, steps: (queue: Queue) => void): string[] {
  const handedOut: string[] = [];
  const take = (): void => {
    for (let work = queue.take(); work !== undefined; work = queue.take()) {
      handedOut.push(work.item);
    }
  };
  queue.add('kept', { cause: 'one' });
  queue.add('kept', { causes: ['one', 'two'] });
  take();
  queue.add('kept', { cause: 'two' });
  queue.add('kept', { rateLimited: true, backoff: 0, cause: 'three' });
  steps(queue);
  queue.add('gone', { cause: 'gone' });
  queue.add('gone', { rateLimited: true });
  queue.add('failing', { rateLimited: true });
  queue.withdraw((source) => source === 'gone');
  queue.reassign(
    (source) => source === 'two',
    () => ['four'],
  );
  queue.purge((item) => item === 'gone');
  queue.forget('failing');
  queue.done('kept');
  take();
  void queue.shutDown({ drain: true });
  queue.add('kept', { rateLimited: true });
  queue.done('kept');
  return handedOut;
}

describe('the guard of user code', () => {
  const unhandled: unknown[] = [];
  const listener = (error: unknown): number => unhandled.push(error);

  beforeEach(() => {
    unhandled.length = 0;
    process.on('unhandledRejection', listener);
  });

  afterEach(() => {
    process.off('unhandledRejection', listener);
  });

  test('the table below has every function of the options and of an observer', () => {
    const named = new Set(Object.keys(places).map((place) => place.split('.')[0]));
    // A `keyOf` that fails throws, and an error of `onError` cannot be reported: both have tests of their own.
    const others = ['keyOf', 'onError'];
    expect([...functionNames, 'rateLimiter'].filter((name) => !named.has(name))).toEqual(others);
    const methods = observerMethods.map((method) => `observer.${method}`);
    expect(Object.keys(places)).toEqual(expect.arrayContaining(methods));
  });

  describe.each(Object.entries(places))('%s', (name, { options, steps }) => {
    test.each(Object.entries(faults))(
      '%s is reported, and no item is lost',
      async (kind, faultOf) => {
        const errors: WorkQueueError[] = [];
        let calls = 0;
        const fault = faultOf(() => queue);
        const counted = ((...given: unknown[]) => {
          calls += 1;
          return fault(...given);
        }) as Fault;
        const queue: Queue = new WorkQueue<string, string>({
          onError: (error) => errors.push(error),
          ...options?.(counted),
        });
        const handedOut = use(queue, (used) => steps?.(used, counted));
        await setImmediate();
        await queue.shutDown();
        await setImmediate();
        expect(handedOut).toEqual(expect.arrayContaining(['kept', 'kept']));
        expect(handedOut.filter((item) => item !== 'kept' && item !== 'failing')).toEqual([]);
        expect(unhandled).toEqual([]);
        expect(calls).toBeGreaterThan(0);
        expect(errors).toHaveLength(calls);
        for (const error of errors) {
          expect(error).toMatchObject({ code: 'USER_FUNCTION_FAILED', facts: { function: name } });
        }
        const inner = errors[0]?.cause;
        if (kind === 'a throw') expect(inner).toBe(boom);
        if (kind === 'a call of the queue') expect(inner).toMatchObject({ code: 'REENTRANT_CALL' });
      },
    );
  });

  test.each(['now', 'groupOf', 'weightOf', 'rateLimiter.delay'])(
    'a rejecting promise as a member of the result of %s is reported, and no item is lost',
    async (name) => {
      const errors: WorkQueueError[] = [];
      const fault = (() => ({ key: [Promise.reject(boom)] })) as unknown as Fault;
      const options = places[name]?.options?.(fault);
      const onError = (error: WorkQueueError): unknown => errors.push(error);
      const queue: Queue = new WorkQueue<string, string>({ onError, ...options });
      const handedOut = use(queue, () => undefined);
      await setImmediate();
      await queue.shutDown();
      await setImmediate();
      expect(handedOut).toEqual(expect.arrayContaining(['kept', 'kept']));
      expect(unhandled).toEqual([]);
      expect(errors[0]).toMatchObject({ facts: { function: name } });
    },
  );

  test.each(Object.entries(faults).filter(([kind]) => kind !== 'a call of the queue'))(
    'a listener of onAvailable with %s does not affect the other listeners',
    async (_, faultOf) => {
      const errors: WorkQueueError[] = [];
      const taken: unknown[] = [];
      const queue: Queue = new WorkQueue({ onError: (error) => errors.push(error) });
      queue.onAvailable(faultOf(() => queue));
      queue.onAvailable(() => void taken.push(queue.take()?.item));
      queue.add('one');
      await setImmediate();
      queue.add('two');
      await setImmediate();
      expect(taken).toEqual(['one', 'two']);
      expect(errors).toHaveLength(2);
      expect(errors[0]?.facts).toEqual({ function: 'onAvailable' });
      expect(unhandled).toEqual([]);
    },
  );

  test('a listener of onAvailable may add items and listeners', async () => {
    const taken: unknown[] = [];
    const queue = new WorkQueue<string>();
    const listen = (): void => {
      const item = queue.take()?.item;
      if (item === undefined) return;
      taken.push(item);
      if (taken.length < 3) queue.add(`item ${taken.length}`);
      queue.onAvailable(listen);
      queue.onAvailable(() => listen());
    };
    queue.onAvailable(listen);
    queue.add('item 0');
    await setImmediate();
    expect(taken).toEqual(['item 0', 'item 1', 'item 2']);
  });

  test.each(Object.entries(faults))(
    'a keyOf with %s throws at the call, which changes nothing',
    async (kind, faultOf) => {
      let fails = true;
      const fault = faultOf(() => queue);
      const queue: Queue = new WorkQueue({
        keyOf: (item) => (fails ? fault(item) : item),
      });
      const calls = [
        () => queue.add('a'),
        () => queue.forget('a'),
        () => queue.done('b'),
        () => queue.isHeld('a'),
      ];
      for (const call of calls) expect(call).toThrow(kind === 'a throw' ? 'boom' : WorkQueueError);
      fails = false;
      queue.add('a');
      expect([queue.length, queue.take()?.item]).toEqual([1, 'a']);
      await setImmediate();
      expect(unhandled).toEqual([]);
    },
  );

  test.each(Object.entries(faults).filter(([kind]) => kind !== 'a call of the queue'))(
    'functions that a caller passes with %s make their call fail, which changes nothing',
    async (kind, faultOf) => {
      const queue: Queue = new WorkQueue();
      const fault = faultOf(() => queue);
      for (const item of ['a', 'b', 'c']) queue.add(item, { cause: item });
      queue.take();
      const calls = [
        () => queue.withdraw(fault),
        () => queue.reassign(fault, () => []),
        () => queue.reassign(() => true, fault),
        () => queue.purge(fault),
        () => queue.processingFor(fault),
      ];
      for (const call of calls) expect(call).toThrow(kind === 'a throw' ? 'boom' : WorkQueueError);
      expect([queue.length, queue.held, queue.isWithdrawn('a')]).toEqual([2, 1, false]);
      expect([queue.take()?.causes, queue.take()?.causes]).toEqual([['b'], ['c']]);
      await setImmediate();
      expect(unhandled).toEqual([]);
    },
  );

  test.each([0, 1, 2, 3])(
    'a cause that matches or heirsOf adds is kept, whenever they add it: call %i',
    (at) => {
      for (const act of ['withdraw', 'reassign', 'purge'] as const) {
        const queue: Queue = new WorkQueue();
        for (const item of ['a', 'b']) queue.add(item, { causes: ['dead', `dead ${item}`] });
        let calls = 0;
        let added = false;
        const live = (): void => {
          if (calls++ !== at) return;
          queue.add('a', { cause: 'live' });
          queue.add('c', { cause: 'live' });
          added = true;
        };
        const matches = (source: string): boolean => {
          live();
          return source.startsWith('dead');
        };
        if (act === 'withdraw') queue.withdraw(matches);
        else if (act === 'purge') queue.purge((item) => (live(), item === 'b'));
        else
          queue.reassign(
            (source) => source.startsWith('dead'),
            () => {
              live();
              return [];
            },
          );
        const left = [queue.take(), queue.take()].filter((work) => work !== undefined);
        const kept = left.filter(({ causes }) => causes.includes('live')).map(({ item }) => item);
        expect(kept).toEqual(added ? ['a', 'c'] : []);
      }
    },
  );

  test.each(Object.entries(faults))('an onError with %s affects nothing', async (_, faultOf) => {
    const queue: Queue = new WorkQueue<string, string>({
      groups: { groupOf: () => 5 as never },
      onError: faultOf(() => queue),
    });
    queue.add('a');
    expect(queue.take()?.item).toBe('a');
    await setImmediate();
    expect(unhandled).toEqual([]);
  });
});
