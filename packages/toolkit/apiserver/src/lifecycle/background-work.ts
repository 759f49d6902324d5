import { systemClock, type Clock } from '@keelson/apimachinery';

/** A job inside the server that failed and waits for its retry. */
export interface BackgroundFailure {
  /** The work of the job: `collect UID`, `empty namespace NAME` or `definition NAME`. */
  readonly key: string;
  /** Consecutive failures, at least 1. */
  readonly attempts: number;
  readonly error: unknown;
}

type Job = () => void;

interface FailedJob extends BackgroundFailure {
  readonly job: Job;
  readonly stopTimer: () => void;
}

/** Delay of the first retry; every further failure doubles it. */
const FIRST_RETRY_MS = 5;
const LAST_RETRY_MS = 60_000;

/**
 * Runs the jobs of the server's controllers one by one, between requests. A key that is queued already is not queued
 * again. A failed job is retried after an exponential backoff (5 ms to 60 s), or as soon as its key is added again. It
 * does not affect other jobs.
 */
export class BackgroundWork {
  readonly #waiting = new Map<string, Job>();
  readonly #failed = new Map<string, FailedJob>();
  #scheduled: NodeJS.Immediate | undefined;
  #idle: PromiseWithResolvers<void> | undefined;
  #closed = false;
  readonly #clock: Clock;
  /** Ends the count of the queued jobs for the clock of a test. */
  #counted: (() => void) | undefined;

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
  }

  /** Queues a job under a key. Jobs may add further jobs. */
  add(key: string, job: Job): void {
    if (this.#closed || this.#waiting.has(key)) return;
    this.#waiting.set(key, job);
    this.#counted ??= this.#clock.activity?.begin('the controllers of the API server');
    this.#scheduled ??= setImmediate(() => this.#run());
  }

  /** True while jobs are queued. Failed jobs count from their next attempt on. */
  get isBusy(): boolean {
    return this.#waiting.size > 0;
  }

  /** The jobs that failed and have not succeeded since. */
  failures(): readonly BackgroundFailure[] {
    return [...this.#failed.values()].map(({ key, attempts, error }) => ({ key, attempts, error }));
  }

  /** Queues every failed job immediately instead of after its backoff. */
  retry(): void {
    for (const { key, job, stopTimer } of this.#failed.values()) {
      stopTimer();
      this.add(key, job);
    }
  }

  /** Resolves when every queued job has run, whether it succeeded or failed. */
  idle(): Promise<void> {
    if (this.#waiting.size === 0) return Promise.resolve();
    this.#idle ??= Promise.withResolvers();
    return this.#idle.promise;
  }

  /** Drops the queued jobs and ignores further ones. */
  close(): void {
    this.#closed = true;
    this.#waiting.clear();
    for (const { stopTimer } of this.#failed.values()) stopTimer();
    this.#failed.clear();
    this.#settle();
  }

  /** Jobs that are added meanwhile run in the next turn of the event loop, after pending requests. */
  #run(): void {
    const jobs = [...this.#waiting];
    for (const [key, job] of jobs) {
      this.#waiting.delete(key);
      this.#attempt(key, job);
    }
    this.#settle();
  }

  #attempt(key: string, job: Job): void {
    const before = this.#failed.get(key);
    before?.stopTimer();
    this.#failed.delete(key);
    try {
      job();
    } catch (error) {
      if (!this.#closed) this.#failed.set(key, this.#failure(key, job, error, before));
    }
  }

  #failure(key: string, job: Job, error: unknown, before: FailedJob | undefined): FailedJob {
    const attempts = (before?.attempts ?? 0) + 1;
    const wait = Math.min(FIRST_RETRY_MS * 2 ** (attempts - 1), LAST_RETRY_MS);
    const stopTimer = this.#clock.startTimer(wait, () => this.add(key, job));
    return { key, job, attempts, error, stopTimer };
  }

  #settle(): void {
    if (this.#scheduled !== undefined) clearImmediate(this.#scheduled);
    this.#scheduled = this.#waiting.size > 0 ? setImmediate(() => this.#run()) : undefined;
    if (this.#waiting.size > 0) return;
    this.#counted?.();
    this.#counted = undefined;
    this.#idle?.resolve();
    this.#idle = undefined;
  }
}
