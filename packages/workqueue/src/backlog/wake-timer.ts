/** The longest delay that `setTimeout` keeps; a longer one would fire at once. */
const longestTimeout = 2 ** 31 - 1;

/** One timer for a moment on a monotonic clock. It may ring early; whoever it wakes looks at the clock. */
export class WakeTimer {
  readonly #now: () => number;
  readonly #ring: () => void;
  #timeout: ReturnType<typeof setTimeout> | undefined;
  #at = Infinity;

  constructor(now: () => number, ring: () => void) {
    this.#now = now;
    this.#ring = ring;
  }

  /** Rings at `moment`, or never when that is `Infinity`; replaces what was set before. */
  set(moment: number): void {
    if (moment === this.#at) return;
    this.clear();
    if (moment === Infinity) return;
    this.#at = moment;
    const delay = Math.min(Math.max(Math.ceil(moment - this.#now()), 0), longestTimeout);
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
