import { AsyncResource } from 'node:async_hooks';
import { ignoreRejections, invalidOption } from '@keelson/apimachinery';
import { nodeUtil } from './node-util.ts';

const RESOURCE_TYPE = 'KeelsonInformerUserCode';

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
    const result = code(argument);
    return typeof result === 'object' ? settled(result, onError) : result;
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
    const result = self[name](argument);
    return typeof result === 'object' ? settled(result, onError) : result;
  } catch (error) {
    onError(error);
    return FAILED;
  }
}

/**
 * Calls the functions of one user in the async context in which this instance was created: that of their registration.
 * Otherwise they would run in the context of the watch, which another user may have started.
 */
export class UserCode {
  /**
   * Keeps the async context. Each handler enters it for every event, and this takes a tenth of the time of a function
   * of `AsyncLocalStorage.snapshot()`.
   */
  readonly #resource = new AsyncResource(RESOURCE_TYPE, { requireManualDestroy: true });
  readonly #onError: (error: unknown) => void;

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  /** Does the same as {@link callUserCode}. */
  call<A>(code: (argument: A) => unknown, argument: A): unknown {
    return this.#resource.runInAsyncScope(
      callUserCode<A>,
      undefined,
      this.#onError,
      code,
      argument,
    );
  }

  /** Does the same as {@link callMethod}. */
  callMethod<N extends string, A>(
    self: Readonly<Record<N, (argument: A) => unknown>>,
    name: N,
    argument: A,
  ): unknown {
    return this.#resource.runInAsyncScope(
      callMethod<N, A>,
      undefined,
      this.#onError,
      self,
      name,
      argument,
    );
  }
}

/** A method of an observer. */
export type Method = (first: unknown, second: unknown, third: unknown) => unknown;

/**
 * Wraps a method of an observer. Its first error becomes a process warning (`OBSERVER_FAILED`). The wrapper passes three
 * arguments one by one, the most that any method has, because a rest parameter would allocate an array for every event.
 */
export function guardedMethod(observer: object, name: string, code: Method): Method {
  const onError = warnOnce(`the observer's ${name}`);
  return (first, second, third) => {
    try {
      const result = code.call(observer, first, second, third);
      return typeof result === 'object' ? settled(result, onError) : result;
    } catch (error) {
      return onError(error);
    }
  };
}

/**
 * Calls a function that returns a number, such as a clock. While it fails, its last number is used. The first error
 * becomes a process warning (`OBSERVER_FAILED`).
 */
export function guardedNumber(name: string, read: () => number): () => number {
  let last = 0;
  const failed = warnOnce(name);
  return () => {
    try {
      const number: unknown = read();
      if (typeof number === 'number' && Number.isFinite(number)) last = number;
      else {
        ignoreRejections(number);
        failed(invalidOption(name, 'must return a finite number'));
      }
    } catch (error) {
      failed(error);
    }
    return last;
  };
}

/** Returns a function that reports the first of its errors as a process warning. */
function warnOnce(what: string): (error: unknown) => void {
  let hasFailed = false;
  return (error) => {
    if (hasFailed) return;
    hasFailed = true;
    process.emitWarning(`${what} failed: ${nodeUtil.inspect(error)}`, {
      type: 'KeelsonWarning',
      code: 'OBSERVER_FAILED',
    });
  };
}

/** Returns the result of user code. A rejection of a promise goes to `onError`. */
function settled(result: unknown, onError: (error: unknown) => void): unknown {
  if (isThenable(result)) result.then(undefined, onError);
  return result;
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  if (typeof value !== 'object' || value === null) return false;
  return typeof (value as Partial<PromiseLike<unknown>>).then === 'function';
}
