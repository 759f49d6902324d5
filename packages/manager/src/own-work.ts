import { AsyncLocalStorage } from 'node:async_hooks';

/** Code of the user's that a manager waits for when it stops: a run of a reconcile, a runnable. */
export interface Work {
  readonly hasEnded: boolean;
}

/** Tells which work of a manager code belongs to, so that none ever waits for its own end. */
export class OwnWork {
  readonly #storage = new AsyncLocalStorage<Work>();

  /**
   * The work that the caller is part of. What a work left behind (a timer, a server) carries its
   * context on, but belongs to no work once that has ended.
   */
  get current(): Work | undefined {
    const work = this.#storage.getStore();
    return work?.hasEnded === true ? undefined : work;
  }

  /** Calls `act` as part of the work. */
  run<Arguments extends unknown[], Result>(
    work: Work,
    act: (...given: Arguments) => Result,
    ...given: Arguments
  ): Result {
    return this.#storage.run(work, act, ...given);
  }
}
