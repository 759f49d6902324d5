import { isConflict, isNotFound } from '@keelson/apimachinery';
import { sleep, type ElectionTime } from './election-time.ts';
import type { LeaseLock, StoredLease } from './lease-lock.ts';
import type { LeaseObservation } from './lease-observation.ts';
import { microTime, type LeaseRecord } from './lease-record.ts';

/** Milliseconds to wait after a read that returned the version which the server had just refused as outdated. */
const STALE_READ_MS = 1_000;

export interface LeaseClaimOptions {
  readonly lock: LeaseLock;
  readonly identity: string;
  /** Milliseconds for which a renewal holds the Lease. */
  readonly leaseDuration: number;
  readonly time: ElectionTime;
  readonly observation: LeaseObservation;
}

/**
 * The writes with which one process takes, renews and frees the Lease. Each is based on the state that it last
 * observed.
 */
export class LeaseClaim {
  readonly #options: LeaseClaimOptions;

  constructor(options: LeaseClaimOptions) {
    this.#options = options;
  }

  /** True if the observed Lease names another holder. */
  get isForeign(): boolean {
    const { observation, identity } = this.#options;
    const holder = observation.stored?.record.holder ?? '';
    return holder !== '' && holder !== identity;
  }

  /** Reads the Lease. */
  async read(signal: AbortSignal): Promise<void> {
    const { lock, observation } = this.#options;
    observation.observe(await lock.get(signal));
  }

  /** Writes this process into the Lease, unless another process wrote since the observed state. */
  async write(signal: AbortSignal): Promise<StoredLease> {
    const { lock, observation } = this.#options;
    const { stored } = observation;
    const record = this.#record(stored?.record);
    const written = await (stored === undefined
      ? lock.create(record, signal)
      : lock.update(stored, record, signal));
    observation.observe(written);
    return written;
  }

  /** Empties the holder, as client-go does. Returns false if this process is not the holder. */
  async free(signal: AbortSignal): Promise<boolean> {
    const { lock, observation, identity, time } = this.#options;
    const now = microTime(time.wallClock());
    for (;;) {
      const { stored } = observation;
      if (stored === undefined || stored.record.holder !== identity) return false;
      const { transitions } = stored.record;
      const empty = {
        holder: '',
        durationSeconds: 1,
        acquireTime: now,
        renewTime: now,
        transitions,
      };
      try {
        observation.observe(await lock.update(stored, empty, signal));
        return true;
      } catch (error) {
        if (isNotFound(error)) return false;
        if (!isConflict(error)) throw error;
        await this.read(signal);
        // The next write would meet the same conflict, because the read was stale.
        if (isSameVersion(observation.stored, stored)) await sleep(time, STALE_READ_MS, signal);
      }
    }
  }

  /**
   * Returns the record to write. A renewal keeps the acquire time and the transitions. A new leader sets the acquire
   * time and increments the transitions.
   */
  #record(before: LeaseRecord | undefined): LeaseRecord {
    const { identity, time, leaseDuration } = this.#options;
    const now = microTime(time.wallClock());
    const isMine = before?.holder === identity;
    return {
      holder: identity,
      durationSeconds: leaseDuration / 1000,
      acquireTime: isMine ? before.acquireTime : now,
      renewTime: now,
      transitions: before === undefined ? 0 : before.transitions + (isMine ? 0 : 1),
    };
  }
}

function isSameVersion(one: StoredLease | undefined, other: StoredLease): boolean {
  return one?.lease.metadata?.resourceVersion === other.lease.metadata?.resourceVersion;
}
