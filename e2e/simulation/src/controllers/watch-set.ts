import type { WatchedSource } from './watched-source.ts';

/** The sources of the set that `replaceWatches` of a controller replaces. */
export class WatchSet {
  sources: readonly WatchedSource[] = [];
  /** Resolves at the end of the last call. */
  #last: Promise<void> = Promise.resolve();

  /** Calls a function after the end of the earlier calls. */
  async inTurn(act: () => Promise<void>): Promise<void> {
    const before = this.#last;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#last = promise;
    await before;
    try {
      await act();
    } finally {
      resolve();
    }
  }
}
