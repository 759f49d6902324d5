import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { checkOptions, endsWithin, invalidOption } from '@keelson/apimachinery';
import { ManagerError } from '../errors.ts';

/** The address of a server: a port, or a port and a host. Port 0 selects a free port. */
export type ServerAddress =
  | number
  | {
      readonly port: number;
      /** Default: the host of `servers`, else every interface, because probes arrive from outside the Pod. */
      readonly host?: string;
    };

/** The status, media type and body of a response. */
export interface PlainResponse {
  readonly status: number;
  readonly type?: string;
  readonly body: string | Buffer;
}

/** Responds to a GET or HEAD request; `undefined` means 404. */
export type Responder = (url: URL) => Promise<PlainResponse> | PlainResponse | undefined;

/** The largest request head in bytes, which is more than any scraper or probe sends. */
const MAX_HEADER_BYTES = 16 * 1024;
/** The requests after which the server closes a connection, and the client reconnects. */
const MAX_REQUESTS_PER_CONNECTION = 100;
/** Requests that may wait for a response on one connection; probes and scrapers send one at a time. */
const MAX_PIPELINED = 8;
/** Milliseconds in which the headers, and the whole request, must arrive. */
const REQUEST_TIMEOUT_MS = 10_000;
/** Milliseconds that pending responses may take after `close`. */
const CLOSE_TIMEOUT_MS = 4000;

/** An HTTP server for probes and scrapers: only GET and HEAD, no request bodies, short time limits. */
export class HttpServer {
  readonly name: string;
  readonly #address: Exclude<ServerAddress, number>;
  readonly #server: Server;
  /** The responses of each connection that are not complete. */
  readonly #pending = new Map<Socket, Set<ServerResponse>>();
  #onIdle: (() => void) | undefined;

  constructor(name: string, address: ServerAddress, responder: Responder) {
    this.name = name;
    this.#address = typeof address === 'number' ? { port: address } : address;
    this.#server = createServer(
      {
        maxHeaderSize: MAX_HEADER_BYTES,
        requestTimeout: REQUEST_TIMEOUT_MS,
        headersTimeout: REQUEST_TIMEOUT_MS,
        keepAliveTimeout: 5000,
      },
      (request, response) => {
        if (this.#admits(request.socket, response)) void respond(request, response, responder);
        else rejectRequest(response);
      },
    );
    this.#server.maxRequestsPerSocket = MAX_REQUESTS_PER_CONNECTION;
    this.#server.on('connection', (socket) => this.#follow(socket));
  }

  /** The port of the listening server; `undefined` before `listen` and after `close`. */
  get port(): number | undefined {
    return (this.#server.address() as AddressInfo | null)?.port;
  }

  /** Resolves when the server listens. Rejects with `PORT_IN_USE` or `LISTEN_FAILED`. */
  async listen(): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#server.once('error', reject);
    this.#server.listen(this.#address, resolve);
    try {
      await promise;
    } catch (error) {
      throw this.#explained(error);
    } finally {
      this.#server.off('error', reject);
    }
  }

  /**
   * Waits for pending responses for at most this many milliseconds, then closes every connection. Has no effect on a
   * server that never listened.
   */
  async close(milliseconds: number = CLOSE_TIMEOUT_MS): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#server.close(() => resolve());
    await endsWithin(this.#idle(), Math.min(milliseconds, CLOSE_TIMEOUT_MS));
    // Node does not count a connection with an incomplete request as idle, so it would keep the server open.
    this.#server.closeAllConnections();
    await promise;
  }

  #follow(socket: Socket): void {
    this.#pending.set(socket, new Set());
    // When a connection breaks, only its first response emits `close`, after this event.
    socket.once('close', () => this.#pending.delete(socket));
  }

  /** Returns false for a request that is pipelined behind too many others. */
  #admits(socket: Socket, response: ServerResponse): boolean {
    const pending = this.#pending.get(socket);
    if (pending === undefined || pending.size >= MAX_PIPELINED) return false;
    pending.add(response);
    response.once('close', () => {
      pending.delete(response);
      this.#checkIdle();
    });
    return true;
  }

  /** Resolves when every response has been sent. */
  #idle(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#onIdle = resolve;
    this.#checkIdle();
    return promise;
  }

  #checkIdle(): void {
    if (this.#onIdle === undefined) return;
    const isIdle = [...this.#pending.values()].every(({ size }) => size === 0);
    if (isIdle) this.#onIdle();
  }

  #explained(cause: unknown): ManagerError {
    const { code: reason } = cause as NodeJS.ErrnoException;
    const facts = { server: this.name, ...this.#address };
    return reason === 'EADDRINUSE'
      ? new ManagerError('PORT_IN_USE', facts, { cause })
      : new ManagerError('LISTEN_FAILED', { ...facts, reason }, { cause });
  }
}

/** Throws `INVALID_OPTION` unless the value is an address. */
export function checkServerAddress(address: unknown, where: string): void {
  const { port } =
    typeof address === 'object' && address !== null
      ? (address as { port?: unknown })
      : { port: address };
  if (typeof address === 'object' && address !== null) {
    checkOptions(address, ['port', 'host'], where);
    checkHost((address as { host?: unknown }).host, `${where}.host`);
  }
  if (!Number.isInteger(port) || Number(port) < 0 || Number(port) > 65_535) {
    throw invalidOption(where, 'must be a port from 0 to 65535, or { port, host }');
  }
}

/** Throws `INVALID_OPTION` unless the value is a host; `undefined` means every interface. */
export function checkHost(host: unknown, where: string): void {
  if (host !== undefined && (typeof host !== 'string' || host === '')) {
    throw invalidOption(where, 'must be an address or the name of a host');
  }
}

/** Sends 503 and closes the connection, so that the server ignores further pipelined requests. */
function rejectRequest(response: ServerResponse): void {
  response.writeHead(503, { connection: 'close', 'content-length': 0 });
  response.end();
}

async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  responder: Responder,
): Promise<void> {
  const { status, type = 'text/plain; charset=utf-8', body } = await responseTo(request, responder);
  const headers = {
    'content-type': type,
    'content-length': Buffer.byteLength(body),
    'x-content-type-options': 'nosniff',
    // The unread body makes the connection unusable.
    ...(status === 413 ? { connection: 'close' } : {}),
  };
  response.writeHead(status, headers);
  response.end(request.method === 'HEAD' ? undefined : body);
}

async function responseTo(request: IncomingMessage, responder: Responder): Promise<PlainResponse> {
  const { method, headers, url = '/' } = request;
  if (method !== 'GET' && method !== 'HEAD') return { status: 405, body: 'method not allowed\n' };
  const length = Number(headers['content-length'] ?? 0);
  if (length > 0 || headers['transfer-encoding'] !== undefined) {
    return { status: 413, body: 'no body expected\n' };
  }
  if (!URL.canParse(url, 'http://server')) return { status: 400, body: 'bad request\n' };
  try {
    const result = await responder(new URL(url, 'http://server'));
    return result ?? { status: 404, body: 'not found\n' };
  } catch {
    return { status: 500, body: 'internal error\n' };
  }
}
