import { abortable } from '@keelson/apimachinery';
import { WebhookError } from '../errors.ts';

/**
 * The largest body of a review in bytes, that of controller-runtime: an object and its former state, of at most 3 MiB
 * each, which is the limit of the API server's own requests.
 */
export const MAX_BODY_BYTES: number = 7 * 1024 * 1024;

/** The parts of an HTTP request that a webhook reads; `IncomingMessage` of Node.js satisfies it. */
export interface WebhookHttpRequest extends AsyncIterable<Uint8Array> {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}

/**
 * Reads the body of a request. Rejects with `REVIEW_TOO_LARGE` above the limit, before it reads a body whose length is
 * declared, and with `REVIEW_INCOMPLETE` if the signal aborts or the connection ends first.
 */
export async function readBody(request: WebhookHttpRequest, signal: AbortSignal): Promise<Buffer> {
  const declared = Number(request.headers['content-length'] ?? 0);
  if (declared > MAX_BODY_BYTES) throw tooLarge();
  try {
    return await abortable(collect(request), [signal]);
  } catch (cause) {
    if (cause instanceof WebhookError) throw cause;
    throw new WebhookError('REVIEW_INCOMPLETE', {}, { cause });
  }
}

async function collect(request: WebhookHttpRequest): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of request) {
    length += chunk.length;
    if (length > MAX_BODY_BYTES) throw tooLarge();
    chunks.push(chunk);
  }
  return chunks.length === 1 ? Buffer.from(chunks[0] ?? []) : Buffer.concat(chunks);
}

function tooLarge(): WebhookError {
  return new WebhookError('REVIEW_TOO_LARGE', { limit: MAX_BODY_BYTES });
}
