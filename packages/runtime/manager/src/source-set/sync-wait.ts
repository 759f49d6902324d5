import type { Clock } from '@keelson/apimachinery';
import { ManagerError } from '../errors.ts';
import { briefError } from '../logging/error-text.ts';
import type { Logger } from '../logging/logger.ts';
import type { UnreadySource } from '../sources/unready-source.ts';

/** Milliseconds of a wait after which the log names the first watch that has not synced. It does so once. */
const REMINDER_DELAY_MS = 3000;

export interface SyncWaitOptions {
  readonly controller: string;
  /** Milliseconds; 0 for no limit. */
  readonly timeout: number;
  readonly log: Logger;
  readonly clock: Clock;
  /** The required watches that have not synced, or that the server does not serve or allow. */
  unready(): UnreadySource[];
  /**
   * True if the timeout also counts for watches of further clusters, which may be unavailable at a start. Default
   * false.
   */
  readonly limitsFurther?: boolean;
}

/** The share of the timeout after which the clock of a blocked kind is read again. */
const BLOCKED_POLL_SHARE = 0.1;

/**
 * Limits how long a controller waits for its required watches. The time of each watch does not count while the
 * server does not serve or allow its kind.
 */
export class SyncWait {
  readonly #options: SyncWaitOptions;

  constructor(options: SyncWaitOptions) {
    this.#options = options;
  }

  /** Settles with `synced`. Rejects with `CACHE_SYNC_TIMEOUT` when the timeout expires first. */
  async until(synced: Promise<void>): Promise<void> {
    const { promise: late, reject } = Promise.withResolvers<never>();
    const stopReminder = this.#options.clock.startTimer(REMINDER_DELAY_MS, () => this.#remind());
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
    if (timeout === 0) return () => undefined;
    let stop: () => void;
    const check = (): void => {
      const left = this.#timeLeft();
      if (left > 0) stop = this.#options.clock.startTimer(left, check);
      else expire();
    };
    stop = this.#options.clock.startTimer(timeout, check);
    return () => stop();
  }

  /** The milliseconds until a watch can exceed the timeout, rounded up; 0 if one has exceeded it. */
  #timeLeft(): number {
    const { timeout } = this.#options;
    const times = this.#options.unready().map((source) => {
      const left = Math.max(0, Math.ceil(timeout - source.syncingMs));
      return this.#counts(source) ? left : Math.max(left, Math.ceil(timeout * BLOCKED_POLL_SHARE));
    });
    return Math.min(timeout, ...times);
  }

  /** True if the time of a watch counts now. */
  #counts(source: UnreadySource): boolean {
    const { limitsFurther = false } = this.#options;
    return !source.isBlocked && (limitsFurther || source.cluster === undefined);
  }

  /** Logs the first unready watch: as info while it syncs, as a warning if it is refused or fails. */
  #remind(): void {
    const { log } = this.#options;
    const [first, ...others] = this.#options.unready();
    if (first === undefined) return;
    const { error, facts } = factsOf(first);
    const level = first.state === 'syncing' ? 'info' : 'warn';
    log[level](
      { ...facts, others: others.length, err: briefError(error) },
      'controller waits for a watch',
    );
  }

  #timeoutError(): ManagerError {
    const { controller, timeout } = this.#options;
    const unready = this.#options.unready();
    const first = unready.find((one) => this.#counts(one) && one.syncingMs >= timeout);
    const others = unready.filter((source) => source !== first);
    const { error, facts } = first === undefined ? {} : factsOf(first);
    const more = others.length === 0 ? {} : { others: others.map(subjectOf) };
    return new ManagerError(
      'CACHE_SYNC_TIMEOUT',
      { controller, ...facts, ...more, timeout },
      { cause: error },
    );
  }
}

/** The facts of a message about a watch, and its error. */
function factsOf({ error, ...unready }: UnreadySource): {
  readonly facts: object;
  readonly error: Error | undefined;
} {
  const { source, resource, cluster, namespace, state, reason, verb } = unready;
  return { facts: { source, resource, cluster, namespace, state, reason, verb }, error };
}

function subjectOf({ resource, namespace }: UnreadySource): string {
  return namespace === undefined ? resource : `${resource} in namespace ${namespace}`;
}
