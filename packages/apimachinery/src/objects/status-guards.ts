import { hasCode } from '../coded-error.ts';
import type { Status } from './status.ts';

/*
 * A guard trusts the machine-readable reason first and the HTTP code only where the reason is
 * missing or foreign (client-go's `ReasonForError` does the same): 409 alone is both Conflict and
 * AlreadyExists.
 */

/** The object does not exist, or its kind is not served. */
export function isNotFound(error: unknown): boolean {
  return is(error, 'NotFound', 404);
}

/** The update was made from an older resourceVersion, or an apply met another owner of a field. */
export function isConflict(error: unknown): boolean {
  return is(error, 'Conflict', 409);
}

/** An object of that name exists. */
export function isAlreadyExists(error: unknown): boolean {
  return is(error, 'AlreadyExists', undefined);
}

/** The resourceVersion or continue token is no longer served: 410 in any of its forms. */
export function isGone(error: unknown): boolean {
  return is(error, 'Expired', 410) || is(error, 'Gone', 410);
}

/** The credentials are known and the verb is not allowed to them. */
export function isForbidden(error: unknown): boolean {
  return is(error, 'Forbidden', 403);
}

/** The credentials are missing, unknown or expired. */
export function isUnauthorized(error: unknown): boolean {
  return is(error, 'Unauthorized', 401);
}

/** The server sheds load, or an eviction would break a disruption budget. */
export function isTooManyRequests(error: unknown): boolean {
  return is(error, 'TooManyRequests', 429);
}

/** The object was refused by validation; `status.details.causes` names the fields. */
export function isInvalid(error: unknown): boolean {
  return is(error, 'Invalid', 422);
}

/** The server gave the request up for time. */
export function isTimeout(error: unknown): boolean {
  return is(error, 'Timeout', 504) || is(error, 'ServerTimeout', undefined);
}

/**
 * The resourceVersion asked for lies in the server's future. Servers say so by a cause (since 1.18.6), by the
 * message of a cause (1.17) or by the message alone (before).
 */
export function isResourceVersionTooLarge(error: unknown): boolean {
  const status = statusOf(error);
  if (status === undefined) return false;
  const causes = status.details?.causes ?? [];
  if (causes.some((cause) => cause.reason === 'ResourceVersionTooLarge')) return true;
  if (!isTimeout(error)) return false;
  return (
    causes.some((cause) => cause.message === tooLargeMessage) ||
    (status.message ?? '').includes(tooLargeMessage)
  );
}

const tooLargeMessage = 'Too large resource version';

/**
 * The `Status` inside an error: of a `StatusError` (of any copy of this package), of the
 * `ApiException` that client-node's typed APIs throw, or of the nearest `cause` that is one of them.
 * Errors of other libraries have none, whatever their `code`.
 */
export function statusOf(error: unknown): Status | undefined {
  const seen = new Set<unknown>();
  // An error that was wrapped is still what it is (Go's guards look through wrapping too); one may be its own cause.
  for (let next = error; next instanceof Error && !seen.has(next); next = next.cause) {
    const status = ownStatus(next);
    if (status !== undefined) return status;
    seen.add(next);
  }
  return undefined;
}

function ownStatus(error: Error): Status | undefined {
  if (hasCode(error, 'API_STATUS') && 'status' in error && isRecord(error.status)) {
    return error.status;
  }
  return isApiException(error) ? statusOfException(error) : undefined;
}

interface ApiException extends Error {
  readonly code: number;
  readonly body: unknown;
}

/** The class cannot be imported here, so its members and its message decide. */
function isApiException(error: Error): error is ApiException {
  return (
    'code' in error &&
    typeof error.code === 'number' &&
    'body' in error &&
    'headers' in error &&
    error.message.startsWith(`HTTP-Code: ${error.code}\n`)
  );
}

/** Generated clients of other APIs throw the same class: their JSON is not a Status. */
function statusOfException({ code, body }: ApiException): Status | undefined {
  const sent = parsed(body);
  if (!isRecord(sent)) return { code };
  return sent['kind'] === 'Status' ? { ...sent, code } : undefined;
}

function is(error: unknown, reason: string, code: number | undefined): boolean {
  const status = statusOf(error);
  if (status === undefined) return false;
  if (status.reason !== undefined && knownReasons.has(status.reason)) {
    return status.reason === reason;
  }
  return code !== undefined && status.code === code;
}

/** The reasons of `metav1.StatusReason` that decide more than their HTTP code does. */
const knownReasons: ReadonlySet<string> = new Set([
  'Unauthorized',
  'Forbidden',
  'NotFound',
  'AlreadyExists',
  'Conflict',
  'Gone',
  'Invalid',
  'ServerTimeout',
  'StoreReadError',
  'Timeout',
  'TooManyRequests',
  'BadRequest',
  'MethodNotAllowed',
  'NotAcceptable',
  'RequestEntityTooLarge',
  'UnsupportedMediaType',
  'InternalError',
  'Expired',
  'ServiceUnavailable',
]);

function parsed(body: unknown): unknown {
  if (typeof body !== 'string') return body;
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
