import { parseDuration } from '@keelson/apimachinery';
import { ClientError } from '../../errors.ts';
import type { RequestOptions } from './request-options.ts';

/** The longest delay of one `setTimeout` (24 days): Node fires a longer one at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Runs a call under the signal and the time limit of its options. */
export async function withDeadline<Result>(
  { signal, timeout }: RequestOptions,
  facts: Readonly<Record<string, unknown>>,
  run: (signal: AbortSignal | undefined) => Promise<Result>,
): Promise<Result> {
  if (timeout === undefined) return run(signal);
  signal?.throwIfAborted();
  const stop = new AbortController();
  const end = (): void => stop.abort(signal?.reason);
  signal?.addEventListener('abort', end, { once: true });
  const timer = setTimeout(
    () => stop.abort(new ClientError('REQUEST_TIMEOUT', { ...facts, timeout })),
    Math.min(parseDuration(timeout, 'timeout'), LONGEST_TIMER_MS),
  );
  try {
    return await run(stop.signal);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', end);
  }
}
