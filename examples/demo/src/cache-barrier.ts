import type { WatchHandle } from '@keelson/manager';

/** Milliseconds after which a phase of the demo fails. */
const TIMEOUT_MS = 60_000;

/** Waits for states of the cache, by its events and never by polling. */
export class CacheBarrier {
  readonly #handles: readonly WatchHandle[];
  readonly #signal: AbortSignal;

  constructor(handles: readonly WatchHandle[], signal: AbortSignal) {
    this.#handles = handles;
    this.#signal = signal;
  }

  /**
   * Resolves as soon as `reached` is true; rejects, naming `what`, when that takes too long, and
   * when the signal aborts.
   */
  async until(what: string, reached: () => boolean): Promise<void> {
    const done = Promise.withResolvers<void>();
    const tooLate = setTimeout(() => {
      done.reject(new Error(`${what}: not so after ${TIMEOUT_MS / 1000} s`));
    }, TIMEOUT_MS);
    const abort = (): void => done.reject(this.#signal.reason);
    this.#signal.addEventListener('abort', abort, { once: true });
    let looking: NodeJS.Immediate | undefined;
    // Many events arrive in one turn of the event loop: check once after them.
    const look = (): void => {
      looking ??= setImmediate(() => {
        looking = undefined;
        if (reached()) done.resolve();
      });
    };
    const registrations = this.#handles.map((handle) => handle.addEventHandler(look));
    look();
    try {
      await done.promise;
    } finally {
      this.#signal.removeEventListener('abort', abort);
      clearTimeout(tooLate);
      clearImmediate(looking);
      for (const registration of registrations) registration.remove();
    }
  }
}
