/**
 * - `parked`: the kind is not served; it is looked for now and then.
 * - `syncing`: the initial state is on its way.
 * - `live`: synced, and the stream is open or being renewed in an orderly way.
 * - `backing-off`: the last attempt failed; the next one waits.
 * - `forbidden`: the server refuses to list or watch; asked again slowly.
 * - `stale`: the stream has been silent for too long and is being replaced.
 * - `stopped`: nobody holds it any more.
 */
export type WatchState =
  | 'parked'
  | 'syncing'
  | 'live'
  | 'backing-off'
  | 'forbidden'
  | 'stale'
  | 'stopped';

/** How a watch fares. */
export interface WatchHealth {
  readonly state: WatchState;
  /** In words. */
  readonly reason: string;
  /** The verb that the server refused; set in `forbidden` only. */
  readonly verb: 'list' | 'watch' | undefined;
  /** Wall-clock milliseconds at which the state was entered. */
  readonly since: number;
  /** The error behind the state, or the last one seen before it. */
  readonly lastError: Error | undefined;
  /** Attempts that failed in a row. */
  readonly attempts: number;
}
