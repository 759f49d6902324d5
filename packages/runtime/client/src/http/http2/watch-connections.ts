import type { Http2Connection } from './http2-connection.ts';
import type { OpenResponse, SentRequest } from '../body/exchange.ts';

/** Milliseconds for which the client remembers that the server does not support HTTP/2. */
const HTTP1_TTL_MS = 10 * 60_000;

/** How watches reach the server. */
export interface WatchConnectionsOptions {
  /** Opens a connection. Resolves with `undefined` if the server does not support HTTP/2. */
  readonly open: () => Promise<Http2Connection | undefined>;
  /** The connections over HTTP/1.1. */
  readonly http1: (request: SentRequest) => Promise<OpenResponse>;
}

/**
 * The connections of watches: over HTTP/2, whose pings notice a lost connection, or over HTTP/1.1 if the server does
 * not support HTTP/2.
 */
export class WatchConnections {
  readonly #options: WatchConnectionsOptions;
  readonly #connections = new Set<Http2Connection>();
  #opening: Promise<void> | undefined;
  #isHttp1Until = 0;
  #closed: Error | undefined;

  constructor(options: WatchConnectionsOptions) {
    this.#options = options;
  }

  /**
   * Sends a GET request. Resolves when the response has started. `overHttp1` sends it if the server does not support
   * HTTP/2; by default as a watch.
   */
  async request(
    request: SentRequest,
    overHttp1: () => Promise<OpenResponse> = () => this.#options.http1(request),
  ): Promise<OpenResponse> {
    for (;;) {
      if (performance.now() < this.#isHttp1Until) return overHttp1();
      for (const connection of this.#connections) {
        if (connection.hasRoom) return connection.request(request);
      }
      this.#opening ??= this.#open().finally(() => (this.#opening = undefined));
      await this.#opening;
    }
  }

  /** Resolves when every response has ended and every connection is closed. */
  async close(): Promise<void> {
    while (this.#opening !== undefined) await this.#opening.catch(() => undefined);
    await Promise.all(Array.from(this.#connections, (connection) => connection.close()));
  }

  /** Aborts every response; resolves when every socket is closed. */
  async destroy(reason: Error): Promise<void> {
    this.#closed = reason;
    await Promise.all(Array.from(this.#connections, (connection) => connection.destroy(reason)));
    await this.#opening?.catch(() => undefined);
  }

  async #open(): Promise<void> {
    const connection = await this.#options.open();
    if (connection?.isUsable !== true) this.#isHttp1Until = performance.now() + HTTP1_TTL_MS;
    if (this.#closed !== undefined) await connection?.destroy(this.#closed);
    if (this.#closed !== undefined) throw this.#closed;
    if (connection === undefined) return;
    this.#connections.add(connection);
    connection.onceClosed(() => this.#connections.delete(connection));
  }
}
