/** Time without a further change after which the program restarts. Editors and formatters write a file several times. */
const QUIET_MS = 100;

/** Joins calls in quick succession into one, which follows when they pause. */
export class Debounce implements Disposable {
  readonly #run: (firstCall: number) => void;
  #firstCall: number | undefined;
  #timer: NodeJS.Timeout | undefined;

  /** `run` receives the time of the first call, by `performance.now`. */
  constructor(run: (firstCall: number) => void) {
    this.#run = run;
  }

  call(): void {
    const firstCall = (this.#firstCall ??= performance.now());
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#firstCall = undefined;
      this.#run(firstCall);
    }, QUIET_MS);
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
  }
}
