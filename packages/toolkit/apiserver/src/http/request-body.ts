import type { IncomingMessage } from 'node:http';
import { bodyTooLarge } from '../status-errors/status-errors.ts';

/** The longest body of a write in bytes, as in kube-apiserver. */
export const MAX_BODY_BYTES: number = 3 * 1024 * 1024;

/** Reads a whole body. Throws 413 as soon as it exceeds the limit. */
export async function readBody(request: IncomingMessage): Promise<Buffer> {
  const declared = Number(request.headers['content-length'] ?? 0);
  if (declared > MAX_BODY_BYTES) throw bodyTooLarge(MAX_BODY_BYTES);
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request) {
    const bytes = chunk as Buffer;
    length += bytes.length;
    if (length > MAX_BODY_BYTES) throw bodyTooLarge(MAX_BODY_BYTES);
    chunks.push(bytes);
  }
  return chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks);
}
