import { bodyChunks, isZipped } from './body-chunks.ts';
import { ClientError } from './errors.ts';
import type { Transport, TransportRequest, TransportResponse } from './transport.ts';

/** Sends and reads the answer as JSON. */
export async function sendForJson<Result>(
  transport: Transport,
  request: TransportRequest,
): Promise<Result> {
  const response = await transport.send(request);
  const text = await readText(transport, request, response);
  const contentType = contentTypeOf(response);
  if (!contentType.includes('json')) throw unexpected(request, { contentType });
  try {
    return JSON.parse(text) as Result;
  } catch {
    // The parser's own error quotes the text, and the text may be a Secret.
    throw unexpected(request, { contentType, reason: 'the body is not JSON' });
  }
}

/** The whole body as text, unzipped where it is zipped. */
export async function readText(
  transport: Transport,
  request: TransportRequest,
  response: TransportResponse,
): Promise<string> {
  try {
    if (!isZipped(response)) return await response.body.text();
  } catch (error) {
    throw transport.failureOf(error, request);
  }
  const chunks: Uint8Array[] = [];
  for await (const chunk of bodyChunks(transport, request, response)) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

export function contentTypeOf({ headers }: TransportResponse): string {
  return String(headers['content-type'] ?? '');
}

/** An answer of the server that says success and is not what was asked for. */
export function unexpected(
  { method, path }: TransportRequest,
  facts: Readonly<Record<string, unknown>>,
): ClientError {
  return new ClientError('UNEXPECTED_RESPONSE', { method, path, ...facts });
}
