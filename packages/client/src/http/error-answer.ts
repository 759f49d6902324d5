import { StatusError, type Status } from '@keelson/apimachinery';
import { parseJson } from '../values/parse-json.ts';
import { isRecord } from '../values/record.ts';

/** A response without a success code, with the part of its body that was read. */
export interface ErrorAnswer {
  readonly statusCode: number;
  readonly contentType: string;
  /** The `retry-after` header. */
  readonly retryAfter: string | undefined;
  readonly body: string;
  readonly method: string;
  readonly path: string;
}

/** Reasons by HTTP status, for servers and proxies that send no Status (apimachinery's `reasonForStatus` table). */
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

/** The longest text that is kept of a server that sends no Status. */
const PLAIN_MESSAGE_LIMIT = 1024;
/** The longest message that is kept of a Status, in characters: it becomes the message of an error. */
const MESSAGE_LIMIT = 4096;
const REASON_LIMIT = 128;

/** The error of a response, for any form of its body. Its code is the HTTP status, never the code in the body. */
export function statusErrorOf(answer: ErrorAnswer): StatusError {
  const { statusCode, method, path } = answer;
  const sent = sentStatus(answer) ?? { message: plainMessage(answer) };
  const seconds = sent.details?.retryAfterSeconds ?? retryAfterSeconds(answer.retryAfter);
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

/** `retry-after` in seconds, rounded up; a date counts from now. `undefined` for anything else. */
export function retryAfterSeconds(header: string | undefined): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d+(\.\d+)?$/.test(header)) return Math.ceil(Number(header));
  // Date.parse takes "1.5" and "-1" for days of the year 2001.
  const date = /^[A-Z][a-z]{2}/.test(header) ? Date.parse(header) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, Math.ceil((date - Date.now()) / 1000));
}

/** True for the beginning of a JSON object whose end is missing. */
export function isTornJson(contentType: string, body: string): boolean {
  return contentType.includes('json') && body.startsWith('{') && parseJson(body) === undefined;
}

/** A Status as a server sent it, without what no server may send: members of other types, texts without end. */
export function soundStatus(sent: object): Status {
  const { message, reason, details, code, ...others } = sent as Record<string, unknown>;
  return {
    ...others,
    ...(typeof code === 'number' ? { code } : {}),
    ...(typeof message === 'string' ? { message: cut(message, MESSAGE_LIMIT) } : {}),
    ...(typeof reason === 'string' && reason !== '' ? { reason: cut(reason, REASON_LIMIT) } : {}),
    ...(isRecord(details) ? { details: soundDetails(details) } : {}),
  };
}

function soundDetails({
  retryAfterSeconds: seconds,
  ...others
}: Record<string, unknown>): NonNullable<Status['details']> {
  const isTime = typeof seconds === 'number' && seconds >= 0;
  return isTime ? { ...others, retryAfterSeconds: seconds } : others;
}

/** The Status in the body; of other JSON (aggregated servers) only its message. */
function sentStatus({ contentType, body }: ErrorAnswer): Status | undefined {
  if (!contentType.includes('json')) return undefined;
  const parsed = parseJson(body);
  if (!isRecord(parsed)) return undefined;
  if (parsed['kind'] === 'Status') return soundStatus(parsed);
  const { message } = parsed;
  return typeof message === 'string' ? { message: cut(message, PLAIN_MESSAGE_LIMIT) } : undefined;
}

function plainMessage({ statusCode, contentType, body }: ErrorAnswer): string {
  const text = contentType.includes('html') ? titleOf(body) : body;
  const readable = contentType.startsWith('text/') || contentType === '';
  const message = readable ? cut(text.trim(), PLAIN_MESSAGE_LIMIT) : '';
  return message === '' ? `the server answered with HTTP status ${statusCode}` : message;
}

function titleOf(html: string): string {
  return /<title>([^<]*)<\/title>/i.exec(html)?.[1] ?? '';
}

/** Never in the middle of a character. */
function cut(text: string, limit: number): string {
  return text.length <= limit ? text : `${text.slice(0, limit - 1)}…`.toWellFormed();
}
