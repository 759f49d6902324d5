import { EventEmitter } from 'eventemitter3';
import { callUserCode } from '../contract/user-code.ts';
import type { WatchHealth, WatchState } from '../contract/watch-health.ts';

/** Keeps a watch's health and tells of its changes. */
export class HealthRecord {
  readonly #changes = new EventEmitter<{ change: [WatchHealth] }>();
  #health: WatchHealth = {
    state: 'syncing',
    reason: 'the initial state is on its way',
    verb: undefined,
    since: Date.now(),
    lastError: undefined,
    attempts: 0,
  };

  get current(): WatchHealth {
    return this.#health;
  }

  /** A listener that has been disposed of is not called again, not even for a change under way. */
  onChange(
    listener: (health: WatchHealth) => unknown,
    onError: (error: unknown) => void,
  ): Disposable {
    let isOver = false;
    const own = (health: WatchHealth): void => {
      if (!isOver) callUserCode(onError, listener, health);
    };
    this.#changes.on('change', own);
    const dispose = (): void => {
      isOver = true;
      this.#changes.off('change', own);
    };
    return { [Symbol.dispose]: dispose };
  }

  /** The watch does what it should. */
  good(state: 'syncing' | 'live', reason: string): void {
    const { lastError } = this.#health;
    this.#set(state, { reason, lastError, attempts: 0, verb: undefined });
  }

  /** An attempt has failed, or the watch has ended for good. */
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

  /** A watch that has stopped stays stopped, whatever its last request comes to. */
  #set(state: WatchState, facts: Omit<WatchHealth, 'state' | 'since'>): void {
    if (this.#health.state === 'stopped') return;
    const same = state === this.#health.state;
    if (same && facts.attempts === this.#health.attempts) return;
    this.#health = { state, since: same ? this.#health.since : Date.now(), ...facts };
    this.#changes.emit('change', this.#health);
  }
}
