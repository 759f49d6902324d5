import { AsyncResource } from 'node:async_hooks';

/** A callback and the time at which it is due. */
interface Timer {
  readonly at: number;
  readonly fire: () => void;
}

/** The timers of a virtual clock, in the order in which they fire. */
export class VirtualTimers {
  /** Sorted by time. Timers of one time are in the order of their start. */
  readonly #timers: Timer[] = [];

  get size(): number {
    return this.#timers.length;
  }

  /** The time of the first timer; `undefined` without one. */
  get next(): number | undefined {
    return this.#timers[0]?.at;
  }

  /** Adds a timer, which fires in the async context of the caller. Returns a function that cancels it. */
  add(at: number, fire: () => void): () => void {
    const timer: Timer = { at, fire: AsyncResource.bind(fire) };
    this.#timers.splice(this.#placeOf(at), 0, timer);
    return () => {
      const place = this.#timers.indexOf(timer);
      if (place >= 0) this.#timers.splice(place, 1);
    };
  }

  /** Removes the first timer and calls it. */
  fireNext(): void {
    this.#timers.shift()?.fire();
  }

  /** The place after all timers that are due at the time or earlier. */
  #placeOf(at: number): number {
    let low = 0;
    let high = this.#timers.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#timers[middle]?.at ?? Infinity) <= at) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
