/** Counts the milliseconds in which a watch could sync: those in which the server serves and allows its kind. */
export class SyncClock {
  #elapsed = 0;
  /** The monotonic time at which the clock last continued; `undefined` while it pauses. */
  #since: number | undefined = performance.now();

  get elapsed(): number {
    return this.#since === undefined
      ? this.#elapsed
      : this.#elapsed + performance.now() - this.#since;
  }

  pause(): void {
    this.#elapsed = this.elapsed;
    this.#since = undefined;
  }

  continue(): void {
    this.#since ??= performance.now();
  }
}
