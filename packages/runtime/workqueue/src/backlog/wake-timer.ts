import type { StartTimer } from '../contract/start-timer.ts';

/** The longest delay of `setTimeout`, in milliseconds; with a longer one it fires at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

const startTimeout: StartTimer = (milliseconds, fire) => {
  const timeout = setTimeout(fire, Math.min(milliseconds, MAX_TIMER_MS));
  return () => clearTimeout(timeout);
};

/**
 * A timer for a moment on a monotonic clock. It may fire early, so its callback must check the
 * clock.
 */
export class WakeTimer {
  readonly #now: () => number;
  readonly #ring: () => void;
  readonly #startTimer: StartTimer;
  #stopTimer: (() => void) | undefined;
  #at = Infinity;

  constructor(now: () => number, ring: () => void, startTimer: StartTimer = startTimeout) {
    this.#now = now;
    this.#ring = ring;
    this.#startTimer = startTimer;
  }

  /** Fires at `moment`, never for `Infinity`. It replaces the previous moment. */
  set(moment: number): void {
    if (moment === this.#at) return;
    this.clear();
    if (moment === Infinity) return;
    this.#at = moment;
    const delay = Math.max(Math.ceil(moment - this.#now()), 0);
    this.#stopTimer = this.#startTimer(delay, () => {
      this.#at = Infinity;
      this.#ring();
    });
  }

  clear(): void {
    this.#stopTimer?.();
    this.#at = Infinity;
  }
}
