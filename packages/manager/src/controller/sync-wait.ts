import { startTimer } from '@keelson/apimachinery';
import { ManagerError } from '../errors.ts';
import { briefError } from '../logging/error-text.ts';
import type { Logger } from '../logging/logger.ts';
import type { UnreadySource } from './controller-sources.ts';

/** Milliseconds of waiting after which the log names the first watch that has not synced, once. */
const REMINDER_DELAY_MS = 3000;

export interface SyncWaitOptions {
  readonly controller: string;
  /** Milliseconds; 0 for no limit. */
  readonly timeout: number;
  readonly log: Logger;
  /** The required watches that have not synced, or that the server does not serve or allow. */
  unready(): UnreadySource[];
}

/**
 * Limits how long a controller waits for its required watches. The timeout starts again if at its end every
 * missing kind is not served or forbidden.
 */
export class SyncWait {
  readonly #options: SyncWaitOptions;

  constructor(options: SyncWaitOptions) {
    this.#options = options;
  }

  /** Settles with `synced`. Rejects with `CACHE_SYNC_TIMEOUT` when the timeout expires first. */
  async until(synced: Promise<void>): Promise<void> {
    const { promise: late, reject } = Promise.withResolvers<never>();
    const stopReminder = startTimer(REMINDER_DELAY_MS, () => this.#remind());
    const stopTimeout = this.#startTimeout(() => reject(this.#timeoutError()));
    try {
      await Promise.race([synced, late]);
    } finally {
      stopTimeout();
      stopReminder();
    }
  }

  /** Returns a function that cancels the timeout. */
  #startTimeout(expire: () => void): () => void {
    const { timeout } = this.#options;
    let stop: (() => void) | undefined;
    const begin = (): void => {
      if (timeout > 0) stop = startTimer(timeout, end);
    };
    const end = (): void => (this.#isBlocked() ? begin() : expire());
    begin();
    return () => stop?.();
  }

  /** Logs the first unready watch: as info while it syncs, as a warning if it is refused or fails. */
  #remind(): void {
    const { log } = this.#options;
    const [first, ...others] = this.#options.unready();
    if (first === undefined) return;
    const { error, ...facts } = first;
    const level = first.state === 'syncing' ? 'info' : 'warn';
    log[level](
      { ...facts, others: others.length, err: briefError(error) },
      'controller waits for a watch',
    );
  }

  /** True if the server does not serve or allow any of the missing kinds. */
  #isBlocked(): boolean {
    const states = this.#options.unready().map(({ state }) => state);
    return (
      states.length > 0 && states.every((state) => state === 'parked' || state === 'forbidden')
    );
  }

  #timeoutError(): ManagerError {
    const { controller, timeout } = this.#options;
    const [first, ...others] = this.#options.unready();
    const { error, ...facts } = first ?? { error: undefined };
    const more = others.length === 0 ? {} : { others: others.map(({ resource }) => resource) };
    return new ManagerError(
      'CACHE_SYNC_TIMEOUT',
      { controller, ...facts, ...more, timeout },
      { cause: error },
    );
  }
}
