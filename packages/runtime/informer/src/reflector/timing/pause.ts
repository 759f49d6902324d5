/** A wait for a time, which `end` can end early. */
export class Pause {
  #timer: ReturnType<typeof setTimeout> | undefined;
  #resolve: () => void = () => undefined;

  async wait(milliseconds: number): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#resolve = resolve;
      this.#timer = setTimeout(resolve, milliseconds);
    });
    this.#timer = undefined;
  }

  /** Ends the present wait. */
  end(): void {
    clearTimeout(this.#timer);
    this.#resolve();
  }
}
