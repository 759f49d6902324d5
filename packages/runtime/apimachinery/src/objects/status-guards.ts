import { hasCode } from '../coded-error.ts';
import type { Status } from './status.ts';

/*
 * A guard trusts the machine-readable reason first. It uses the HTTP code only if the reason is missing or
 * unknown, as client-go's `ReasonForError` does: the code 409 can be Conflict or AlreadyExists.
 */

/** True if the object does not exist, or the server does not serve its kind. */
export function isNotFound(error: unknown): boolean {
  return is(error, 'NotFound', 404);
}

/** True if an update had an old resourceVersion, or an apply conflicts with another field manager. */
export function isConflict(error: unknown): boolean {
  return is(error, 'Conflict', 409);
}

/** True if an object of that name already exists. */
export function isAlreadyExists(error: unknown): boolean {
  return is(error, 'AlreadyExists', undefined);
}

/** True if the resourceVersion or continue token has expired: 410 in any of its forms. */
export function isGone(error: unknown): boolean {
  return is(error, 'Expired', 410) || is(error, 'Gone', 410);
}

/** True if the server knows the user but does not permit the request. */
export function isForbidden(error: unknown): boolean {
  return is(error, 'Forbidden', 403);
}

/** True if the credentials are missing, unknown or expired. */
export function isUnauthorized(error: unknown): boolean {
  return is(error, 'Unauthorized', 401);
}

/** True if the server is overloaded, or an eviction would violate a disruption budget. */
export function isTooManyRequests(error: unknown): boolean {
  return is(error, 'TooManyRequests', 429);
}

/** True if validation refused the object; `status.details.causes` names the fields. */
export function isInvalid(error: unknown): boolean {
  return is(error, 'Invalid', 422);
}

/** True if the server ended the request because of a timeout. */
export function isTimeout(error: unknown): boolean {
  return is(error, 'Timeout', 504) || is(error, 'ServerTimeout', undefined);
}

/**
 * True if the requested resourceVersion is newer than that of the server. Servers report this as a cause
 * (since 1.18.6), in the message of a cause (1.17) or only in the message (older).
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
 * Returns the `Status` of an error: of a `StatusError` from any copy of this package, of the `ApiException`
 * that client-node's typed APIs throw, or of the nearest `cause` that is one of them. Returns `undefined` for
 * errors of other libraries, whatever their `code`, and for those that cannot be read.
 */
export function statusOf(error: unknown): Status | undefined {
  try {
    return nearestStatus(error);
  } catch {
    // User code may throw a value that throws when it is read.
    return undefined;
  }
}

function nearestStatus(error: unknown): Status | undefined {
  const seen = new Set<unknown>();
  // Guards also match the causes of an error, as in Go. The set ends the loop if an error is its own cause.
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

/**
 * Recognizes an `ApiException` by its members and its message, because this package cannot import the class of
 * client-node.
 */
function isApiException(error: Error): error is ApiException {
  return (
    'code' in error &&
    typeof error.code === 'number' &&
    'body' in error &&
    'headers' in error &&
    error.message.startsWith(`HTTP-Code: ${error.code}\n`)
  );
}

/**
 * Returns the Status in the body. Clients that are generated for other APIs throw the same class, but their bodies are
 * not a Status.
 */
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

/** The reasons of `metav1.StatusReason` that are more specific than their HTTP code. */
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
