import type { ServerResponse } from 'node:http';
import type { Status, StatusError } from '@keelson/apimachinery';
import { warningHeaders } from './warning-headers.ts';

/** What goes with a body. */
export interface AnswerOptions {
  readonly contentType?: string;
  readonly warnings?: readonly string[];
  /** Default: nothing is kept. */
  readonly cacheControl?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Answers with bytes. Nothing happens if the client has gone or an answer has begun. */
export function answer(
  response: ServerResponse,
  code: number,
  body: Buffer | string,
  options: AnswerOptions = {},
): void {
  if (response.headersSent || response.destroyed) return;
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  writeHead(response, code, { ...options, length: bytes.length });
  response.end(bytes);
}

/** Writes the head of an answer; without a length the body is chunked. */
export function writeHead(
  response: ServerResponse,
  code: number,
  options: AnswerOptions & { readonly length?: number },
): void {
  const { contentType = 'application/json', warnings = [], length, headers } = options;
  const { cacheControl = 'no-cache, private' } = options;
  response.writeHead(code, {
    'Content-Type': contentType,
    'Cache-Control': cacheControl,
    ...(length !== undefined && { 'Content-Length': length }),
    ...(warnings.length > 0 && { Warning: warningHeaders(warnings) }),
    ...headers,
  });
}

/** Answers with a value as JSON. */
export function answerJson(
  response: ServerResponse,
  code: number,
  value: unknown,
  options: AnswerOptions = {},
): void {
  answer(response, code, `${JSON.stringify(value)}\n`, options);
}

/**
 * Answers with the Status of an error, as JSON unless another text of it is given, and with `Retry-After` where the
 * Status names a time.
 */
export function answerStatus(
  response: ServerResponse,
  error: StatusError,
  options: AnswerOptions & { readonly text?: string | Buffer } = {},
): void {
  if (response.headersSent || response.destroyed) return;
  const status = completed(error.status);
  const seconds = status.details?.retryAfterSeconds;
  if (seconds !== undefined) response.setHeader('Retry-After', String(seconds));
  const { text = `${JSON.stringify(status)}\n`, ...rest } = options;
  answer(response, status.code ?? 500, text, rest);
}

/** Answers in plain text. */
export function answerText(response: ServerResponse, code: number, text: string): void {
  answer(response, code, text, { contentType: 'text/plain; charset=utf-8' });
}

/** A path that is nothing: no API answers here, so no Status either. */
export function answerNoSuchPath(response: ServerResponse): void {
  response.setHeader('X-Content-Type-Options', 'nosniff');
  answerText(response, 404, '404 page not found\n');
}

/** The members that every Status on the wire has. */
export function completed(status: Status): Status {
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, ...status };
}
