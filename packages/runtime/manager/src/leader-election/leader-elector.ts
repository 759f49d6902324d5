import { isAlreadyExists, isConflict, isNotFound, withLinkedSignal } from '@keelson/apimachinery';
import type { WriteGuard } from '@keelson/client';
import { ManagerError } from '../errors.ts';
import type { Logger } from '../logging/logger.ts';
import { LeaseClaim } from './lease-claim.ts';
import { RenewDeadline } from './renew-deadline.ts';
import type { LeaseLock, StoredLease } from './lease-lock.ts';
import { LeaseObservation } from './lease-observation.ts';
import { LeaseWatch } from './lease-watch.ts';
import { sleep, type ElectionTime } from './election-time.ts';

/** Durations of leader election in milliseconds, with the relations that client-go requires. */
export interface ElectionTimings {
  /** No other process takes the Lease for this long after a renewal. */
  readonly leaseDuration: number;
  /** The leader gives up if its last successful renewal began this long ago. */
  readonly renewDeadline: number;
  /** The time between renewals, and between attempts of a standby that cannot watch the Lease. */
  readonly retryPeriod: number;
}

export interface ElectorOptions {
  readonly lock: LeaseLock;
  readonly identity: string;
  readonly timings: ElectionTimings;
  readonly time: ElectionTime;
  readonly log: Logger;
  readonly observer: ElectionObserver;
}

/** Receives the incidents of a leader election. */
export interface ElectionObserver {
  /** Called when a leader loses its Lease, after its write guard has closed. */
  lost(error: ManagerError): void;
  /** A renewal met a conflict, so it read the Lease first. */
  slowPath(): void;
}

/**
 * - `standby`: another process may be the leader; writes are refused.
 * - `leading`: this process holds the Lease and renews it.
 * - `lost`: the Lease could not be renewed, or another process holds it. This state is final.
 * - `released`: the process gave the Lease up, or stopped before it was the leader. This state is final.
 */
type State = 'standby' | 'leading' | 'lost' | 'released';

/** client-go's `JitterFactor`: waits between attempts take up to 2.2 times as long as configured. */
export const JITTER_FACTOR = 1.2;
/** A leader whose Lease is this much older than its duration is unhealthy. The value of kube-controller-manager. */
const HEALTH_TOLERANCE_MS = 20_000;
const NEVER = new AbortController().signal;

/**
 * The algorithm of client-go's `leaderelection` on a Lease. A standby watches the Lease in addition, so that it takes a
 * released one at once.
 *
 * Two leaders never overlap: a standby waits `leaseDuration` after it saw the last renewal, and the leader stops
 * `renewDeadline` after it began that renewal, by its own clock. The write guard closes at that moment, even if a
 * blocked event loop or a suspended process delays the timer.
 */
export class LeaderElector implements WriteGuard {
  readonly #options: ElectorOptions;
  readonly #observation: LeaseObservation;
  readonly #claim: LeaseClaim;
  readonly #end = new AbortController();
  #state: State = 'standby';
  readonly #deadline: RenewDeadline;
  /** The write with which a standby tries to take the Lease. A stop awaits it, because it may succeed. */
  #attempt: Promise<unknown> = Promise.resolve();

