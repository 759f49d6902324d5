/** Reports the growth of memory in steps, so that a budget need not be checked for each object. */
export class Growth {
  readonly #step: number;
  readonly #onStep: (grown: number) => void;
  #grown = 0;

  /**
   * `onStep` receives the bytes since its last call, which include those of the next object. It may
   * throw to refuse that object.
   */
  constructor(step: number, onStep: (grown: number) => void) {
    this.#step = step;
    this.#onStep = onStep;
  }

  /** Records that an object of so many bytes is about to be stored. Throws if `onStep` refuses it. */
  add(bytes: number): void {
    this.#grown += bytes;
    if (this.#grown < this.#step) return;
    this.#onStep(this.#grown);
    this.#grown = 0;
  }
}
