import { StatusError } from '@keelson/apimachinery';
import { isCutOff, isUnsent } from './failure.ts';
import type { TransportRequest } from './transport-request.ts';

/** How often a failed request is retried, and how long the client waits between attempts. */
export interface RetryPolicy {
  /** Number of attempts, the first one included. Default 4. */
  readonly attempts: number;
  /**
   * Upper bound of the delay before the first retry in milliseconds; it doubles with each retry. The delay is random,
   * from half to all of it. `Retry-After` of the server replaces it. Default 100.
   */
  readonly base: number;
  /** Upper bound of the delay in milliseconds. Default 10 000. */
  readonly max: number;
}

export const defaultRetryPolicy: RetryPolicy = { attempts: 4, base: 100, max: 10_000 };

/**
 * The longest `Retry-After` in milliseconds that the client waits. With a longer one it throws the error, and the
 * caller decides.
 */
const LONGEST_RETRY_AFTER_MS = 30_000;

/** The members of a request that decide whether it is retried. */
export type Repeatable = Pick<TransportRequest, 'method' | 'noRetry'>;

/** Returns the milliseconds until the next attempt, or `undefined` if the request must not be retried. */
export function retryDelay(
  error: unknown,
  request: Repeatable,
  attempt: number,
  { policy, random }: { readonly policy: RetryPolicy; readonly random: () => number },
): number | undefined {
  if (attempt >= policy.attempts || !mayRepeat(error, request)) return undefined;
  const retryAfterMs = error instanceof StatusError ? error.retryAfter : undefined;
  if (retryAfterMs === undefined) return backoff(attempt, policy, random);
  // The jitter spreads clients that received the same `Retry-After`.
  return retryAfterMs > LONGEST_RETRY_AFTER_MS
    ? undefined
    : retryAfterMs + random() * Math.min(retryAfterMs / 10, 500);
}

/**
 * Returns the milliseconds to wait after `failures` failed attempts. They double each time; jitter takes away up to
 * half.
 */
export function backoff(
  failures: number,
  { base, max }: RetryPolicy,
  random: () => number,
): number {
  return Math.min(base * 2 ** (failures - 1), max) * (0.5 + random() / 2);
}

/**
 * True if the request may be repeated. A read can be repeated safely. A write is retried only if the first attempt
 * certainly changed nothing: no connection was opened for it, or the server rejected it with 429.
 */
function mayRepeat(error: unknown, { method, noRetry }: Repeatable): boolean {
  if (noRetry === true) return false;
  const isReading = isRead({ method });
  if (error instanceof StatusError) {
    return error.statusCode === 429 || (isReading && OVERLOAD_STATUS_CODES.has(error.statusCode));
  }
  return isUnsent(error) || (isReading && isCutOff(error));
}

/** True for a request that changes nothing on the server. */
export function isRead({ method }: Pick<TransportRequest, 'method'>): boolean {
  return READ_METHODS.has(method);
}

const READ_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);
const OVERLOAD_STATUS_CODES: ReadonlySet<number> = new Set([503, 504]);
