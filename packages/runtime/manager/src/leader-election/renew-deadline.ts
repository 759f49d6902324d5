import type { ElectionTime } from './election-time.ts';

/** The clock and the limit of a deadline. */
export interface RenewDeadlineOptions {
  readonly time: Pick<ElectionTime, 'now' | 'startTimer'>;
  /** Milliseconds from the start of a renewal to its deadline: the `renewDeadline` of the Lease. */
  readonly limit: number;
  /** Called once the deadline has passed, unless a renewal or `stop` came first. */
  readonly onOverdue: () => void;
}

/**
 * The moment until which the owner of a Lease may act: `limit` after the start of its last successful renewal, by its own
 * clock, which is before other processes may take the Lease. A timer may fire late, as after a suspension of the process, so `isOverdue`
 * decides.
 */
export class RenewDeadline {
  readonly #options: RenewDeadlineOptions;
  #renewedAt = -Infinity;
  #cancel: (() => void) | undefined;

  constructor(options: RenewDeadlineOptions) {
    this.#options = options;
  }

  /** True before the first renewal too. */
  get isOverdue(): boolean {
    return this.age >= this.#options.limit;
  }

  /** Milliseconds since the last successful renewal began. */
  get age(): number {
    return this.#options.time.now() - this.#renewedAt;
  }

  /** Moves the deadline; the renewal began at this reading of the clock. Returns false if the new one has passed already. */
  renewed(began: number): boolean {
    this.#renewedAt = began;
    if (this.isOverdue) return false;
    this.#arm();
    return true;
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #arm(): void {
    const { time, limit, onOverdue } = this.#options;
    this.stop();
    this.#cancel = time.startTimer(Math.max(0, limit - this.age), () => {
      if (this.isOverdue) onOverdue();
      else this.#arm();
    });
  }
}
