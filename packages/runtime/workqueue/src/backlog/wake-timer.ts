/** The longest delay of `setTimeout`, in milliseconds; with a longer one it fires at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * A timer for a moment on a monotonic clock. It may fire early, so its callback must check the
 * clock.
 */
export class WakeTimer {
  readonly #now: () => number;
  readonly #ring: () => void;
  #timeout: ReturnType<typeof setTimeout> | undefined;
  #at = Infinity;

  constructor(now: () => number, ring: () => void) {
    this.#now = now;
    this.#ring = ring;
  }

  /** Fires at `moment`, never for `Infinity`. It replaces the previous moment. */
  set(moment: number): void {
    if (moment === this.#at) return;
    this.clear();
    if (moment === Infinity) return;
    this.#at = moment;
    const delay = Math.min(Math.max(Math.ceil(moment - this.#now()), 0), MAX_TIMER_MS);
    this.#timeout = setTimeout(() => {
      this.#at = Infinity;
      this.#ring();
    }, delay);
  }

  clear(): void {
    clearTimeout(this.#timeout);
    this.#at = Infinity;
  }
}
