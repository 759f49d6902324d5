import type { IncomingMessage } from 'node:http';
import { bodyTooLarge } from '../status-errors/status-errors.ts';

/** The longest body of a write in bytes, as in kube-apiserver. */
export const MAX_BODY_BYTES: number = 3 * 1024 * 1024;

/** Reads a whole body. Throws 413 as soon as it exceeds the limit. */
export function readBody(request: IncomingMessage): Promise<Buffer> {
  const length = request.headers['content-length'];
  if (Number(length ?? 0) > MAX_BODY_BYTES) throw bodyTooLarge(MAX_BODY_BYTES);
  // Such a body cannot exceed the limit. An iterator costs more than all other work on a small body.
  if (length !== undefined && !request.destroyed && !request.readableEnded)
    return wholeBody(request);
  return bodyWithin(request);
}

function wholeBody(request: IncomingMessage): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => void chunks.push(chunk));
  request.on('end', () => resolve(joined(chunks)));
  request.on('error', reject);
  request.on('close', () => {
    if (!request.readableEnded) reject(new Error('the request ended before its body'));
  });
  return promise;
}

/** Reads a body of unknown length. */
async function bodyWithin(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request) {
    const bytes = chunk as Buffer;
    length += bytes.length;
    if (length > MAX_BODY_BYTES) throw bodyTooLarge(MAX_BODY_BYTES);
    chunks.push(bytes);
  }
  return joined(chunks);
}

function joined(chunks: readonly Buffer[]): Buffer {
  return chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks);
}