  constructor(options: ElectorOptions) {
    this.#options = options;
    this.#deadline = new RenewDeadline({
      time: options.time,
      limit: options.timings.renewDeadline,
      onOverdue: () => this.#expire(),
    });
    this.#observation = new LeaseObservation(() => options.time.now());
    this.#claim = new LeaseClaim({
      lock: options.lock,
      identity: options.identity,
      leaseDuration: options.timings.leaseDuration,
      time: options.time,
      observation: this.#observation,
    });
  }

  get isLeader(): boolean {
    return this.#state === 'leading' && !this.#deadline.isOverdue;
  }

  /** Aborts when leadership ends. */
  get signal(): AbortSignal {
    return this.#end.signal;
  }

  /** Throws `LEADERSHIP_LOST` unless this process is the leader. */
  check(): void {
    if (this.#state === 'leading' && this.#deadline.isOverdue) this.#expire();
    if (this.#state === 'leading') return;
    throw this.#end.signal.aborted ? this.#end.signal.reason : this.#error('not the leader');
  }

  /** Throws if this process is the leader and could not renew the Lease for much longer than its duration. */
  checkHealth(): void {
    const limit = this.#options.timings.leaseDuration + HEALTH_TOLERANCE_MS;
    if (this.#state === 'leading' && this.#deadline.age > limit) {
      throw new Error('the Lease was not renewed in time');
    }
  }

  /** Resolves when this process is the leader. Rejects if the signal aborts or `release` is called first. */
  acquire(signal: AbortSignal): Promise<void> {
    return withLinkedSignal([signal, this.#end.signal], (linked) => this.#compete(linked));
  }

  /**
   * Ends leadership and frees the Lease, so that a standby takes it at once. Rejects if that fails; the Lease then
   * expires. The work of the leader must have ended.
   */
  async release(signal: AbortSignal): Promise<void> {
    const mayHold = this.isLeader || this.#state === 'standby';
    this.#finish('released', this.#error('the Lease was released'));
    if (!mayHold) return;
    await this.#attempt.catch(() => undefined);
    if (await this.#claim.free(signal)) this.#options.log.info({}, 'released the Lease');
  }

  /** Ends leadership without a change of the Lease: it expires. For a leader whose work did not end in time. */
  abandon(): void {
    this.#finish('released', this.#error('the work did not end in time'));
  }

  async #compete(signal: AbortSignal): Promise<void> {
    const { lock, time, timings, log } = this.#options;
    const watch = new LeaseWatch({
      changes: (stop) => lock.changes(stop),
      observe: (stored) => this.#observation.observe(stored),
      retry: (stop) => sleep(time, this.#jittered(timings.retryPeriod), stop),
      log,
    });
    try {
      while (!(await this.#tryToAcquire(signal))) await this.#chance(watch, signal);
    } finally {
      watch.close();
    }
  }

  async #tryToAcquire(signal: AbortSignal): Promise<boolean> {
    const { identity, time } = this.#options;
    try {
      await this.#claim.read(signal);
      if (this.#observation.freeIn(identity) > 0) return false;
      const began = time.now();
      // The write has no signal: an aborted write may still succeed, and then `release` must free the Lease.
      const attempt = this.#claim.write(NEVER);
      this.#attempt = attempt;
      return this.#lead(await attempt, began);
    } catch (error) {
      signal.throwIfAborted();
      this.#report(error);
      return false;
    }
  }

  /** Waits until another attempt can succeed: the Lease is free, or the retry period has passed. */
  async #chance(watch: LeaseWatch, signal: AbortSignal): Promise<void> {
    const { identity, time, timings } = this.#options;
    const retryAt = time.now() + this.#jittered(timings.retryPeriod);
    const wasFree = this.#observation.freeIn(identity) === 0;
    for (;;) {
      const left =
        watch.isOpen && !wasFree ? this.#observation.freeIn(identity) : retryAt - time.now();
      if (left <= 0) return;
      await watch.changeWithin((stop) => sleep(time, left, stop), signal);
    }
  }

  #lead(stored: StoredLease, began: number): boolean {
    this.#end.signal.throwIfAborted();
    if (!this.#deadline.renewed(began)) return false;
    this.#state = 'leading';
    this.#options.log.info({ transitions: stored.record.transitions }, 'became the leader');
    void this.#renewUntilEnd();
    return true;
  }

  async #renewUntilEnd(): Promise<void> {
    const { time, timings } = this.#options;
    const { signal } = this.#end;
    while (!signal.aborted) {
      try {
        await sleep(time, timings.retryPeriod, signal);
        await this.#renew(signal);
      } catch (error) {
        if (!signal.aborted) this.#report(error);
      }
    }
  }

  /** Renews with one update. After a conflict, or a deletion of the Lease, it reads the Lease first. */
  async #renew(signal: AbortSignal): Promise<void> {
    const { time, observer } = this.#options;
    const began = time.now();
    try {
      await this.#claim.write(signal);
    } catch (error) {
      if (!isConflict(error) && !isNotFound(error) && !isAlreadyExists(error)) throw error;
      observer.slowPath();
      await this.#claim.read(signal);
      if (this.#claim.isForeign) {
        this.#lose('another process holds the Lease');
        return;
      }
      await this.#claim.write(signal);
    }
    this.#renewed(began);
  }

  #renewed(began: number): void {
    if (this.#state === 'leading' && !this.#deadline.renewed(began)) this.#expire();
  }

  #expire(): void {
    this.#lose('the Lease was not renewed in time');
  }

  #lose(reason: string): void {
    if (this.#state !== 'leading') return;
    const error = this.#error(reason);
    this.#finish('lost', error);
    this.#options.log.error({ err: error }, 'lost the leadership');
    this.#options.observer.lost(error);
  }

  #finish(state: 'lost' | 'released', reason: ManagerError): void {
    if (this.#end.signal.aborted) return;
    this.#state = state;
    this.#deadline.stop();
    this.#end.abort(reason);
  }

  #report(error: unknown): void {
    this.#options.log.warn({ err: error }, 'leader election request failed');
  }

  #error(reason: string): ManagerError {
    const { identity } = this.#options;
    return new ManagerError('LEADERSHIP_LOST', { identity, reason });
  }

  #jittered(milliseconds: number): number {
    return milliseconds * (1 + this.#options.time.random() * JITTER_FACTOR);
  }
}
