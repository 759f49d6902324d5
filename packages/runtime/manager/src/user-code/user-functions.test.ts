import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { Controller } from '../controller/controller.ts';
import type { ControllerOptions } from '../controller/controller-options.ts';
import { byType } from '../sources/event-rules/event-predicates.ts';
import { and, not, or } from '../sources/event-rules/predicate.ts';
import type { Request } from '../reconcile/request.ts';
import {
  eventually,
  managersOfTest,
  objectOf,
  recordingLogger,
  running,
  toSelf,
  valueOf,
  WebApp,
} from '../testing/fixtures.test-support.ts';

const managers = managersOfTest();
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

/** An error whose code cannot be read. */
function unreadable(): Error {
  const get = (): never => {
    throw boom;
  };
  return Object.defineProperty(new Error('unreadable'), 'code', { get });
}

const rejected = (): Promise<never> => Promise.reject(boom);

type Fault = (...given: unknown[]) => never;
type Options = Partial<ControllerOptions>;

/** How a function of the user goes wrong. */
const faults: Readonly<Record<string, (controller: () => Controller) => Fault>> = {
  throws: () => () => {
    throw boom;
  },
  'throws an error that cannot be read': () => () => {
    throw unreadable();
  },
  rejects: () => (() => Promise.reject(boom)) as Fault,
  'returns a thenable that rejects': () => (() => rejecting()) as Fault,
  'returns a thenable whose then throws': () => (() => throwing()) as Fault,
  'returns an object with promises that reject': () =>
    (() => ({ namespace: 'default', name: rejected(), requeueAfter: rejected() })) as Fault,
  'queues a request itself': (controller) =>
    ((): unknown => controller().enqueue({ namespace: 'default', name: 'within' })) as Fault,
};

/** How the errors of a function are counted, and how often each is logged. */
interface Report {
  readonly metric: string;
  readonly message: string;
}

const ofSource: Report = { metric: 'keelson_handler_errors_total', message: 'source failed' };
const ofQueue: Report = {
  metric: 'keelson_queue_function_errors_total',
  message: 'function of the queue failed',
};

interface Place {
  readonly options?: (fault: Fault) => Options;
  readonly source?: (fault: Fault) => unknown;
  readonly report: Report;
  /** True if the function may have no result and call the controller. */
  readonly mayReturnNothing?: boolean;
  /** True if members of the result are not read. */
  readonly readsNoMembers?: boolean;
  /** True if no request exists without a result of the function. */
  readonly decidesRequests?: boolean;
}

const limiter = { delay: () => 1, charge: () => {}, forget: () => {}, failures: () => 0 };
const watching = (rest: object): Options => ({
  watches: [{ resource: WebApp, map: toSelf as never, ...rest }],
});

function* yielding(next: Fault): Generator<Request> {
  yield next();
}

const places: Readonly<Record<string, Place>> = {
  map: {
    options: (map) => watching({ map }),
    report: ofSource,
    mayReturnNothing: true,
    decidesRequests: true,
  },
  'an iterable of map': {
    options: (next) => watching({ map: () => yielding(next) }),
    report: ofSource,
    decidesRequests: true,
  },
  'an iterator of map': {
    readsNoMembers: true,
    options: (next) => watching({ map: () => ({ [Symbol.iterator]: () => ({ next }) }) }),
    report: ofSource,
    decidesRequests: true,
  },
  'an item of map': {
    options: (item) => watching({ map: () => [item()] }),
    report: ofSource,
    decidesRequests: true,
  },
  'an item of map for keyOf': {
    options: (item) => ({ ...watching({ map: () => [item()] }), keyOf: ({ name }) => name }),
    report: ofSource,
    decidesRequests: true,
  },
  predicates: {
    readsNoMembers: true,
    options: (one) => watching({ predicates: [one] }),
    report: ofSource,
    mayReturnNothing: true,
  },
  'predicates of a controller': {
    readsNoMembers: true,
    options: (one) => ({ ...watching({}), predicates: [one] }),
    report: ofSource,
    mayReturnNothing: true,
  },
  'predicates within and, or, not and byType': {
    readsNoMembers: true,
    options: (one) => watching({ predicates: [and(or(not(one)), byType({ added: one }))] }),
    report: ofSource,
    mayReturnNothing: true,
  },
  'rateLimiter.delay': {
    options: (delay) => ({ ...watching({}), rateLimiter: { ...limiter, delay } }),
    report: ofQueue,
  },
  'rateLimiter.charge': {
    readsNoMembers: true,
    options: (charge) => ({ ...watching({}), rateLimiter: { ...limiter, charge } }),
    report: ofQueue,
  },
  'rateLimiter.forget': {
    readsNoMembers: true,
    options: (forget) => ({ ...watching({}), rateLimiter: { ...limiter, forget } }),
    report: ofQueue,
  },
  groupOf: { options: (groupOf) => ({ ...watching({}), groupOf }), report: ofQueue },
  weightOf: {
    options: (weightOf) => ({ ...watching({}), groupOf: ({ name }) => name, weightOf }),
    report: ofQueue,
  },
  errorPolicy: {
    options: (errorPolicy) => ({ ...watching({}), errorPolicy }),
    report: { ...ofQueue, message: 'errorPolicy failed' },
    mayReturnNothing: true,
  },
  onDeadLetter: {
    readsNoMembers: true,
    options: (onDeadLetter) => ({ ...watching({}), errorPolicy: () => 'terminal', onDeadLetter }),
    report: { ...ofQueue, message: 'onDeadLetter failed' },
    mayReturnNothing: true,
  },
  'sources.requests': {
    source: (requests) => requests,
    report: ofSource,
  },
  'the iterator of sources.requests': {
    source: (iterator) => ({ [Symbol.asyncIterator]: iterator }),
    report: ofSource,
  },
  'next of sources.requests': {
    readsNoMembers: true,
    source: (next) => ({ [Symbol.asyncIterator]: () => ({ next }) }),
    report: ofSource,
  },
  keyOf: {
    options: (keyOf) => ({ ...watching({}), keyOf }),
    report: ofSource,
    decidesRequests: true,
  },
};

