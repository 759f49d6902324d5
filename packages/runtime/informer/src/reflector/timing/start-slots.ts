import { systemClock, type Clock } from '@keelson/apimachinery';

/** The number of watches that read their first state at the same time. */
const SLOTS = 32;
/** Milliseconds after which a start frees its slot, so that a slow server of one kind does not delay the others. */
const LONGEST_HOLD_MS = 1_000;

/** Frees the slot of a start. Further calls have no effect. */
export type FreeSlot = () => void;

/**
 * Limits how many watches of one cache start at the same time. 500 kinds that start at once have all their requests,
 * buffers and objects in the young generation of V8, which grows to its limit and never returns the memory.
 */
export class StartSlots {
  #free = SLOTS;
  readonly #waiting = new Set<(free: FreeSlot) => void>();
  readonly #clock: Clock;

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
  }

  /** Takes a free slot, or the one that is freed next. Resolves with `undefined` if `signal` aborts earlier. */
  take(signal: AbortSignal): FreeSlot | Promise<FreeSlot | undefined> {
    if (this.#free === 0) return this.#next(signal);
    this.#free -= 1;
    return this.#held();
  }

  async #next(signal: AbortSignal): Promise<FreeSlot | undefined> {
    return new Promise((resolve) => {
      const abort = (): void => {
        this.#waiting.delete(pass);
        resolve(undefined);
      };
      const pass = (free: FreeSlot): void => {
        signal.removeEventListener('abort', abort);
        this.#waiting.delete(pass);
        resolve(free);
      };
      if (signal.aborted) return abort();
      signal.addEventListener('abort', abort, { once: true });
      this.#waiting.add(pass);
      return undefined;
    });
  }

  #held(): FreeSlot {
    let isHeld = true;
    const free = (): void => {
      stopTimer();
      if (isHeld) this.#pass();
      isHeld = false;
    };
    const stopTimer = this.#clock.startTimer(LONGEST_HOLD_MS, free);
    return free;
  }

  #pass(): void {
    const [next] = this.#waiting;
    if (next === undefined) this.#free += 1;
    else next(this.#held());
  }
}
