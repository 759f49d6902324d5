/**
 * Detects that a sequence of strings repeats itself, such as the continue tokens of a list that never ends. It keeps
 * only one string, however long the cycle is (Brent's algorithm).
 */
export class CycleDetector {
  #kept: string | undefined;
  #steps = 0;
  /**
   * The kept string is replaced after this many steps, a number that doubles each time. A string of the cycle is
   * therefore kept eventually, for at least one whole cycle.
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
