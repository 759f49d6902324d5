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

/** Lets time go on by itself again. */
export function releaseTime(): void {
  jest.useRealTimers();
}

/** Turns of the event loop in which sockets may still bring what needs no time. */
const turns = 10;
/** Real milliseconds after which no answer is waited for: one that waits for time itself never comes. */
const patience = 4_000;
/** The shortest and the most steps in which time passes, with a look at what came after each. */
const stride = 50;
const mostStrides = 1_000;

/**
 * Time that was stopped and passes when it is told to, while sockets work as ever: an hour of silence costs
 * no hour, and what a client waits is told apart from what a machine takes.
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
