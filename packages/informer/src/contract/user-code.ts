import { inspect } from 'node:util';
import type { InformerObserver } from './informer-observer.ts';

/** Returned in the place of the result of code that threw. */
export const FAILED: unique symbol = Symbol('user code failed');

/**
 * The one guard of this package around code that users supply. An error that the code throws, or a
 * rejection of the promise that it returns, goes to `onError` and affects nothing else.
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

/** The same for a method of an object that users supply. */
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

/** The names of what an observer may have. */
export const observerMethods: readonly string[] = Object.keys(METHODS);

/**
 * The same observer, whose errors affect nothing. There is no other place to report them, so the first
 * error of each method becomes a warning of the process (`OBSERVER_FAILED`).
 */
export function guardedObserver(observer: InformerObserver): InformerObserver {
  const methods = observerMethods.map((name) => {
    const code = observer[name as keyof InformerObserver];
    return [name, typeof code === 'function' ? guarded(observer, name, code as Method) : undefined];
  });
  return Object.fromEntries(methods) as InformerObserver;
}

type Method = (first: unknown, second: unknown, third: unknown) => unknown;

/** No method has more arguments than three; handed on one by one, they cost no allocation per event. */
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
