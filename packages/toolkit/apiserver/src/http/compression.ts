import type { IncomingHttpHeaders } from 'node:http';
import { gzipSync } from 'node:zlib';

/** Shorter responses are not compressed, as in kube-apiserver. Unit: bytes. */
export const MIN_COMPRESSED_BYTES: number = 128 * 1024;

/** The fastest gzip level, as in kube-apiserver. */
export const GZIP_LEVEL = 1;

/** True if a client accepts compressed responses. */
export function acceptsGzip(headers: IncomingHttpHeaders): boolean {
  return /\bgzip\b/.test(headers['accept-encoding'] ?? '');
}

/** Compresses a body if the client accepts it and the body is long enough. Returns the body and its headers. */
export function compressed(
  headers: IncomingHttpHeaders,
  body: Buffer | string,
): { readonly body: Buffer; readonly headers: Record<string, string> } {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  if (bytes.length < MIN_COMPRESSED_BYTES || !acceptsGzip(headers))
    return { body: bytes, headers: {} };
  return {
    body: gzipSync(bytes, { level: GZIP_LEVEL }),
    headers: { 'Content-Encoding': 'gzip', Vary: 'Accept-Encoding' },
  };
}
