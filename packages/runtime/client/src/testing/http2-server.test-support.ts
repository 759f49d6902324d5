import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import {
  createSecureServer,
  type Http2SecureServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type ServerHttp2Session,
  type Settings,
} from 'node:http2';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import type { Cluster } from '../cluster/cluster.ts';
import { serverCertificate } from './certificates.test-support.ts';

/** A response that has started; over HTTP/2 its `stream` can be reset. */
export interface OpenExchange {
  readonly request: Http2ServerRequest;
  readonly response: Http2ServerResponse;
}

/** A TLS server that supports HTTP/2 and HTTP/1.1, behind a tunnel that can lose bytes. */
export class Http2Server implements AsyncDisposable {
  /** The requests that have arrived, in order. */
  readonly exchanges: OpenExchange[] = [];
  readonly sessions: ServerHttp2Session[] = [];
  /** TLS connections since the start. */
  connections = 0;
  respond: (exchange: OpenExchange) => void = openWatch;
  /** Called for each TCP connection. */
  onConnection: () => void = () => undefined;
  readonly #server: Http2SecureServer;
  readonly #tunnel: Server;
  readonly #sockets = new Set<Socket>();
  #loses = false;

  private constructor(settings: Settings) {
    this.#server = createSecureServer({ ...serverCertificate, allowHTTP1: true, settings });
    this.#server.on('request', (request, response) => {
      this.exchanges.push({ request, response });
      this.respond({ request, response });
    });
    this.#server.on('session', (session) => this.sessions.push(session));
    this.#server.on('secureConnection', () => this.connections++);
    this.#server.on('sessionError', () => undefined);
    this.#tunnel = createServer((client) => this.#forward(client));
  }

  static async open(settings: Settings = {}): Promise<Http2Server> {
    const server = new Http2Server(settings);
    server.#server.listen(0, '127.0.0.1');
    server.#tunnel.listen(0, '127.0.0.1');
    await Promise.all([once(server.#server, 'listening'), once(server.#tunnel, 'listening')]);
    return server;
  }

  get cluster(): Cluster {
    const { port } = this.#tunnel.address() as AddressInfo;
    return { server: `https://127.0.0.1:${port}`, tls: { ca: serverCertificate.cert } };
  }

  get openSockets(): number {
    return this.#sockets.size;
  }

  /** From now on no byte passes on the open connections, which stay open. */
  loseBytes(): void {
    this.#loses = true;
  }

  /** Ends the open connections of the clients normally (FIN). */
  hangUp(): void {
    for (const socket of this.#sockets) socket.end();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    const closed = [once(this.#server, 'close'), once(this.#tunnel, 'close')];
    for (const session of this.sessions) session.destroy();
    this.#server.close();
    this.#tunnel.close();
    await Promise.all(closed);
  }

  #forward(client: Socket): void {
    const { port } = this.#server.address() as AddressInfo;
    const server = connect(port, '127.0.0.1');
    this.#sockets.add(client);
    this.onConnection();
    client.on('data', (bytes) => this.#loses || server.write(bytes));
    server.on('data', (bytes) => this.#loses || client.write(bytes));
    for (const socket of [client, server]) socket.setNoDelay().on('error', () => undefined);
    client.on('close', () => {
      this.#sockets.delete(client);
      server.destroy();
    });
  }
}

/** Starts the response of a watch without an event. */
export function openWatch({ response }: OpenExchange): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  // A response over HTTP/2 has this method too, but not its type.
  (response as unknown as ServerResponse).flushHeaders();
}
