/** How long work may go on before the event loop gets its turn. */
const sliceMs = 5;

/**
 * Keeps work that goes from one promise to the next from holding up timers and sockets: it asks
 * before each step, and when the slice of this turn of the event loop is used up, it is called
 * again in the next.
 */
export class Turn {
  readonly #resume: () => void;
  #endsAt: number | undefined;
  #isWaiting = false;

  constructor(resume: () => void) {
    this.#resume = resume;
  }

  /** False when the work has to wait: it is resumed by itself. */
  hasTime(): boolean {
    if (this.#isWaiting) return false;
    const now = performance.now();
    if (this.#endsAt === undefined) {
      this.#endsAt = now + sliceMs;
      setImmediate(() => this.#next());
      return true;
    }
    this.#isWaiting = now >= this.#endsAt;
    return !this.#isWaiting;
  }

  #next(): void {
    this.#endsAt = undefined;
    if (!this.#isWaiting) return;
    this.#isWaiting = false;
    this.#resume();
  }
}
