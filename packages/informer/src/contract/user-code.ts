import { inspect } from 'node:util';
import type { InformerObserver } from './informer-observer.ts';

/** Returned instead of a result if user code threw. */
export const FAILED: unique symbol = Symbol('user code failed');

/**
 * The only guard of this package around user code. An error that the code throws, or a rejection of
 * the promise that it returns, goes to `onError` and affects nothing else.
 */
export function callUserCode<A>(
  onError: (error: unknown) => void,
  code: (argument: A) => unknown,
  argument: A,
): unknown {
  try {
    return settled(code(argument), onError);
  } catch (error) {
    onError(error);
    return FAILED;
  }
}

/** Does the same as {@link callUserCode} for a method of an object that users supply. */
export function callMethod<N extends string, A>(
  onError: (error: unknown) => void,
  self: Readonly<Record<N, (argument: A) => unknown>>,
  name: N,
  argument: A,
): unknown {
  try {
    return settled(self[name](argument), onError);
  } catch (error) {
    onError(error);
    return FAILED;
  }
}

function settled(result: unknown, onError: (error: unknown) => void): unknown {
  if (isThenable(result)) result.then(undefined, onError);
  return result;
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  if (typeof value !== 'object' || value === null) return false;
  return typeof (value as Partial<PromiseLike<unknown>>).then === 'function';
}

const METHODS = {
  watchStarted: null,
  watchStopped: null,
  healthChanged: null,
  listing: null,
  restarting: null,
  event: null,
  skipped: null,
  watchError: null,
  handlerError: null,
  indexerError: null,
  loopRestarted: null,
  lingerReused: null,
  handleLeaked: null,
} satisfies Readonly<Record<keyof InformerObserver, null>>;

/** The names of all observer methods. */
export const observerMethods: readonly string[] = Object.keys(METHODS);

/**
 * Wraps an observer so that its errors affect nothing else. The first error of each method becomes
 * a process warning (`OBSERVER_FAILED`): the observer itself is the only place for reports.
 */
export function guardedObserver(observer: InformerObserver): InformerObserver {
  const methods = observerMethods.map((name) => {
    const code = observer[name as keyof InformerObserver];
    return [name, typeof code === 'function' ? guarded(observer, name, code as Method) : undefined];
  });
  return Object.fromEntries(methods) as InformerObserver;
}

type Method = (first: unknown, second: unknown, third: unknown) => unknown;

/**
 * Passes three arguments one by one, the most that any method has: a rest array would allocate on
 * every event.
 */
function guarded(observer: InformerObserver, name: string, code: Method): Method {
  let hasFailed = false;
  const onError = (error: unknown): void => {
    if (hasFailed) return;
    hasFailed = true;
    process.emitWarning(`the observer's ${name} failed: ${inspect(error)}`, {
      type: 'KeelsonWarning',
      code: 'OBSERVER_FAILED',
    });
  };
  return (first, second, third) => {
    try {
      return settled(code.call(observer, first, second, third), onError);
    } catch (error) {
      return onError(error);
    }
  };
}
