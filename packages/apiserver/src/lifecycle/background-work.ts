/** A job that failed, and waits to be tried again. */
export interface BackgroundFailure {
  /** What the job is about: `collect UID`, `empty namespace NAME`, `definition NAME`. */
  readonly key: string;
  /** How often it has failed in a row. */
  readonly attempts: number;
  readonly error: unknown;
}

type Job = () => void;

interface FailedJob extends BackgroundFailure {
  readonly job: Job;
  readonly timer: NodeJS.Timeout;
}

/** The first wait of a failed job, which doubles with every further failure. */
const FIRST_RETRY_MS = 5;
const LAST_RETRY_MS = 60_000;

/**
 * Runs the jobs of the controllers inside the server, one after the other, between requests. A key that waits
 * already is not queued again. A job that throws is tried again after a growing wait, or as soon as its key is
 * added again; it does not affect other jobs.
 */
export class BackgroundWork {
  readonly #waiting = new Map<string, Job>();
  readonly #failed = new Map<string, FailedJob>();
  #scheduled: NodeJS.Immediate | undefined;
  #idle: PromiseWithResolvers<void> | undefined;
  #closed = false;

  /** Queues a job under a key. Jobs may add more. */
  add(key: string, job: Job): void {
    if (this.#closed || this.#waiting.has(key)) return;
    this.#waiting.set(key, job);
    this.#scheduled ??= setImmediate(() => this.#run());
  }

  /** Whether anything waits to be run. Failed jobs do not count before their next attempt. */
  get isBusy(): boolean {
    return this.#waiting.size > 0;
  }

  /** The jobs that failed and have not succeeded since. */
  failures(): readonly BackgroundFailure[] {
    return [...this.#failed.values()].map(({ key, attempts, error }) => ({ key, attempts, error }));
  }

  /** Queues every failed job now instead of after its wait. */
  retry(): void {
    for (const { key, job, timer } of this.#failed.values()) {
      clearTimeout(timer);
      this.add(key, job);
    }
  }

  /** Resolves when every queued job has run, with or without success. */
  idle(): Promise<void> {
    if (this.#waiting.size === 0) return Promise.resolve();
    this.#idle ??= Promise.withResolvers();
    return this.#idle.promise;
  }

  /** Drops what waits and takes no more. */
  close(): void {
    this.#closed = true;
    this.#waiting.clear();
    for (const { timer } of this.#failed.values()) clearTimeout(timer);
    this.#failed.clear();
    this.#settle();
  }

  /** What is added meanwhile waits for the next turn, so that requests are answered in between. */
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
    clearTimeout(before?.timer);
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
    const timer = setTimeout(() => this.add(key, job), wait);
    return { key, job, attempts, error, timer };
  }

  #settle(): void {
    if (this.#scheduled !== undefined) clearImmediate(this.#scheduled);
    this.#scheduled = this.#waiting.size > 0 ? setImmediate(() => this.#run()) : undefined;
    if (this.#waiting.size > 0) return;
    this.#idle?.resolve();
    this.#idle = undefined;
  }
}
