import { once } from 'node:events';
import type { createServer, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Writes the chunks as fast as the socket accepts them. */
export async function send(
  response: ServerResponse,
  chunks: Iterable<Buffer>,
  isWhole: boolean,
): Promise<void> {
  if (!response.headersSent) response.setHeader('content-type', 'application/json');
  for (const chunk of chunks) {
    if (response.destroyed) return;
    if (!response.write(chunk)) await drained(response);
  }
  if (isWhole) response.end();
}

/** Resolves when the socket accepts more bytes, or is closed. */
async function drained(response: ServerResponse): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  response.once('drain', resolve).once('close', resolve);
  await promise;
  response.off('drain', resolve).off('close', resolve);
}

/** Listens on a free port, and returns it. */
export async function listen(server: ReturnType<typeof createServer>): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}
