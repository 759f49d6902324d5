/**
 * Runs what the controllers inside the server have to do, one job after the other, between requests.
 * A key that waits already is not queued again.
 */
export class BackgroundWork {
  readonly #waiting = new Map<string, () => void>();
  #scheduled: NodeJS.Immediate | undefined;
  #idle: PromiseWithResolvers<void> | undefined;
  #closed = false;

  /** Queues a job under a key. Jobs may add more. */
  add(key: string, job: () => void): void {
    if (this.#closed || this.#waiting.has(key)) return;
    this.#waiting.set(key, job);
    this.#scheduled ??= setImmediate(() => this.#run());
  }

  /** Whether anything waits. */
  get isBusy(): boolean {
    return this.#waiting.size > 0;
  }

  /** Resolves when nothing waits any more. */
  idle(): Promise<void> {
    if (this.#waiting.size === 0) return Promise.resolve();
    this.#idle ??= Promise.withResolvers();
    return this.#idle.promise;
  }

  /** Drops what waits and takes no more. */
  close(): void {
    this.#closed = true;
    this.#waiting.clear();
    this.#settle();
  }

  /** What is added meanwhile waits for the next turn, so that requests are answered in between. */
  #run(): void {
    const jobs = [...this.#waiting];
    for (const [key, job] of jobs) {
      this.#waiting.delete(key);
      job();
    }
    this.#settle();
  }

  #settle(): void {
    if (this.#scheduled !== undefined) clearImmediate(this.#scheduled);
    this.#scheduled = this.#waiting.size > 0 ? setImmediate(() => this.#run()) : undefined;
    if (this.#waiting.size > 0) return;
    this.#idle?.resolve();
    this.#idle = undefined;
  }
}
