/**
 * Finds out that a sequence of texts repeats itself, however long the cycle, while it keeps one of them (Brent's
 * algorithm).
 */
export class CycleDetector {
  #kept: string | undefined;
  #steps = 0;
  /** The kept text is replaced after so many steps, doubled each time: at last it lies in the cycle. */
  #patience = 1;

  constructor(first: string | undefined) {
    this.#kept = first;
  }

  repeats(text: string): boolean {
    if (text === this.#kept) return true;
    this.#steps++;
    if (this.#steps === this.#patience) {
      this.#kept = text;
      this.#steps = 0;
      this.#patience *= 2;
    }
    return false;
  }
}
