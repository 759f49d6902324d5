import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks';

/**
 * Calls the functions that users supply. Each call has an async context of its own, which begins as
 * that in which this was created: an `AsyncLocalStorage` store or a trace span that one call enters
 * is invisible in the others and in our own code.
 */
export class UserCode {
  /** Runs our own code in the context of the creation: what it starts keeps no other one alive. */
  readonly inContext: <Arguments extends unknown[], Result>(
    act: (...given: Arguments) => Result,
    ...given: Arguments
  ) => Result = AsyncLocalStorage.snapshot();

  /** Calls a function of the user; what it throws goes to the caller. */
  call<Arguments extends unknown[], Result>(
    act: (...given: Arguments) => Result,
    ...given: Arguments
  ): Result {
    return this.inContext<[typeof act, Arguments], Result>(inOwnContext, act, given);
  }

  /** Calls a function of the user and isolates its errors: then the result is `undefined`. */
  attempt<Arguments extends unknown[], Result>(
    act: (...given: Arguments) => Result,
    failed: (error: unknown) => void,
    ...given: Arguments
  ): Result | undefined {
    try {
      return this.call(act, ...given);
    } catch (error) {
      failed(error);
      return undefined;
    }
  }
}

/** Before Node.js 24 a store that is entered belongs to the resource that runs: hence a new one for each call. */
function inOwnContext<Arguments extends unknown[], Result>(
  act: (...given: Arguments) => Result,
  given: Arguments,
): Result {
  const resource = new AsyncResource('KeelsonUserCode', { requireManualDestroy: true });
  return resource.runInAsyncScope(act, undefined, ...given);
}
