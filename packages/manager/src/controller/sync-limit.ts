import { startTimer } from '@keelson/apimachinery';

/** What bounds a wait for a sync. */
export interface SyncLimit {
  /** Milliseconds; 0: none. */
  readonly timeout: number;
  /** True while all that is missing is kinds that the server does not serve or allow. */
  isBlocked(): boolean;
  onEnd(): void;
}

/** Calls `onEnd` at the end of the time, which does not count while the sync is blocked. Returns the way to stop. */
export function limitSync(limit: SyncLimit): () => void {
  let stop: (() => void) | undefined;
  const begin = (): void => {
    if (limit.timeout > 0) stop = startTimer(limit.timeout, end);
  };
  const end = (): void => (limit.isBlocked() ? begin() : limit.onEnd());
  begin();
  return () => stop?.();
}
