import { checkFunction, isConflict, pause } from '@keelson/apimachinery';
import { attempts as checkAttempts, checkValues, milliseconds } from '../values/option-check.ts';

/** How often an update that conflicts is attempted. The defaults are those of client-go's `DefaultRetry`. */
export interface RetryOnConflictOptions {
  /** Number of attempts, the first one included. Default 5. */
  readonly attempts?: number | undefined;
  /** Milliseconds between two attempts, with jitter. Default 10. */
  readonly delay?: number | undefined;
  /** Ends the attempts; the promise rejects with the reason of the signal. Default: none. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Runs a read-modify-write again while it fails with a conflict. `change` must read the object again each
 * time. Throws every other error, and the conflict of the last attempt.
 *
 * @example
 * ```ts
 * import { builtin, mutableCopy } from '@keelson/manager';
 * import { retryOnConflict, type Client } from '@keelson/client';
 *
 * export async function addKey(client: Client, key: string): Promise<void> {
 *   const name = { namespace: 'default', name: 'settings' };
 *   await retryOnConflict(async () => {
 *     const fresh = mutableCopy(await client.get(builtin.ConfigMap, name));
 *     await client.update(builtin.ConfigMap, { ...fresh, data: { ...fresh.data, [key]: 'on' } });
 *   });
 * }
 * ```
 */
export async function retryOnConflict<Result>(
  change: () => Promise<Result>,
  options: RetryOnConflictOptions = {},
): Promise<Result> {
  checkFunction(change, 'retryOnConflict.change');
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
