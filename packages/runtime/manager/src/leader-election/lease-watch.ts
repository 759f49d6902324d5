import { isForbidden } from '@keelson/apimachinery';
import type { Logger } from '../logging/logger.ts';
import type { StoredLease } from './lease-lock.ts';

export interface LeaseWatchOptions {
  readonly changes: (signal: AbortSignal) => AsyncIterable<StoredLease | undefined>;
  /** Called for each state of the Lease, before waits for a change resolve. */
  readonly observe: (stored: StoredLease | undefined) => void;
  /** Waits before the watch is opened again. */
  readonly retry: (signal: AbortSignal) => Promise<void>;
  readonly log: Logger;
}

/**
 * Watches the Lease while the process is a standby. The watch only saves time: without it, for example if RBAC forbids
 * it, the standby reads the Lease periodically.
 */
export class LeaseWatch {
  readonly #options: LeaseWatchOptions;
  readonly #stop = new AbortController();
  #changed = Promise.withResolvers<void>();
  #hasWarned = false;
  /** True after the first event of a watch, until the watch ends. */
  isOpen = false;

  constructor(options: LeaseWatchOptions) {
    this.#options = options;
    void this.#run();
  }

  /**
   * Resolves after the next event, start or end of the watch, or when `pause` does. The signal of `pause` then aborts.
   */
  async changeWithin(
    pause: (signal: AbortSignal) => Promise<void>,
    signal: AbortSignal,
  ): Promise<void> {
    const over = new AbortController();
    const abort = (): void => over.abort(signal.reason);
    signal.addEventListener('abort', abort);
    if (signal.aborted) abort();
    try {
      await Promise.race([pause(over.signal), this.#changed.promise]);
    } finally {
      signal.removeEventListener('abort', abort);
      over.abort();
    }
  }

  close(): void {
    this.#stop.abort();
    this.#notify(false);
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      try {
        await this.#follow(signal);
      } catch (error) {
        if (!signal.aborted) this.#report(error);
      }
      this.#notify(false);
      await this.#options.retry(signal).catch(() => undefined);
    }
  }

  /**
   * Logs an error of the watch. A missing permission is logged once as a warning, because it persists until the role
   * changes.
   */
  #report(error: unknown): void {
    const { log } = this.#options;
    if (!isForbidden(error) || this.#hasWarned) {
      log.debug({ err: error }, 'watch of the Lease failed');
      return;
    }
    this.#hasWarned = true;
    log.warn({ err: error }, 'watch of the Lease is forbidden, so a takeover takes longer');
  }

  async #follow(signal: AbortSignal): Promise<void> {
    for await (const stored of this.#options.changes(signal)) {
      if (signal.aborted) return;
      this.#options.observe(stored);
      this.#notify(true);
    }
  }

  #notify(isOpen: boolean): void {
    this.isOpen = isOpen;
    const { resolve } = this.#changed;
    this.#changed = Promise.withResolvers<void>();
    resolve();
  }
}
