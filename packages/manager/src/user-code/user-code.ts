import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks';

const RESOURCE_TYPE = 'KeelsonUserCode';

/** Whether a store that is entered in the scope of a resource ends with the scope: so since Node.js 24. */
const SCOPES_END_STORES: boolean = scopesEndStores();

/**
 * Calls the functions that users supply. Each call has an async context of its own, which begins as
 * that in which this was created: an `AsyncLocalStorage` store or a trace span that one call enters
 * is invisible in the others and in our own code.
 */
export class UserCode {
  /** Keeps the context of the creation. */
  readonly #resource = new AsyncResource(RESOURCE_TYPE, { requireManualDestroy: true });

  /** Runs our own code in the context of the creation: what it starts keeps no other one alive. */
  inContext<Arguments extends unknown[], Result>(
    act: (...given: Arguments) => Result,
    ...given: Arguments
  ): Result {
    return this.#resource.runInAsyncScope(act, undefined, ...given);
  }

  /** Calls a function of the user; what it throws goes to the caller. */
  call<Arguments extends unknown[], Result>(
    act: (...given: Arguments) => Result,
    ...given: Arguments
  ): Result {
    if (SCOPES_END_STORES) return this.inContext(act, ...given);
    return this.inContext<[typeof act, Arguments], Result>(inOwnResource, act, given);
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

/** Without async context frames an entered store belongs to the resource that runs: hence a new one for each call. */
function inOwnResource<Arguments extends unknown[], Result>(
  act: (...given: Arguments) => Result,
  given: Arguments,
): Result {
  const resource = new AsyncResource(RESOURCE_TYPE, { requireManualDestroy: true });
  return resource.runInAsyncScope(act, undefined, ...given);
}

function scopesEndStores(): boolean {
  const storage = new AsyncLocalStorage<boolean>();
  const resource = new AsyncResource(RESOURCE_TYPE, { requireManualDestroy: true });
  resource.runInAsyncScope(() => storage.enterWith(true));
  const isLeft = resource.runInAsyncScope(() => storage.getStore()) === true;
  storage.disable();
  return !isLeft;
}
