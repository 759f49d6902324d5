import { EventEmitter } from 'eventemitter3';
import { callUserCode } from '../contract/user-code.ts';
import type { WatchHealth, WatchState } from '../contract/watch-health.ts';

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
    let isDisposed = false;
    const guarded = (health: WatchHealth): void => {
      if (!isDisposed) callUserCode(onError, listener, health);
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
