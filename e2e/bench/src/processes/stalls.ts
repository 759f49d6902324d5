const TICK_MS = 1;

/**
 * Measures the longest work between two turns of a timer, in milliseconds of processor time of the main thread: other
 * processes on the machine do not count.
 */
export class Stalls {
  #longest = 0;
  #last = threadMs();
  readonly #timer: NodeJS.Timeout = setInterval(() => this.#turn(), TICK_MS);

  /** Stops the timer after the work before this call, and returns the longest stall. */
  stop(): number {
    clearInterval(this.#timer);
    this.#turn();
    return this.#longest;
  }

  #turn(): void {
    const now = threadMs();
    this.#longest = Math.max(this.#longest, now - this.#last);
    this.#last = now;
  }
}

/** The processor time of the main thread. */
function threadMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
