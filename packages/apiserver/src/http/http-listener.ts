import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { once } from 'node:events';
import { ApiServerError } from '../status-errors/api-server-error.ts';

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

const limits = { maxHeaderSize: 64 * 1024, keepAliveTimeout: 0, requestTimeout: 60_000 };

/** A listening socket with all its connections. */
export class HttpListener {
  readonly #options: ListenerOptions;
  readonly #handle: RequestListener;
  readonly #sockets = new Set<Socket>();
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
      this.#server.listen(this.#port, host);
      await once(this.#server, 'listening');
    } catch (cause) {
      throw listenError({ host, port: this.#port }, cause);
    }
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  /** Stops listening and breaks every connection; the port is free when the promise resolves. */
  async close(): Promise<void> {
    const server = this.#server;
    this.#server = this.#createServer();
    const closed = server.listening ? once(server, 'close') : Promise.resolve();
    server.close();
    for (const socket of this.#sockets) socket.destroy();
    this.#sockets.clear();
    await closed;
  }

  #createServer(): Server {
    const { tls, clientCa } = this.#options;
    // A rejected certificate results in a 401 response instead of a failed handshake.
    const clients = clientCa !== undefined && {
      ca: clientCa,
      requestCert: true,
      rejectUnauthorized: false,
    };
    const server =
      tls === undefined
        ? createServer(limits, this.#handle)
        : createTlsServer({ ...limits, ...tls, ...clients }, this.#handle);
    // The raw socket, also during a TLS handshake.
    server.on('connection', (socket: Socket) => {
      socket.setNoDelay(true);
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    });
    return server;
  }
}

function listenError(facts: { host: string; port: number }, cause: unknown): ApiServerError {
  const inUse = (cause as NodeJS.ErrnoException).code === 'EADDRINUSE';
  return new ApiServerError(inUse ? 'PORT_IN_USE' : 'LISTEN_FAILED', facts, { cause });
}
