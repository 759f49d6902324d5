import type { UserCode } from '../contract/user-code.ts';

/** The consumers of a queue: waiting `get`s in their order, and listeners that call `take`. */
export class Waiters<Work> {
  readonly #take: () => Work | undefined;
  /** A set keeps the order of the calls and removes an aborted one in constant time. */
  readonly #waiting = new Set<(work: Work | undefined) => void>();
  readonly #listeners = new Set<() => void>();
  #woken = false;
  readonly #userCode: UserCode;

  constructor(take: () => Work | undefined, userCode: UserCode) {
    this.#take = take;
    this.#userCode = userCode;
  }

  get size(): number {
    return this.#waiting.size;
  }

  wait(signal: AbortSignal | undefined): Promise<Work | undefined> {
    return new Promise((resolve, reject) => {
      if (signal === undefined) {
        this.#waiting.add(resolve);
        return;
      }
      const settle = (work: Work | undefined): void => {
        signal.removeEventListener('abort', abort);
        resolve(work);
      };
      const abort = (): void => {
        this.#waiting.delete(settle);
        reject(signal.reason as Error);
      };
      signal.addEventListener('abort', abort, { once: true });
      this.#waiting.add(settle);
    });
  }

  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  /**
   * Serves the waiting consumers in a microtask, once for all adds of a turn, so that the highest
   * priority is handed out first.
   */
  wake(): void {
    if (this.#woken || (this.#waiting.size === 0 && this.#listeners.size === 0)) return;
    this.#woken = true;
    void Promise.resolve().then(this.#serve);
  }

  /** Ends every waiting `get` with `undefined`. */
  end(): void {
    for (const settle of this.#waiting) settle(undefined);
    this.#waiting.clear();
  }

  readonly #serve = (): void => {
    this.#woken = false;
    for (const settle of this.#waiting) {
      const work = this.#take();
      if (work === undefined) return;
      this.#waiting.delete(settle);
      settle(work);
    }
    // A copy, because a loop over the set would not end if each listener added a further one.
    for (const listener of Array.from(this.#listeners)) {
      if (this.#listeners.has(listener)) this.#userCode.notify('onAvailable', listener);
    }
  };
}
