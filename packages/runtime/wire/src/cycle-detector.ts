/**
 * Detects that a sequence of strings repeats itself. It keeps only one text, whatever the length of the cycle
 * (Brent's algorithm).
 */
export class CycleDetector {
  #kept: string | undefined;
  #steps = 0;
  /**
   * The kept text is replaced after this many steps, a number that doubles each time. It therefore lies
   * within the cycle eventually.
   */
  #stepsUntilReplaced = 1;

  constructor(first: string | undefined) {
    this.#kept = first;
  }

  repeats(text: string): boolean {
    if (text === this.#kept) return true;
    this.#steps++;
    if (this.#steps === this.#stepsUntilReplaced) {
      this.#kept = text;
      this.#steps = 0;
      this.#stepsUntilReplaced *= 2;
    }
    return false;
  }
}
