import { SharedSlice, systemClock } from '@keelson/apimachinery';
import { RequestDaemons } from '../daemons/request-daemons.ts';
import type { RequestIdentity } from '../reconcile/request.ts';
import type { Reconcile } from '../reconcile/reconcile.ts';
import type { ControllerObserver } from '../run/controller-observer.ts';
import type { ReconcileLoopOptions } from '../run/reconcile-loop.ts';
import { resolvePriorities } from '../sources/event-rules/request-priorities.ts';
import { CallScope } from '../user-code/call-scope.ts';
import { UserCode } from '../user-code/user-code.ts';
import { FakeCache } from './fake-cache.test-support.ts';
import { nothing, silent, unusedClient } from './fixtures.test-support.ts';
import { unwatchedCalls } from './unwatched-calls.test-support.ts';

/** An observer of a controller that measures nothing. */
export const unobserved: ControllerObserver = {
  queue: {},
  attach: nothing,
  reconcileStarted: nothing,
  reconcileEnded: nothing,
  deadLetter: nothing,
  queueFunctionFailed: nothing,
  terminalError: nothing,
  panic: nothing,
  invalidResult: nothing,
  timedOut: nothing,
  sourceError: nothing,
  eventHandled: nothing,
  eventDelayed: nothing,
  fieldManagersFight: nothing,
  blocked: nothing,
  removed: nothing,
};

interface LoopParts<Q extends object> {
  readonly identify: RequestIdentity<Q>;
  readonly reconcile: Reconcile<Q>;
  readonly observer?: ControllerObserver;
  readonly clock?: ReconcileLoopOptions<Q>['dependencies']['clock'];
}

/** The options of a loop without a manager: three workers, and a backoff of 1 ms. */
export function loopOptions<Q extends object>(parts: LoopParts<Q>): ReconcileLoopOptions<Q> {
  const { identify, reconcile, observer = unobserved, clock = systemClock } = parts;
  const userCode = new UserCode();
  const client = unusedClient();
  const cache = new FakeCache();
  const events = { record: nothing };
  const daemons = { client, clock, log: silent, userCode, observer };
  return {
    controller: 'alone',
    queueOptions: {},
    shards: undefined,
    spansClusters: false,
    reconcile,
    settings: {
      ageAfter: 0,
      maxAttempts: 0,
      maxReconcileInterval: 0,
      tokenBucket: undefined,
      concurrency: 3,
      timeout: 0,
      priorities: resolvePriorities(),
      backoff: { base: 1, max: 1 },
    },
    dependencies: {
      cache,
      client,
      clusters: { get: () => ({ name: 'far', cache, client, events }) },
      origins: { check: nothing },
      log: silent,
      clock,
      events,
      observer,
      calls: unwatchedCalls,
    },
    observer,
    slice: new SharedSlice(),
    callScope: new CallScope(),
    userCode,
    identify,
    history: undefined,
    earlierRuns: new Map(),
    tracker: {
      size: 0,
      isUsed: false,
      begin: () => ({ track: async () => undefined }),
      ended: nothing,
    },
    daemons: new RequestDaemons({ controller: 'alone', ...daemons }),
  };
}
