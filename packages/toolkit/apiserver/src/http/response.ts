import { jsonText } from '@keelson/structural-schema';
import type { ServerResponse } from 'node:http';
import type { Status, StatusError } from '@keelson/apimachinery';
import { warningHeaders } from './warning-headers.ts';

/** Headers of a response. */
export interface ResponseOptions {
  readonly contentType?: string;
  readonly warnings?: readonly string[];
  /** The `Cache-Control` header. Default: `no-cache, private`. */
  readonly cacheControl?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends a response. Does nothing if the client has disconnected or a response has started. */
export function respond(
  response: ServerResponse,
  code: number,
  body: Buffer | string,
  options: ResponseOptions = {},
): void {
  if (response.headersSent || response.destroyed) return;
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  writeHead(response, code, { ...options, length: bytes.length });
  response.end(bytes);
}

/** Writes status and headers; without a length the body is chunked. */
export function writeHead(
  response: ServerResponse,
  code: number,
  options: ResponseOptions & { readonly length?: number },
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

/** Sends a value as JSON. */
export function sendJson(
  response: ServerResponse,
  code: number,
  value: unknown,
  options: ResponseOptions = {},
): void {
  respond(response, code, `${jsonText(value)}\n`, options);
}

/**
 * Sends the Status of an error, with `Retry-After` if the Status has `retryAfterSeconds`. The body is JSON by
 * default.
 */
export function sendStatus(
  response: ServerResponse,
  error: StatusError,
  options: ResponseOptions & { readonly text?: string | Buffer } = {},
): void {
  if (response.headersSent || response.destroyed) return;
  const status = completed(error.status);
  const seconds = status.details?.retryAfterSeconds;
  if (seconds !== undefined) response.setHeader('Retry-After', String(seconds));
  const { text = `${JSON.stringify(status)}\n`, ...rest } = options;
  respond(response, status.code ?? 500, text, rest);
}

/** Sends plain text. */
export function sendText(response: ServerResponse, code: number, text: string): void {
  respond(response, code, text, { contentType: 'text/plain; charset=utf-8' });
}

/** Sends a plain 404 without a Status: the path belongs to no API. */
export function sendNoSuchPath(response: ServerResponse): void {
  response.setHeader('X-Content-Type-Options', 'nosniff');
  sendText(response, 404, '404 page not found\n');
}

/** Adds the members that every Status in a response has. */
export function completed(status: Status): Status {
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, ...status };
}
