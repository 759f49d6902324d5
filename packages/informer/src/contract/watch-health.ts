/**
 * The state of a watch.
 * - `parked`: the server does not serve the kind; the reflector retries at long intervals.
 * - `syncing`: the reflector reads the initial state.
 * - `live`: synced; the stream is open, or the reflector reconnects after a normal end.
 * - `backing-off`: the last attempt failed; the reflector waits before the next one.
 * - `forbidden`: the server denies list or watch; the reflector retries at long intervals.
 * - `stale`: the stream was silent for too long; the reflector reconnects.
 * - `stopped`: the watch has ended, because its last handle was released or its cache was closed.
 */
export type WatchState =
  | 'parked'
  | 'syncing'
  | 'live'
  | 'backing-off'
  | 'forbidden'
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
