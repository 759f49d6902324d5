import { parseDuration, pause, type Clock, type Duration } from '@keelson/apimachinery';

/** Waits for a duration by the clock of the manager. Rejects with the reason of the signal of its caller. */
export type Sleep = (duration: Duration) => Promise<void>;

/** Makes the `sleep` of a context. `signal` returns the signal that ends a wait. */
export function sleeper(clock: Clock, signal: () => AbortSignal): Sleep {
  return async (duration) => {
    await pause(parseDuration(duration, 'sleep'), [signal()], clock);
  };
}
