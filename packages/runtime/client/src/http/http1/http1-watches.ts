import type { OnReadOpts, Socket } from 'node:net';
import type { OpenResponse, SentRequest } from '../body/exchange.ts';
import { SocketExchange } from './socket-exchange.ts';

/** Opens a connection to the server. Rejects with a `ConnectError`, also when the signal aborts. */
export type ConnectSocket = (onread: OnReadOpts, signal: AbortSignal | null) => Promise<Socket>;

/**
 * Watches over HTTP/1.1, each on a connection of its own. undici calls back for every chunk of a response, and
 * kube-apiserver sends each event as a chunk. Here a read of the socket is one batch.
 */
export class Http1Watches {
  readonly #connect: ConnectSocket;
  /** The ends of the connections. */
  readonly #open = new Set<Promise<void>>();

  constructor(connect: ConnectSocket) {
    this.#connect = connect;
  }

  /** Sends a GET request. Resolves when the response has started. */
  request(sent: SentRequest): Promise<OpenResponse> {
    const exchange = new SocketExchange(sent);
    const end = this.#run(exchange, sent.signal).finally(() => this.#open.delete(end));
    this.#open.add(end);
    return exchange.response;
  }

  /** Resolves when every response has ended and every connection is closed. */
  async close(): Promise<void> {
    await Promise.all(this.#open);
  }

  /** Resolves when the connection is closed, or could not be opened. */
  async #run(exchange: SocketExchange, signal: AbortSignal | null): Promise<void> {
    try {
      const socket = await this.#connect(exchange.onread, signal);
      const closed = new Promise<void>((resolve) => {
        socket.once('close', () => resolve());
      });
      exchange.begin(socket);
      await closed;
    } catch (error) {
      exchange.fail(error as Error);
    }
  }
}
