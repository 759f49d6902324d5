import { pause, type Clock } from '@keelson/apimachinery';
import type { UserCode } from '../user-code/user-code.ts';
import { isRequestedEnd } from '../user-code/requested-end.ts';
import type { DaemonContext, WantedDaemon } from './daemons.ts';

const FIRST_BACKOFF_MS = 1000;
const MAX_BACKOFF_MS = 60_000;

/** The parts of a controller that run a daemon. */
export interface DaemonParts {
  readonly clock: Clock;
  readonly userCode: Pick<UserCode, 'call' | 'inContext'>;
  /** Makes the argument of the task. */
  contextOf(daemon: WantedDaemon, signal: AbortSignal, attempt: number): DaemonContext;
  /** The task threw, and starts again after `delay` milliseconds, or never. */
  failed(daemon: WantedDaemon, error: unknown, delay: number | undefined): void;
}

/** One daemon of one request, from its start until its task has ended after an abort. */
export class Daemon {
  /** Resolves when the task has ended and does not start again. */
  readonly ended: Promise<void>;
  readonly #parts: DaemonParts;
  readonly #abort = new AbortController();
  #wanted: WantedDaemon;
  #hasBegun = false;

  /** `after` is the end of the former daemon of the name. */
  constructor(wanted: WantedDaemon, parts: DaemonParts, after: Promise<void> | undefined) {
    this.#wanted = wanted;
    this.#parts = parts;
    // The daemon outlives the run that starts it, and must not keep its async context.
    this.ended = parts.userCode.inContext(() => this.#live(after));
  }

  get isEnding(): boolean {
    return this.#abort.signal.aborted;
  }

  /**
   * True if the daemon has the wanted version, or has not begun because it waits for the former one of its name. So a
   * task that ignores its signal delays one daemon at most.
   */
  takes({ version }: WantedDaemon): boolean {
    return !this.isEnding && (!this.#hasBegun || Object.is(version, this.#wanted.version));
  }

  /** Uses the task and the interval of a later run from the next start on. */
  keep(wanted: WantedDaemon): void {
    this.#wanted = wanted;
  }

  /** Aborts the task. Resolves when it has ended. */
  end(reason: unknown): Promise<void> {
    this.#parts.userCode.call(() => this.#abort.abort(reason));
    return this.ended;
  }

  async #live(after: Promise<void> | undefined): Promise<void> {
    await after;
    this.#hasBegun = true;
    const { clock } = this.#parts;
    const { signal } = this.#abort;
    let failures = 0;
    while (!signal.aborted) {
      const startedAt = clock.monotonic();
      const error = await this.#once(failures + 1);
      // A task that has run for long is not in a row of failures.
      if (clock.monotonic() - startedAt >= MAX_BACKOFF_MS) failures = 0;
      const delay = error === undefined ? this.#wanted.every : backoffAfter(failures);
      failures = error === undefined ? 0 : failures + 1;
      if (error !== undefined) this.#report(error.thrown, delay);
      if (delay === undefined) return;
      await pause(delay, [signal], clock).catch(() => undefined);
    }
  }

  /** Runs the task once. Returns what it threw; `undefined` if it succeeded. */
  async #once(attempt: number): Promise<{ readonly thrown: unknown } | undefined> {
    const { userCode } = this.#parts;
    const wanted = this.#wanted;
    try {
      const context = this.#parts.contextOf(wanted, this.#abort.signal, attempt);
      await userCode.call(() => wanted.task(context));
      return undefined;
    } catch (thrown) {
      return { thrown };
    }
  }

  #report(error: unknown, delay: number | undefined): void {
    const { signal } = this.#abort;
    if (isRequestedEnd(error, signal)) return;
    this.#parts.failed(this.#wanted, error, signal.aborted ? undefined : delay);
  }
}

function backoffAfter(failures: number): number {
  return Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** failures);
}
