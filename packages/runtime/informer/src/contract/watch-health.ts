import { systemClock, type Clock } from '@keelson/apimachinery';
import { EventEmitter } from 'eventemitter3';
import { UserCode } from './user-code.ts';

/**
 * The state of a watch.
 * - `parked`: the server does not serve the kind; the reflector retries after 2 s, doubling to 60 s.
 * - `syncing`: the reflector reads the whole state, for the first time or again (relist). During a relist readers see
 *   the former state, and `synced` and readiness do not change.
 * - `live`: synced; the stream is open, or the reflector reconnects after a stable connection ended.
 * - `backing-off`: the last attempt failed, and the server has not responded to a later one.
 * - `forbidden`: the server denies list or watch; the reflector retries after 2 s, doubling to 60 s.
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
  /** The number of failed attempts in a row, until the watch is live. */
  readonly attempts: number;
}

/** Its `get` prints the stack of any error, also of one whose `stack` is another value. Older versions of V8 have none. */
const stackOfError = Object.getOwnPropertyDescriptor(new Error('for its stack'), 'stack');

/** The causes of an error whose stacks are printed. */
const MAX_CAUSES = 8;

const INITIAL_REASON = 'reading the initial state';

/** Records the health of a watch and notifies listeners of changes. */
export class HealthRecord {
  readonly #changes = new EventEmitter<{ change: [WatchHealth] }>();
  readonly #clock: Clock;
  /** The present health. Only this class replaces it. */
  current: WatchHealth;

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
    this.current = {
      state: 'syncing',
      reason: INITIAL_REASON,
      verb: undefined,
      since: clock.now(),
      lastError: undefined,
      attempts: 0,
    };
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

  /** Records that the stream is open, and resets the failed attempts. */
  live(): void {
    const { lastError } = this.current;
    this.#set('live', { reason: 'receiving changes', lastError, attempts: 0, verb: undefined });
  }

  /** Records a list that begins for this cause. A watch that fails keeps its state until the server responds. */
  listing(cause: string): void {
    const { state } = this.current;
    if (state === 'live' || state === 'stale') this.syncing(cause);
  }

  /** Records that the server sends the whole state. */
  syncing(cause: string): void {
    const { lastError, attempts } = this.current;
    const reason =
      cause === 'initial' ? INITIAL_REASON : `reading the whole state again (${cause})`;
    this.#set('syncing', { reason, lastError, attempts, verb: undefined });
  }

  /** Records a failed attempt, or the end of the watch. */
  bad(
    state: Exclude<WatchState, 'syncing' | 'live'>,
    reason: string,
    error: Error | undefined,
    verb?: 'list' | 'watch',
  ): void {
    const { attempts, lastError, ...former } = this.current;
    printStack(error);
    // A further 403 does not remove the explanation that the first one received.
    const isSame = former.state === state && former.reason.startsWith(reason);
    this.#set(state, {
      reason: isSame ? former.reason : reason,
      lastError: error ?? lastError,
      attempts: error === undefined ? attempts : attempts + 1,
      verb,
    });
  }

  /** Adds to the reason of a forbidden watch, unless its state has changed meanwhile. */
  explain(verb: WatchHealth['verb'], cause: string): void {
    const { state, verb: denied, reason } = this.current;
    if (state !== 'forbidden' || denied !== verb || reason.endsWith(cause)) return;
    const [what = ''] = reason.split(';');
    this.current = { ...this.current, reason: `${what}; ${cause}` };
    this.#changes.emit('change', this.current);
  }

  /** A stopped watch stays stopped, even if its last request fails later. */
  #set(state: WatchState, facts: Omit<WatchHealth, 'state' | 'since'>): void {
    if (this.current.state === 'stopped') return;
    const same = state === this.current.state;
    if (same && facts.attempts === this.current.attempts) return;
    this.current = { state, since: same ? this.current.since : this.#clock.now(), ...facts };
    this.#changes.emit('change', this.current);
  }
}

/**
 * Prints the stack of an error that is kept, and of its causes. Until then V8 keeps the objects whose methods were running,
 * such as the bytes of a response.
 */
function printStack(error: unknown): void {
  try {
    for (let each = error, left = MAX_CAUSES; each instanceof Error && left > 0; left -= 1) {
      void each.stack;
      stackOfError?.get?.call(each);
      each = each.cause;
    }
  } catch {
    // An error of user code may have a member that throws.
  }
}
