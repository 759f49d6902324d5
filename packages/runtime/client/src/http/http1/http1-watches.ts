import type { OnReadOpts, Socket } from 'node:net';
import { abortReason } from '../body/abort-reason.ts';
import type { OpenResponse, SentRequest } from '../body/exchange.ts';
import { ConnectError } from '../connect-error.ts';
import { OpenSockets } from '../open-sockets.ts';
import { SocketExchange } from './socket-exchange.ts';

/** Opens a connection to the server, and adds its socket to `own` at once. */
export type ConnectSocket = (onread: OnReadOpts, own: OpenSockets) => Promise<Socket>;

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
    const own = new OpenSockets();
    const abort = (): void => own.destroy(abortReason(signal));
    signal?.addEventListener('abort', abort, { once: true });
    let socket: Socket;
    try {
      socket = await this.#connect(exchange.onread, own);
    } catch (error) {
      return exchange.fail(new ConnectError('no connection was opened', { cause: error }));
    } finally {
      signal?.removeEventListener('abort', abort);
    }
    const closed = new Promise<void>((resolve) => {
      socket.once('close', () => resolve());
    });
    exchange.begin(socket);
    return closed;
  }
}
