import type { IncomingHttpHeaders } from 'node:http';
import { gzipSync } from 'node:zlib';

/** Shorter answers are not compressed, as in kube-apiserver. */
export const compressFrom: number = 128 * 1024;

/** Little work for most of the gain, as kube-apiserver has it. */
export const compressionLevel = 1;

/** Whether a client reads answers that are compressed. */
export function acceptsGzip(headers: IncomingHttpHeaders): boolean {
  return /\bgzip\b/.test(headers['accept-encoding'] ?? '');
}

/** A body as it travels, and the headers that say so. */
export function compressed(
  headers: IncomingHttpHeaders,
  body: Buffer | string,
): { readonly body: Buffer; readonly headers: Record<string, string> } {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  if (bytes.length < compressFrom || !acceptsGzip(headers)) return { body: bytes, headers: {} };
  return {
    body: gzipSync(bytes, { level: compressionLevel }),
    headers: { 'Content-Encoding': 'gzip', Vary: 'Accept-Encoding' },
  };
}
