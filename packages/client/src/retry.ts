import { StatusError } from '@keelson/apimachinery';
import { isTransient, isUnprocessed } from './failure.ts';

/** How often and how patiently a request is tried again. */
export interface RetryPolicy {
  /** Attempts in all, the first included. */
  readonly attempts: number;
  /** The first delay in milliseconds; it doubles. */
  readonly base: number;
  /** The longest delay in milliseconds. */
  readonly max: number;
}

/**
 * What may be sent again: `'safe'` everything that does no harm twice, `'unprocessed'` only what the
 * server has surely not acted on, `'never'` nothing, because the caller has a loop of its own.
 */
export type Repeatable = 'safe' | 'unprocessed' | 'never';

export const defaultRetryPolicy: RetryPolicy = { attempts: 4, base: 100, max: 10_000 };

/** A server that asks for more patience than this gets none: the caller decides. */
const LONGEST_RETRY_AFTER = 30_000;

/** Milliseconds until the next attempt, or `undefined` when there shall be none. */
export function retryDelay(
  error: unknown,
  repeatable: Repeatable,
  attempt: number,
  policy: RetryPolicy,
): number | undefined {
  if (attempt >= policy.attempts || !mayRepeat(error, repeatable)) return undefined;
  const asked = error instanceof StatusError ? error.retryAfter : undefined;
  const backoff = Math.min(policy.base * 2 ** (attempt - 1), policy.max);
  const jittered = backoff * (0.5 + Math.random() / 2);
  if (asked === undefined) return jittered;
  // Spread a little, so that all who were told the same do not come back together.
  return asked > LONGEST_RETRY_AFTER
    ? undefined
    : asked + Math.random() * Math.min(asked / 10, 500);
}

function mayRepeat(error: unknown, repeatable: Repeatable): boolean {
  if (repeatable === 'never') return false;
  if (error instanceof StatusError) {
    if (error.statusCode === 429) return true;
    return repeatable === 'safe' && (error.statusCode === 503 || error.statusCode === 504);
  }
  return repeatable === 'safe' ? isTransient(error) : isUnprocessed(error);
}