describe('the functions of users that a controller calls', () => {
  const unhandled: unknown[] = [];
  const listener = (error: unknown): number => unhandled.push(error);

  beforeEach(() => {
    unhandled.length = 0;
    process.on('unhandledRejection', listener);
    process.on('uncaughtException', listener);
  });

  afterEach(() => {
    process.off('unhandledRejection', listener);
    process.off('uncaughtException', listener);
  });

  describe.each(Object.entries(places))('%s', (name, place) => {
    const { report, options, source, mayReturnNothing = false, decidesRequests = false } = place;
    const possible = Object.entries(faults).filter(
      ([kind]) => place.readsNoMembers !== true || !kind.startsWith('returns an object'),
    );

    test.each(possible)(
      'that %s: the process survives, no request is lost, and the error is counted and logged once',
      async (kind, faultOf) => {
        const { logger, lines } = recordingLogger();
        const { manager, cache } = managers.make({ logger });
        const runs: string[] = [];
        let calls = 0;
        const faulty = faultOf(() => controller);
        const fault = ((...given: unknown[]): unknown => {
          calls += 1;
          return faulty(...given);
        }) as Fault;
        let failures = 0;
        const controller: Controller = manager.addController({
          name: 'odd',
          ...watching({}),
          backoff: { base: 1, max: 1 },
          reconcile(request: Request) {
            runs.push(request.name);
            if (request.name === 'a' && failures++ === 0) throw new Error('planned');
          },
          ...options?.(fault),
          ...(name.startsWith('rateLimiter') && { backoff: undefined }),
        } as never);
        const beside: string[] = [];
        manager.addController({
          name: 'beside',
          for: WebApp,
          reconcile: (request) => void beside.push(request.name),
        });
        await running(manager);
        if (source !== undefined) {
          controller.addSource({ name: 'odd', requests: source(fault) as never });
        }
        for (const object of ['a', 'b']) cache.set(WebApp, objectOf(WebApp, object));
        await eventually(() => beside.length === 2 && calls > 0);
        const isReport = ({ message }: Record<string, unknown>): boolean =>
          message === report.message;
        const isFault = kind !== 'queues a request itself' || !mayReturnNothing;
        // A predicate without a result vetoes the event.
        const vetoes = !isFault && name.startsWith('predicates');
        if (!decidesRequests && !vetoes) {
          const wanted = name === 'onDeadLetter' ? 2 : 3;
          await eventually(() => runs.filter((run) => run !== 'within').length >= wanted);
        }
        if (isFault) await eventually(() => lines.some(isReport));
        await eventually(() => controller.running === 0 && controller.length === 0);
        for (let turn = 0; turn < 5; turn += 1) await setImmediate();

        expect(unhandled).toEqual([]);
        const counted = (await valueOf(manager, report.metric, { controller: 'odd' })) ?? 0;
        if (!isFault) {
          expect(counted).toBe(0);
          expect(runs).toContain('within');
          return;
        }
        expect(counted).toBe(calls);
        const perFunction = report.message === 'function of the queue failed';
        expect(lines.filter(isReport)).toHaveLength(perFunction ? 1 : calls);
      },
    );
  });
});
