import { StatusError, type Status } from '@keelson/apimachinery';
import { boundedCopy } from '../values/bounded-copy.ts';
import { cut } from '../values/cut-text.ts';
import { parseJson } from '../values/parse-json.ts';
import { isRecord } from '../values/record.ts';
import { withoutSecrets, withoutSecretsIn } from '../values/redacted.ts';

/** A response with an error code, and the part of its body that was read. */
export interface ErrorResponse {
  readonly statusCode: number;
  readonly contentType: string;
  /** Value of the `retry-after` header. */
  readonly retryAfter: string | undefined;
  readonly body: string;
  /** Values that the error must not contain. */
  readonly secrets: readonly string[];
  readonly method: string;
  readonly path: string;
}

/**
 * Reasons by HTTP status for servers and proxies that send no Status, as in `reasonForStatus` of k8s.io/apimachinery.
 */
const REASONS: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  406: 'NotAcceptable',
  409: 'Conflict',
  410: 'Gone',
  413: 'RequestEntityTooLarge',
  415: 'UnsupportedMediaType',
  422: 'Invalid',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
  504: 'Timeout',
};

/** Upper bound in characters of a message from a body that is not a Status. */
const PLAIN_MESSAGE_LIMIT = 1024;
/** Upper bound in characters of the message of a Status, because it becomes the message of an error. */
const MESSAGE_LIMIT = 4096;
const REASON_LIMIT = 128;

/**
 * Returns the error of a response, for any form of its body. The code is the HTTP status, never the code in
 * the body.
 */
export function statusErrorOf(response: ErrorResponse): StatusError {
  const { statusCode, method, path } = response;
  const sent = sentStatus(response) ?? { message: plainMessage(response) };
  const seconds = sent.details?.retryAfterSeconds ?? retryAfterSeconds(response.retryAfter);
  const status: Status = {
    kind: 'Status',
    apiVersion: 'v1',
    status: 'Failure',
    ...sent,
    reason: sent.reason ?? REASONS[statusCode] ?? 'Unknown',
    code: statusCode,
    ...(seconds === undefined ? {} : { details: { ...sent.details, retryAfterSeconds: seconds } }),
  };
  return new StatusError(status, { method, path });
}

/**
 * Parses a `retry-after` header: seconds, rounded up. A date is relative to the current time. `undefined` if
 * invalid.
 */
export function retryAfterSeconds(header: string | undefined): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d+(\.\d+)?$/.test(header)) return Math.ceil(Number(header));
  // Date.parse reads "1.5" and "-1" as days of the year 2001.
  const date = /^[A-Z][a-z]{2}/.test(header) ? Date.parse(header) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, Math.ceil((date - Date.now()) / 1000));
}

/** True if the body is the beginning of a JSON object whose end is missing. */
export function isTruncatedJson(contentType: string, body: string): boolean {
  return contentType.includes('json') && body.startsWith('{') && parseJson(body) === undefined;
}

/** Copies a Status without invalid members: members of a wrong type are dropped, long texts and lists are cut. */
export function validStatus(sent: object): Status {
  const { message, reason, details, code, ...others } = sent as Record<string, unknown>;
  return {
    ...(boundedCopy(others) as object),
    ...(typeof code === 'number' ? { code } : {}),
    ...(typeof message === 'string' ? { message: cut(message, MESSAGE_LIMIT) } : {}),
    ...(typeof reason === 'string' && reason !== '' ? { reason: cut(reason, REASON_LIMIT) } : {}),
    ...(isRecord(details) ? { details: validDetails(details) } : {}),
  };
}

function validDetails({
  retryAfterSeconds: seconds,
  ...others
}: Record<string, unknown>): NonNullable<Status['details']> {
  const isTime = typeof seconds === 'number' && seconds >= 0;
  return { ...(boundedCopy(others) as object), ...(isTime && { retryAfterSeconds: seconds }) };
}

/** Returns the Status in the body. Of other JSON, which some aggregated servers send, it returns only the `message`. */
function sentStatus({ contentType, body, secrets }: ErrorResponse): Status | undefined {
  if (!contentType.includes('json')) return undefined;
  // Secrets are removed after parsing, because JSON may escape any character of a secret.
  const parsed = withoutSecretsIn(parseJson(body), secrets);
  if (!isRecord(parsed)) return undefined;
  if (parsed['kind'] === 'Status') return validStatus(parsed);
  const { message } = parsed;
  return typeof message === 'string' ? { message: cut(message, PLAIN_MESSAGE_LIMIT) } : undefined;
}

function plainMessage({ statusCode, contentType, body, secrets }: ErrorResponse): string {
  const text = contentType.includes('html') ? titleOf(body) : body;
  const readable = contentType.startsWith('text/') || contentType === '';
  // Secrets are removed before the text is cut, because a cut could leave a part of a secret.
  const shown = withoutSecrets(text.trim(), secrets);
  const message = readable ? cut(shown, PLAIN_MESSAGE_LIMIT) : '';
  return message === '' ? `the server responded with HTTP status ${statusCode}` : message;
}

function titleOf(html: string): string {
  return /<title>([^<]*)<\/title>/i.exec(html)?.[1] ?? '';
}
