import { WorkQueueError } from '../errors.ts';
import {
  ignoreRejection,
  ignoreRejections,
  isObject,
  isPromised,
  promiseOf,
} from './promised-result.ts';

/** Returned instead of a result if a function of the user failed. */
export const FAILED: unique symbol = Symbol('function of the user failed');

/** Names a function whose result the queue uses, and checks the result. */
export interface Question {
  /** The name in errors. */
  readonly name: string;
  /** False for a result that the queue cannot use. Promises are never valid. */
  readonly isValid: (result: unknown) => boolean;
}

/**
 * The only guard of this package around the functions of users. If one throws, rejects or returns an invalid value, the
 * queue reports one error and continues with a default. A function that runs in the middle of a change cannot call the
 * queue: it gets `REENTRANT_CALL`.
 */
export class UserCode {
  readonly #onError: (error: WorkQueueError) => void;
  /** The function that runs now in the middle of a change. */
  running: string | undefined;

  constructor(onError: ((error: WorkQueueError) => void) | undefined) {
    this.#onError = onError ?? warnOnce();
  }

  /** Throws `REENTRANT_CALL` while a function of the user runs in the middle of a change. */
  refuseReentry(): void {
    if (this.running === undefined) return;
    throw new WorkQueueError('REENTRANT_CALL', { function: this.running });
  }

  /** Returns the result of a function; `FAILED` if it throws or its result is invalid, which is reported. */
  ask<Given extends unknown[], Result>(
    { name, isValid }: Question,
    act: (...given: Given) => Result,
    ...given: Given
  ): Result | typeof FAILED {
    const outer = this.running;
    this.running = name;
    try {
      const result = act(...given);
      if (!isPromised(result) && isValid(result)) return result;
      this.#report(invalidResult(name, result));
    } catch (error) {
      this.#failed(name, error);
    } finally {
      this.running = outer;
    }
    return FAILED;
  }

  /** Wraps a function without a result, which the queue calls in the middle of a change. */
  guarded<Given extends unknown[]>(
    name: string,
    act: (...given: Given) => unknown,
  ): (...given: Given) => void {
    return (...given) => {
      const outer = this.running;
      this.running = name;
      try {
        const result = act(...given);
        if (result !== undefined) this.#watch(name, result);
      } catch (error) {
        this.#failed(name, error);
      } finally {
        this.running = outer;
      }
    };
  }

  /** Calls a function outside of any change, so that it may call the queue. */
  notify(name: string, act: () => unknown): void {
    try {
      const result = act();
      if (result !== undefined) this.#watch(name, result);
    } catch (error) {
      this.#failed(name, error);
    }
  }

  /** Returns the key of an item. Throws the error of the function, because its caller passed the item. */
  keyOf<Item>(act: (item: Item) => unknown, item: Item): unknown {
    this.running = 'keyOf';
    try {
      const key = act(item);
      return typeof key === 'string' ? key : requireResult('keyOf', key);
    } finally {
      this.running = undefined;
    }
  }

  /** Reports the rejection of a result that the queue does not wait for. */
  #watch(name: string, result: unknown): void {
    if (!isObject(result)) return;
    promiseOf(result).catch((error: unknown) => this.#failed(name, error));
  }

  #failed(name: string, cause: unknown): void {
    this.#report(new WorkQueueError('USER_FUNCTION_FAILED', { function: name }, { cause }));
  }

  #report(failure: WorkQueueError): void {
    const outer = this.running;
    this.running = 'onError';
    try {
      // A rejection of the reporter cannot be reported, as it has failed itself.
      ignoreRejection(this.#onError(failure));
    } catch {
      // An error of the reporter cannot be reported, and the queue must continue.
    } finally {
      this.running = outer;
    }
  }
}

/** Returns a result that is not a promise. Throws `USER_FUNCTION_FAILED` for a promise, whose rejection is ignored. */
export function requireResult<Result>(name: string, result: Result): Result {
  if (!isPromised(result)) return result;
  throw invalidResult(name, result);
}

function invalidResult(name: string, value: unknown): WorkQueueError {
  ignoreRejections(value);
  const type = isPromised(value) ? 'promise' : typeof value;
  const returned = typeof value === 'number' ? value : type;
  return new WorkQueueError('USER_FUNCTION_FAILED', { function: name, returned });
}

/** Emits one process warning for each function: a function that fails once usually fails for every item. */
function warnOnce(): (error: WorkQueueError) => void {
  const warned = new Set<unknown>();
  return (error) => {
    const { function: name } = error.facts;
    if (warned.has(name)) return;
    warned.add(name);
    process.emitWarning(error);
  };
}
