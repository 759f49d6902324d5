import { StatusError } from '@keelson/apimachinery';
import { isCutOff, isUnsent } from './failure.ts';
import type { TransportRequest } from './transport-request.ts';

/** How often and how patiently a request is tried again. */
export interface RetryPolicy {
  /** Attempts in all, the first included. */
  readonly attempts: number;
  /** The first delay in milliseconds; it doubles. */
  readonly base: number;
  /** The longest delay in milliseconds. */
  readonly max: number;
}

export const defaultRetryPolicy: RetryPolicy = { attempts: 4, base: 100, max: 10_000 };

/** A server that asks for more patience than this gets none: the caller decides. */
const LONGEST_RETRY_AFTER = 30_000;

/** What decides whether a request is sent again. */
export type Repeatable = Pick<TransportRequest, 'method' | 'once'>;

/** Milliseconds until the next attempt, or `undefined` when there shall be none. */
export function retryDelay(
  error: unknown,
  request: Repeatable,
  attempt: number,
  policy: RetryPolicy,
): number | undefined {
  if (attempt >= policy.attempts || !mayRepeat(error, request)) return undefined;
  const asked = error instanceof StatusError ? error.retryAfter : undefined;
  if (asked === undefined) return backoff(attempt, policy);
  // Spread a little, so that clients with the same `Retry-After` do not retry together.
  return asked > LONGEST_RETRY_AFTER
    ? undefined
    : asked + Math.random() * Math.min(asked / 10, 500);
}

/** Milliseconds to wait after so many failures: doubled each time, between half and whole. */
export function backoff(failures: number, { base, max }: RetryPolicy): number {
  return Math.min(base * 2 ** (failures - 1), max) * (0.5 + Math.random() / 2);
}

/**
 * A read does no harm twice. A request that changes something is sent again only if the first one certainly did
 * nothing: no connection was opened for it, or the server refused it for its load.
 */
function mayRepeat(error: unknown, { method, once }: Repeatable): boolean {
  if (once === true) return false;
  const isRead = READS.has(method);
  if (error instanceof StatusError) {
    return error.statusCode === 429 || (isRead && OVERLOADED.has(error.statusCode));
  }
  return isUnsent(error) || (isRead && isCutOff(error));
}

const READS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);
const OVERLOADED: ReadonlySet<number> = new Set([503, 504]);
