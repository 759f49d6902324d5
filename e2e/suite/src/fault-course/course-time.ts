import { jest } from '@jest/globals';

/** How time goes during a fault. */
export interface CourseTime {
  /** Milliseconds since it began. */
  now(): number;
  /** Lets so much of it pass. */
  pass(milliseconds: number): Promise<void>;
}

/** Stops the time of this process. */
export function stopTime(): void {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'performance', 'queueMicrotask', 'setImmediate'] });
}

/** Restarts the clock. */
export function releaseTime(): void {
  jest.useRealTimers();
}

/** Turns of the event loop in which sockets may still bring what needs no time. */
const turns = 10;
/** Real milliseconds to wait for a response. A response that waits for the stopped clock never arrives. */
const patience = 4_000;
/** The shortest and the most steps in which time passes, with a look at what came after each. */
const stride = 50;
const mostStrides = 1_000;

/**
 * A stopped clock that the test advances, while sockets work normally. An hour of silence takes no hour, and the
 * waiting of a client is measured apart from the speed of the machine.
 */
export class StoppedTime implements CourseTime {
  readonly #isBusy: () => boolean;
  #now = 0;
  #busySince: number | undefined;

  /** `isBusy`: something is on its way that needs no time, and is waited for. */
  constructor(isBusy: () => boolean) {
    this.#isBusy = isBusy;
    jest.useFakeTimers({
      doNotFake: ['nextTick', 'performance', 'queueMicrotask', 'setImmediate'],
    });
  }

  now(): number {
    return this.#now;
  }

  async pass(milliseconds: number): Promise<void> {
    await this.#settle();
    const longest = Math.max(stride, milliseconds / mostStrides);
    for (let left = milliseconds; left > 0; left -= longest) {
      const step = Math.min(left, longest);
      this.#now += step;
      await jest.advanceTimersByTimeAsync(step);
      await this.#settle();
    }
  }

  async #settle(): Promise<void> {
    for (let turn = 0; turn < turns || this.#isWorthWaiting(); turn++) {
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
  }

  #isWorthWaiting(): boolean {
    if (!this.#isBusy()) this.#busySince = undefined;
    else this.#busySince ??= performance.now();
    return this.#busySince !== undefined && performance.now() < this.#busySince + patience;
  }
}

/** Time as it is, for faults of processes that live in it. */
export class RealTime implements CourseTime {
  readonly #start: number = performance.now();

  now(): number {
    return performance.now() - this.#start;
  }

  async pass(): Promise<void> {
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
}
