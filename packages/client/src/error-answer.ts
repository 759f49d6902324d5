import { StatusError, type Status } from '@keelson/apimachinery';

/** An answer that is no success, as far as it was read. */
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

const MESSAGE_LIMIT = 1024;

/** The error that an answer stands for, whatever form its body has. */
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
    code: sent.code ?? statusCode,
    ...(seconds === undefined ? {} : { details: { ...sent.details, retryAfterSeconds: seconds } }),
  };
  return new StatusError(status, { method, path });
}

/** `retry-after` in seconds; a date counts from now. */
export function retryAfterSeconds(header: string | undefined): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d+$/.test(header)) return Number(header);
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, Math.ceil((date - Date.now()) / 1000));
}

/** The Status in the body; of other JSON (aggregated servers) only its message. */
function sentStatus({ contentType, body }: ErrorAnswer): Status | undefined {
  if (!contentType.includes('json')) return undefined;
  const parsed = parse(body);
  if (typeof parsed !== 'object' || parsed === null) return undefined;
  if ('kind' in parsed && parsed.kind === 'Status') return parsed as Status;
  return 'message' in parsed && typeof parsed.message === 'string'
    ? { message: parsed.message.slice(0, MESSAGE_LIMIT) }
    : undefined;
}

function plainMessage({ statusCode, contentType, body }: ErrorAnswer): string {
  const text = contentType.includes('html') ? titleOf(body) : body;
  const readable = contentType.startsWith('text/') || contentType === '';
  const message = readable ? text.trim().slice(0, MESSAGE_LIMIT) : '';
  return message === '' ? `the server answered with HTTP status ${statusCode}` : message;
}

function titleOf(html: string): string {
  return /<title>([^<]*)<\/title>/i.exec(html)?.[1] ?? '';
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
