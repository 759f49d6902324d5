/** A pseudorandom source (mulberry32): the same seed gives the same expressions on every machine. */
export class RandomSource {
  #state: number;

  constructor(seed: number) {
    // Neighbouring seeds must not give similar expressions.
    this.#state = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) >>> 0;
  }

  /** Returns a number from 0 up to 1. */
  fraction(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** Returns an integer from 0 up to `end`, which is excluded. */
  below(end: number): number {
    return Math.floor(this.fraction() * end);
  }

  /** True in a share of the cases. */
  chance(share: number): boolean {
    return this.fraction() < share;
  }

  pick<T>(choices: readonly T[]): T {
    const choice = choices[this.below(choices.length)];
    if (choice === undefined) throw new Error('nothing to pick from');
    return choice;
  }
}
