import { createServer, type RequestListener, type Server } from 'node:http';
import { createSecureServer, type Http2SecureServer } from 'node:http2';
import * as net from 'node:net';
import { once } from 'node:events';
import { ApiServerError } from '../status-errors/api-server-error.ts';
import { GatedSocket } from './gated-socket.ts';
import { Http2Request, Http2Response } from './http2-messages.ts';

/** Certificate and key in PEM. */
export interface TlsMaterial {
  readonly cert: string;
  readonly key: string;
}

/** The address and TLS settings of a listener. */
export interface ListenerOptions {
  readonly host: string;
  /** 0 selects any free port. */
  readonly port: number;
  readonly tls?: TlsMaterial;
  /** The CA of client certificates in PEM; without it the server requests none. */
  readonly clientCa?: string | undefined;
}

/** A client that sends its headers or its body too slowly gets 408, and its connection ends. Responses may take any time. */
const limits = {
  maxHeaderSize: 64 * 1024,
  keepAliveTimeout: 0,
  headersTimeout: 10_000,
  requestTimeout: 60_000,
  connectionsCheckingInterval: 2_000,
};

/** kube-apiserver allows 100 requests at once on one connection. */
const http2Limits = {
  settings: { maxConcurrentStreams: 100 },
  /** MB of unsent frames of all streams. */
  maxSessionMemory: 256,
  Http2ServerRequest: Http2Request,
  Http2ServerResponse: Http2Response,
};

/** An open connection, which can stay open without a byte. */
interface Connection {
  readonly socket: net.Socket;
  silence(): void;
}

/** A listening socket with all its connections. TLS connections negotiate HTTP/2 or HTTP/1.1 (ALPN). */
export class HttpListener {
  readonly #options: ListenerOptions;
  readonly #handle: RequestListener;
  readonly #connections = new Set<Connection>();
  #server: Server;
  #port: number;

  constructor(options: ListenerOptions, handle: RequestListener) {
    this.#options = options;
    this.#handle = handle;
    this.#port = options.port;
    this.#server = this.#createServer();
  }

  get port(): number {
    return this.#port;
  }

  /** Starts to listen; after `close` on the same port as before. Throws `LISTEN_FAILED`. */
  async listen(): Promise<void> {
    const { host } = this.#options;
    try {
      listenAt(this.#server, host, this.#port);
      await once(this.#server, 'listening');
    } catch (cause) {
      throw listenError({ host, port: this.#port }, cause);
    }
    this.#port = (this.#server.address() as net.AddressInfo).port;
  }

  /** Stops listening and breaks every connection; the port is free when the promise resolves. */
  async close(): Promise<void> {
    const server = this.#server;
    this.#server = this.#createServer();
    const closed = server.listening ? once(server, 'close') : Promise.resolve();
    server.close();
    this.break();
    await closed;
  }

  /** Breaks the open connections. Returns their number. */
  break(): number {
    const { size } = this.#connections;
    for (const { socket } of this.#connections) socket.destroy();
    this.#connections.clear();
    return size;
  }

  /**
   * Makes the open connections half-open: they stay open, and the clients receive no byte. Returns their number and a
   * function that closes them.
   */
  silence(): { readonly connections: number; readonly close: () => void } {
    const silenced = [...this.#connections];
    for (const connection of silenced) connection.silence();
    const close = (): void => silenced.forEach(({ socket }) => socket.destroy());
    return { connections: silenced.length, close };
  }

  #createServer(): Server {
    const { tls } = this.#options;
    if (tls !== undefined) return this.#createSecureServer(tls);
    const server = createServer(limits, this.#handle);
    server.on('connection', (socket: net.Socket) => {
      this.#hold({ socket, silence: () => socket.cork() });
    });
    return server;
  }

  #createSecureServer(tls: TlsMaterial): Server {
    const { clientCa } = this.#options;
    // A rejected certificate results in a 401 response instead of a failed handshake.
    const clients = clientCa !== undefined && {
      ca: clientCa,
      requestCert: true,
      rejectUnauthorized: false,
    };
    const { connectionsCheckingInterval } = limits;
    const options = {
      ...http2Limits,
      ...tls,
      ...clients,
      allowHTTP1: true,
      connectionsCheckingInterval,
    };
    // The messages of HTTP/2 have every member of HTTP/1.1 that the server uses.
    const handle = this.#handle as unknown as Parameters<typeof createSecureServer>[1];
    const server = Object.assign(createSecureServer(options, handle), limits);
    gate(server, (socket, gated) => this.#hold({ socket, silence: () => gated.silence() }));
    return server as unknown as Server;
  }

  /** Holds the raw socket, also during a TLS handshake. */
  #hold(connection: Connection): void {
    const { socket } = connection;
    socket.setNoDelay(true);
    this.#connections.add(connection);
    socket.once('close', () => this.#connections.delete(connection));
  }
}

/**
 * Node.js looks up each host to listen at, also an address, and the first time takes 4 ms. A bound socket, which Node.js has since
 * 24.19, needs no lookup.
 */
function listenAt(server: Server, host: string, port: number): void {
  if ('BoundSocket' in net && net.isIPv4(host)) {
    server.listen(new net.BoundSocket({ host, port }));
  } else server.listen(port, host);
}

/** Puts a gate between each TCP connection and its TLS handshake. */
function gate(
  server: Http2SecureServer,
  onConnection: (socket: net.Socket, gated: GatedSocket) => void,
): void {
  const handshakes = server.listeners('connection');
  server.removeAllListeners('connection');
  server.on('connection', (socket: net.Socket) => {
    const gated = new GatedSocket(socket);
    onConnection(socket, gated);
    for (const handshake of handshakes) handshake.call(server, gated);
  });
}

function listenError(facts: { host: string; port: number }, cause: unknown): ApiServerError {
  const inUse = (cause as NodeJS.ErrnoException).code === 'EADDRINUSE';
  return new ApiServerError(inUse ? 'PORT_IN_USE' : 'LISTEN_FAILED', facts, { cause });
}
