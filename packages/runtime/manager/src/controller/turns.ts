import { abortable } from '@keelson/apimachinery';

/** Calls functions one after the other, in the order of the calls. */
export class Turns {
  /** Resolves at the end of the last turn; `undefined` without one. */
  #last: Promise<void> | undefined;

  /** True if no turn has begun or waits. */
  get areIdle(): boolean {
    return this.#last === undefined;
  }

  /**
   * Calls `act` at once, or after all earlier turns. Rejects with the reason of the signal if it aborts before the
   * turn; `act` is then not called.
   */
  async run<Result>(act: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
    const before = this.#last;
    const turn = Promise.withResolvers<void>();
    this.#last = turn.promise;
    const end = (): void => {
      if (this.#last === turn.promise) this.#last = undefined;
      turn.resolve();
    };
    try {
      if (before !== undefined) await abortable(before, [signal]);
      return await act();
    } finally {
      // A turn that aborts during its wait ends after the earlier turns, so that later turns keep the order.
      if (before === undefined) end();
      else void before.then(end);
    }
  }
}
