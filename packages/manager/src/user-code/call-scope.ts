import { AsyncLocalStorage } from 'node:async_hooks';

/** Code of the user's that a manager waits for when it stops: a run of a reconcile, a runnable. */
export interface Work {
  readonly hasEnded: boolean;
  /** Code that the work started threw, now or after its end, and no code caught it. */
  uncaught?(error: unknown): void;
  /** Marks the work as one that waits in a barrier. Returns the way to leave it. */
  enterBarrier?(): () => void;
}

/** Finds the run that the current code belongs to, so that no run waits for its own end. */
export class CallScope {
  readonly #storage = new AsyncLocalStorage<Work>();

  /**
   * The work that the caller is part of. What a work left behind (a timer, a server) carries its
   * context on, but belongs to no work once that has ended.
   */
  get current(): Work | undefined {
    const work = this.#storage.getStore();
    return work?.hasEnded === true ? undefined : work;
  }

  /** The work that the caller was started by, whether or not that has ended. */
  get origin(): Work | undefined {
    return this.#storage.getStore();
  }

  /**
   * Waits in a barrier: for the end of other work. Meanwhile no other barrier waits for the work that
   * the caller is part of, or two that wait for each other would never end.
   */
  async inBarrier(wait: () => Promise<void>): Promise<void> {
    const leave = this.current?.enterBarrier?.();
    try {
      await wait();
    } finally {
      leave?.();
    }
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
