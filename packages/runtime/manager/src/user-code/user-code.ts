import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks';
import type { BlockedSpan } from '../event-loop/blocked-span.ts';
import type { UserCall, UserCalls } from '../event-loop/user-calls.ts';

const RESOURCE_TYPE = 'KeelsonUserCode';

/** True if the scope of an async resource ends the stores that code enters in it: since Node.js 24. */
const SCOPES_END_STORES: boolean = scopesEndStores();

/**
 * Calls the functions that users supply, each in an async context of its own. The context begins as the context in
 * which this instance was created. An `AsyncLocalStorage` store or a trace span that one call enters is invisible
 * to other calls and to Keelson.
 */
export class UserCode {
  readonly #resource = new AsyncResource(RESOURCE_TYPE, { requireManualDestroy: true });
  readonly #calls: Pick<UserCalls, 'warnAfter' | 'report'> | undefined;
  /** Milliseconds from which a call is reported. A copy of `calls.warnAfter`, because every event compares it. */
  readonly warnAfter: number;

  /** `calls` receives the calls that block the event loop; default: none. */
  constructor(calls?: Pick<UserCalls, 'warnAfter' | 'report'>) {
    this.#calls = calls;
    this.warnAfter = calls?.warnAfter ?? Infinity;
  }

  /** Runs code of Keelson in the async context of the creation, so that it keeps no other context alive. */
  inContext<Arguments extends unknown[], Result>(
    act: (...given: Arguments) => Result,
    ...given: Arguments
  ): Result {
    return this.#resource.runInAsyncScope(act, undefined, ...given);
  }

  /** Returns a function that runs code of Keelson in the async context of the creation. */
  bound(act: () => void): () => void {
    return this.#resource.runInAsyncScope.bind(this.#resource, act, undefined) as () => void;
  }

  /** Calls a function of the user and throws its errors. */
  call<Arguments extends unknown[], Result>(
    act: (...given: Arguments) => Result,
    ...given: Arguments
  ): Result {
    if (SCOPES_END_STORES) return this.#resource.runInAsyncScope(act, undefined, ...given);
    return this.inContext<[typeof act, Arguments], Result>(inOwnResource, act, given);
  }

  /** Calls a function of the user, reports it if it blocks the event loop, and throws its errors. */
  timed<Arguments extends unknown[], Result>(
    call: UserCall,
    act: (...given: Arguments) => Result,
    ...given: Arguments
  ): Result {
    const startedAt = performance.now();
    try {
      return this.call(act, ...given);
    } finally {
      const endedAt = performance.now();
      if (endedAt - startedAt >= this.warnAfter) this.blocked(call, { startedAt, endedAt });
    }
  }

  /** Reports a call that blocked the event loop, which takes `warnAfter` or longer. */
  blocked(call: UserCall, span: BlockedSpan): void {
    this.#calls?.report(call, span);
  }

  /** Calls a function of the user. On an error calls `failed` and returns `undefined`. */
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

/** Before Node.js 24 an entered store belongs to the running resource, so each call gets a new resource. */
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
