import { EventEmitter } from 'eventemitter3';
import { UserCode } from './user-code.ts';

/**
 * The state of a watch.
 * - `parked`: the server does not serve the kind; the reflector retries at long intervals.
 * - `syncing`: the reflector reads the initial state.
 * - `live`: synced; the stream is open, or the reflector reconnects after a normal end.
 * - `backing-off`: the last attempt failed; the reflector waits before the next one.
 * - `forbidden`: the server denies list or watch; the reflector retries at long intervals.
 * - `over-budget`: the memory budget refuses more objects; the reflector retries when there is room,
 *   and every 10 minutes.
 * - `stale`: the stream was silent for too long; the reflector reconnects.
 * - `stopped`: the watch has ended, because its last handle was released or its cache was closed.
 */
export type WatchState =
  | 'parked'
  | 'syncing'
  | 'live'
  | 'backing-off'
  | 'forbidden'
  | 'over-budget'
  | 'stale'
  | 'stopped';

/** The health of a watch, for readiness checks and logs. */
export interface WatchHealth {
  readonly state: WatchState;
  /** The cause of the state, as a short text for people. */
  readonly reason: string;
  /** The verb that the server denied; only set in `forbidden`. */
  readonly verb: 'list' | 'watch' | undefined;
  /** Wall-clock milliseconds at which the watch entered the state. */
  readonly since: number;
  /** The error that caused the state, or the last error before it. */
  readonly lastError: Error | undefined;
  /** The number of failed attempts in a row. */
  readonly attempts: number;
}

/** Records the health of a watch and notifies listeners of changes. */
export class HealthRecord {
  readonly #changes = new EventEmitter<{ change: [WatchHealth] }>();
  #health: WatchHealth = {
    state: 'syncing',
    reason: 'reading the initial state',
    verb: undefined,
    since: Date.now(),
    lastError: undefined,
    attempts: 0,
  };

  get current(): WatchHealth {
    return this.#health;
  }

  /**
   * Adds a listener. After its disposal it is not called again, not even for a change that is being
   * delivered.
   */
  onChange(
    listener: (health: WatchHealth) => unknown,
    onError: (error: unknown) => void,
  ): Disposable {
    const userCode = new UserCode(onError);
    let isDisposed = false;
    const guarded = (health: WatchHealth): void => {
      if (!isDisposed) userCode.call(listener, health);
    };
    this.#changes.on('change', guarded);
    const dispose = (): void => {
      isDisposed = true;
      this.#changes.off('change', guarded);
    };
    return { [Symbol.dispose]: dispose };
  }

  /** Records a healthy state and resets the failed attempts. */
  good(state: 'syncing' | 'live', reason: string): void {
    const { lastError } = this.#health;
    this.#set(state, { reason, lastError, attempts: 0, verb: undefined });
  }

  /** Records a failed attempt, or the end of the watch. */
  bad(
    state: Exclude<WatchState, 'syncing' | 'live'>,
    reason: string,
    error: Error | undefined,
    verb?: 'list' | 'watch',
  ): void {
    const { attempts, lastError } = this.#health;
    this.#set(state, {
      reason,
      lastError: error ?? lastError,
      attempts: error === undefined ? attempts : attempts + 1,
      verb,
    });
  }

  /** A stopped watch stays stopped, even if its last request fails later. */
  #set(state: WatchState, facts: Omit<WatchHealth, 'state' | 'since'>): void {
    if (this.#health.state === 'stopped') return;
    const same = state === this.#health.state;
    if (same && facts.attempts === this.#health.attempts) return;
    this.#health = { state, since: same ? this.#health.since : Date.now(), ...facts };
    this.#changes.emit('change', this.#health);
  }
}
