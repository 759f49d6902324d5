import { WorkQueueError } from '../errors.ts';

/**
 * Calls the functions with which a user steers a queue: `groupOf`, `weightOf` and the methods of `rateLimiter`. If one
 * throws or returns an invalid value, the queue reports it and continues with a default. A function that calls the
 * queue itself gets `REENTRANT_CALL`, because the queue is in the middle of a change.
 */
export class UserCode {
  readonly #onError: (error: WorkQueueError) => void;
  /** The function that runs now. */
  #running: string | undefined;

  constructor(onError: ((error: WorkQueueError) => void) | undefined) {
    this.#onError = onError ?? warnOnce();
  }

  /** Throws `REENTRANT_CALL` while a function of the user runs. */
  refuseReentry(): void {
    if (this.#running === undefined) return;
    throw new WorkQueueError('REENTRANT_CALL', { function: this.#running });
  }

  /** Calls a function of the user. On an error reports it and returns `undefined`. */
  attempt<Result>(name: string, act: () => Result): Result | undefined {
    const outer = this.#running;
    this.#running = name;
    try {
      const result = act();
      // A type with the result `void` accepts an async function, whose rejection would end the process.
      if (result instanceof Promise) result.catch((error: unknown) => this.#failed(name, error));
      return result;
    } catch (error) {
      this.#failed(name, error);
      return undefined;
    } finally {
      this.#running = outer;
    }
  }

  /** Reports that a function of the user returned an invalid value. */
  invalid(name: string, value: unknown): void {
    const shown = typeof value === 'number' ? value : typeof value;
    this.#report(new WorkQueueError('USER_FUNCTION_FAILED', { function: name, returned: shown }));
  }

  #failed(name: string, cause: unknown): void {
    this.#report(new WorkQueueError('USER_FUNCTION_FAILED', { function: name }, { cause }));
  }

  #report(failure: WorkQueueError): void {
    const outer = this.#running;
    this.#running = 'onError';
    try {
      const result: unknown = this.#onError(failure);
      // Nothing is left to report a rejection to either.
      if (result instanceof Promise) result.catch(() => undefined);
    } catch {
      // Nothing is left to report it to, and the queue must continue.
    } finally {
      this.#running = outer;
    }
  }
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
