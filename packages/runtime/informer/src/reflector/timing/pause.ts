import { systemClock, type Clock } from '@keelson/apimachinery';

/** A wait for a time, which `end` can end early. */
export class Pause {
  readonly #clock: Clock;
  #stopTimer: (() => void) | undefined;
  #resolve: () => void = () => undefined;

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
  }

  async wait(milliseconds: number): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#resolve = resolve;
      this.#stopTimer = this.#clock.startTimer(milliseconds, resolve);
    });
    this.#stopTimer = undefined;
  }

  /** Ends the present wait. */
  end(): void {
    this.#stopTimer?.();
    this.#resolve();
  }
}
