import { TimeSlice, type Clock } from '@keelson/apimachinery';
import type { StoredObject } from '../store/stored-object.ts';

/** Milliseconds after which a resync checks again whether its handler is at rest. */
const REST_POLL_MS = 100;
/** The fraction by which an interval may be shorter or longer, so that handlers do not resync at the same time. */
const JITTER = 0.1;

/** The handler of a resync. */
export interface ResyncTarget {
  /** True if the handler has synced and has received every state of its store. */
  isAtRest(): boolean;
  /** Returns the present objects of the store. */
  objects(): readonly StoredObject[];
  /** Calls the handler with the present state of an object, unless the object no longer exists. */
  resync(object: StoredObject): void;
}

/** The interval of a resync in milliseconds, and its source of time and random numbers. */
export interface ResyncOptions {
  readonly interval: number;
  readonly clock: Clock;
}

/**
 * Calls a handler again for every object at each interval, in slices. It waits while the handler receives a snapshot, a
 * relist or a move, because the handler has not received every object of the store then.
 */
export class Resync {
  readonly #target: ResyncTarget;
  readonly #options: ResyncOptions;
  #stopTimer: (() => void) | undefined;
  #isStopped = false;

  constructor(target: ResyncTarget, options: ResyncOptions) {
    this.#target = target;
    this.#options = options;
    void this.#run();
  }

  stop(): void {
    this.#isStopped = true;
    this.#stopTimer?.();
  }

  async #run(): Promise<void> {
    const { interval, clock } = this.#options;
    while (!this.#isStopped) {
      await this.#sleep(interval * (1 - JITTER + 2 * JITTER * clock.random()));
      await this.#round();
    }
  }

  async #round(): Promise<void> {
    const target = this.#target;
    while (!target.isAtRest()) await this.#sleep(REST_POLL_MS);
    const slice = new TimeSlice(() => this.#options.clock.monotonic());
    for (const object of target.objects()) {
      while (!target.isAtRest()) await this.#sleep(REST_POLL_MS);
      target.resync(object);
      if (slice.isDue()) await slice.pause();
      if (this.#isStopped) return;
    }
  }

  /** Waits for a time. After `stop` the promise never settles, so that the loop ends without another step. */
  #sleep(milliseconds: number): Promise<void> {
    const { clock } = this.#options;
    return new Promise((resolve) => {
      this.#stopTimer = clock.startTimer(milliseconds, resolve);
    });
  }
}
