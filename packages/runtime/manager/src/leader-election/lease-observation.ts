import type { StoredLease } from './lease-lock.ts';
import { sameRecord, type LeaseRecord } from './lease-record.ts';

/**
 * The last state of the Lease that this process read, and the local time at which it first read that state. The
 * clocks of other processes are not compared, so a wrong clock does no harm.
 */
export class LeaseObservation {
  readonly #now: () => number;
  #stored: StoredLease | undefined;
  /** The last record that was read. It is kept after a deletion of the Lease, because the holder did not release it. */
  #record: LeaseRecord | undefined;
  #since = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** `undefined` if the Lease does not exist. */
  get stored(): StoredLease | undefined {
    return this.#stored;
  }

  /** Records a state that was read. A renewal begins a new period; a change of metadata or a deletion does not. */
  observe(stored: StoredLease | undefined): void {
    this.#stored = stored;
    if (stored === undefined) return;
    const { record } = stored;
    if (this.#record !== undefined && sameRecord(this.#record, record)) return;
    this.#record = record;
    this.#since = this.#now();
  }

  /** Milliseconds until a process other than the holder may take the Lease. 0: now. */
  freeIn(identity: string): number {
    if (this.#record === undefined) return 0;
    const { holder, durationSeconds } = this.#record;
    if (holder === '' || holder === identity) return 0;
    return Math.max(0, this.#since + durationSeconds * 1000 - this.#now());
  }
}
