import { createGunzip } from 'node:zlib';
import type { Transport, TransportRequest, TransportResponse } from './transport.ts';

/**
 * The body of an answer, chunk by chunk, unzipped where it is zipped. Reads no further than it is
 * asked to, so that a slow consumer slows the server down. Leaving it early ends the request and closes
 * its socket.
 */
export async function* bodyChunks(
  transport: Transport,
  request: TransportRequest,
  response: TransportResponse,
): AsyncGenerator<Uint8Array, void, undefined> {
  const { body } = response;
  try {
    yield* isZipped(response) ? unzipped(body) : (body as AsyncIterable<Uint8Array>);
  } catch (error) {
    throw transport.failureOf(error, request);
  } finally {
    body.destroy();
  }
}

export function isZipped({ headers }: TransportResponse): boolean {
  return headers['content-encoding'] === 'gzip';
}

async function* unzipped(body: TransportResponse['body']): AsyncGenerator<Uint8Array> {
  const gunzip = createGunzip();
  // `pipe` does not hand errors on: a body that breaks has to break the unzipping too.
  body.once('error', (error: Error) => gunzip.destroy(error));
  try {
    yield* body.pipe(gunzip) as AsyncIterable<Uint8Array>;
  } finally {
    gunzip.destroy();
  }
}
