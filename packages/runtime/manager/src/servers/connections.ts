import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** How many connections a server has, and how long it keeps them. */
export interface ConnectionLimits {
  /** Connections of one client. */
  readonly perAddress: number;
  /** Connections of all clients. */
  readonly total: number;
  /** The requests after which the server closes a connection, and the client reconnects. 0 for no limit. */
  readonly requestsPerConnection: number;
  /** Milliseconds after which a connection without requests is closed. */
  readonly keepAliveMs: number;
}

/** Probes and scrapers need a few connections, and send few requests. */
export const probeLimits: ConnectionLimits = {
  perAddress: 100,
  total: 200,
  requestsPerConnection: 100,
  keepAliveMs: 5000,
};

/**
 * The API server sends each concurrent review on a connection of its own. It closes connections that were idle for 90
 * seconds. A connection that this server closed earlier could break a review that is just being sent, and a POST request
 * is not repeated.
 */
export const reviewLimits: ConnectionLimits = {
  perAddress: 1000,
  total: 2000,
  requestsPerConnection: 0,
  keepAliveMs: 120_000,
};

/** Requests that may wait for a response on one connection; clients send one at a time. */
const MAX_PIPELINED = 8;
/** Milliseconds for a handshake with the head of a request, and for the client to take a response. */
const TRANSFER_TIMEOUT_MS = 10_000;

interface Connection {
  readonly id: string;
  readonly address: string | undefined;
  readonly socket: Socket;
  /** The responses that are not complete. */
  readonly pending: Set<ServerResponse>;
  /** True after its first request. */
  isUsed: boolean;
  /**
   * Closes the connection if the client sends or reads too slowly. It does not run while the server makes a response.
   */
  deadline: NodeJS.Timeout | undefined;
}

/**
 * The open connections of a server. Closes those whose client is slow: in the TLS handshake, in sending the head of a
 * request, or in reading a response. A client with too many connections loses the one that has been idle for longest,
 * and so does the client with most connections if the server has too many.
 */
export class Connections {
  readonly #limits: ConnectionLimits;
  /**
   * By remote address and port, because with TLS the socket of a request is not the one that was accepted. The idle
   * connections are in the order in which they became idle.
   */
  readonly #open = new Map<string, Connection>();
  #onIdle: (() => void) | undefined;

  constructor(limits: ConnectionLimits) {
    this.#limits = limits;
  }

  /** Adds an accepted socket, until it closes. Closes it at once if there are too many that are in use. */
  follow(socket: Socket): void {
    if (!this.#makesRoomFor(socket.remoteAddress)) {
      socket.destroy();
      return;
    }
    const id = idOf(socket);
    const { remoteAddress: address } = socket;
    const connection: Connection = {
      id,
      address,
      socket,
      pending: new Set(),
      isUsed: false,
      deadline: undefined,
    };
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
    connection.isUsed = true;
    this.#updateDeadline(connection);
    response.once('prefinish', () => this.#updateDeadline(connection));
    response.once('close', () => {
      pending.delete(response);
      this.#moveToEnd(connection);
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

  /** Closes a connection if there are too many for one more of this address. Returns false if all are in use. */
  #makesRoomFor(address: string | undefined): boolean {
    const own = this.#of(address);
    if (own.length >= this.#limits.perAddress) return this.#closesOne(own);
    if (this.#open.size < this.#limits.total) return true;
    const byAddress = [...Map.groupBy(this.#open.values(), ({ address: each }) => each).values()];
    return byAddress
      .toSorted((one, other) => other.length - one.length)
      .some((connections) => this.#closesOne(connections));
  }

  #of(address: string | undefined): Connection[] {
    return [...this.#open.values()].filter((connection) => connection.address === address);
  }

  /** Closes the connection that has been idle for longest, or else one whose client reads slowly. */
  #closesOne(connections: readonly Connection[]): boolean {
    const found =
      connections.find(({ pending }) => pending.size === 0) ??
      connections.find(({ pending }) => !isResponding(pending));
    if (found === undefined) return false;
    // Deleted here, because `close` is emitted only after connections that arrive together with this one.
    this.#open.delete(found.id);
    found.socket.destroy();
    return true;
  }

  #moveToEnd(connection: Connection): void {
    if (this.#open.get(connection.id) !== connection) return;
    this.#open.delete(connection.id);
    this.#open.set(connection.id, connection);
  }

  #updateDeadline(connection: Connection): void {
    clearTimeout(connection.deadline);
    const { socket, pending, isUsed } = connection;
    if (isResponding(pending) || socket.destroyed) return;
    const isIdle = isUsed && pending.size === 0;
    const milliseconds = isIdle
      ? Math.max(this.#limits.keepAliveMs, TRANSFER_TIMEOUT_MS)
      : TRANSFER_TIMEOUT_MS;
    connection.deadline = setTimeout(() => socket.destroy(), milliseconds);
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

/** True while the server writes a response. Afterwards only the client delays the connection. */
function isResponding(pending: ReadonlySet<ServerResponse>): boolean {
  return [...pending].some(({ writableEnded }) => !writableEnded);
}
