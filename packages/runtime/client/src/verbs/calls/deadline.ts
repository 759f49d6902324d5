import { parseDuration, withLinkedSignal, type Clock } from '@keelson/apimachinery';
import { ClientError } from '../../errors.ts';
import type { RequestOptions } from './request-options.ts';

/**
 * Runs a call with the signal and the time limit of its options. Throws `REQUEST_TIMEOUT` when the limit
 * expires.
 */
export async function withDeadline<Result>(
  { signal, timeout }: RequestOptions,
  { clock, facts }: { readonly clock: Clock; readonly facts: Readonly<Record<string, unknown>> },
  run: (signal: AbortSignal | undefined) => Promise<Result>,
): Promise<Result> {
  if (timeout === undefined) return run(signal);
  signal?.throwIfAborted();
  const limit = new AbortController();
  const stopTimer = clock.startTimer(parseDuration(timeout, 'timeout'), () =>
    limit.abort(new ClientError('REQUEST_TIMEOUT', { ...facts, timeout })),
  );
  try {
    return await withLinkedSignal([signal, limit.signal], run);
  } finally {
    stopTimer();
  }
}
