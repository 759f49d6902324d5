import { isConflict, pause } from '@keelson/apimachinery';
import { attempts as checkAttempts, checkValues, milliseconds } from '../values/option-check.ts';

/** How often to try an update that conflicts; client-go's `DefaultRetry`. */
export interface RetryOnConflictOptions {
  /** Attempts in all; default 5. */
  readonly attempts?: number | undefined;
  /** Milliseconds between two; default 10, with jitter. */
  readonly delay?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Runs a read-modify-write until it does not conflict: `change` has to read the object anew each time. Any
 * other error, and the conflict of the last attempt, is thrown.
 */
export async function retryOnConflict<Result>(
  change: () => Promise<Result>,
  options: RetryOnConflictOptions = {},
): Promise<Result> {
  checkValues(options, ['attempts', 'delay', 'signal'], 'retryOnConflict');
  const { attempts = 5, delay = 10, signal } = options;
  checkAttempts(attempts, 'retryOnConflict.attempts');
  milliseconds(delay, 'retryOnConflict.delay');
  for (let attempt = 1; ; attempt++) {
    signal?.throwIfAborted();
    try {
      return await change();
    } catch (error) {
      if (attempt >= attempts || !isConflict(error)) throw error;
    }
    await pause(delay * (1 + Math.random() / 10), [signal]);
  }
}
