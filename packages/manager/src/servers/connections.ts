import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Requests that may wait for a response on one connection; probes and scrapers send one at a time. */
const MAX_PIPELINED = 8;
/** Milliseconds for a handshake with the head of a request, and for the client to take a response. */
const TRANSFER_TIMEOUT_MS = 10_000;

interface Connection {
  readonly socket: Socket;
  /** The responses that are not complete. */
  readonly pending: Set<ServerResponse>;
  /** Closes the connection if the client sends or reads too slowly. Runs unless a response is being made. */
  deadline: NodeJS.Timeout | undefined;
}

/**
 * The open connections of a server. Closes those whose client is slow: in the TLS handshake, in sending the head of a
 * request, or in reading a response.
 */
export class Connections {
  /** By remote address, because with TLS the socket of a request is not the one that was accepted. */
  readonly #open = new Map<string, Connection>();
  #onIdle: (() => void) | undefined;

  /** Adds an accepted socket, until it closes. */
  follow(socket: Socket): void {
    const id = idOf(socket);
    const connection: Connection = { socket, pending: new Set(), deadline: undefined };
    this.#open.set(id, connection);
    this.#updateDeadline(connection);
    // When a connection breaks, only its first response emits `close`, after this event.
    socket.once('close', () => {
      clearTimeout(connection.deadline);
      if (this.#open.get(id) === connection) this.#open.delete(id);
      this.#checkIdle();
    });
  }

  /** Returns false for a request that is pipelined behind too many others. */
  admits(socket: Socket, response: ServerResponse): boolean {
    const connection = this.#open.get(idOf(socket));
    if (connection === undefined || connection.pending.size >= MAX_PIPELINED) return false;
    const { pending } = connection;
    pending.add(response);
    this.#updateDeadline(connection);
    response.once('prefinish', () => this.#updateDeadline(connection));
    response.once('close', () => {
      pending.delete(response);
      this.#updateDeadline(connection);
      this.#checkIdle();
    });
    return true;
  }

  /** Resolves when every response has been sent. */
  idle(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#onIdle = resolve;
    this.#checkIdle();
    return promise;
  }

  /** Closes every connection, also one whose handshake is not complete. */
  closeAll(): void {
    for (const { socket } of this.#open.values()) socket.destroy();
  }

  #updateDeadline(connection: Connection): void {
    clearTimeout(connection.deadline);
    const { socket, pending } = connection;
    const isResponding = [...pending].some(({ writableEnded }) => !writableEnded);
    if (isResponding || socket.destroyed) return;
    connection.deadline = setTimeout(() => socket.destroy(), TRANSFER_TIMEOUT_MS);
  }

  #checkIdle(): void {
    if (this.#onIdle === undefined) return;
    const isIdle = [...this.#open.values()].every(({ pending }) => pending.size === 0);
    if (isIdle) this.#onIdle();
  }
}

function idOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
