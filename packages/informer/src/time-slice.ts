/** How long work may go on before timers and sockets get their turn, in milliseconds. */
const budget = 5;

/** How many steps pass between two looks at the clock. */
const stride = 16;

/**
 * Keeps long work from holding the event loop: ask `isDue` after each step, and pause when it says so.
 */
export class TimeSlice {
  readonly #now: () => number;
  #until: number;
  #steps = 0;

  constructor(now: () => number) {
    this.#now = now;
    this.#until = now() + budget;
  }

  isDue(): boolean {
    this.#steps = (this.#steps + 1) % stride;
    return this.#steps === 0 && this.#now() >= this.#until;
  }

  /** Lets the event loop turn once. */
  async pause(): Promise<void> {
    await new Promise<void>((resolve) => setImmediate(resolve));
    this.#until = this.#now() + budget;
  }
}
