import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createTlsServer, type ServerOptions } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';

/** A request that the server has received. */
export interface RecordedRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly socket: Socket;
}

export type Responder = (
  request: RecordedRequest,
  response: ServerResponse,
  index: number,
) => void | Promise<void>;

/** An HTTP server on port 0 that records its requests and sends the responses of the test. */
export interface RecordingServer extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  readonly requests: readonly RecordedRequest[];
  readonly server: Server;
  /** Open connections. */
  readonly sockets: ReadonlySet<Socket>;
  /** Number of connections accepted so far. */
  readonly accepted: () => number;
}

export async function startServer(
  respond: Responder,
  tls?: ServerOptions,
  listenPort: number = 0,
): Promise<RecordingServer> {
  const requests: RecordedRequest[] = [];
  const sockets = new Set<Socket>();
  let accepted = 0;
  const server = tls === undefined ? createServer() : createTlsServer(tls);
  server.on('request', async (message, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of message) chunks.push(chunk as Buffer);
    const request = {
      method: message.method ?? '',
      url: new URL(message.url ?? '', 'http://server'),
      headers: message.headers,
      body: Buffer.concat(chunks).toString(),
      socket: message.socket,
    };
    requests.push(request);
    await respond(request, response, requests.length - 1);
  });
  server.on(tls === undefined ? 'connection' : 'secureConnection', (socket: Socket | TLSSocket) => {
    accepted++;
    sockets.add(socket);
    // Some tests reset connections on purpose.
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
  });
  server.listen(listenPort, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`,
    port,
    requests,
    server,
    sockets,
    accepted: () => accepted,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Sends a JSON response. */
export function json(response: ServerResponse, body: unknown, code = 200, headers = {}): void {
  response.writeHead(code, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}

/** Sends a Status, as the API server does. */
export function status(
  response: ServerResponse,
  code: number,
  reason: string,
  headers: Record<string, string> = {},
): void {
  const body = {
    apiVersion: 'v1',
    kind: 'Status',
    status: 'Failure',
    reason,
    message: reason,
    code,
  };
  json(response, body, code, headers);
}

/** Returns the error of a rejected promise; fails if the promise resolves. */
export async function rejection(promise: Promise<unknown>): Promise<Error> {
  try {
    await promise;
  } catch (error) {
    return error as Error;
  }
  throw new Error('the promise was expected to reject');
}
