import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { checkOptions, endsWithin, invalidOption } from '@keelson/apimachinery';
import { ManagerError } from '../errors.ts';

/** Where a server listens: a port (0: any free one), or a port and a host. */
export type ServerAddress =
  | number
  | {
      readonly port: number;
      /** Default: that of `servers`, else every interface, because probes come from outside of the Pod. */
      readonly host?: string;
    };

/** A response of a manager's server. */
export interface Answer {
  readonly status: number;
  readonly type?: string;
  readonly body: string | Buffer;
}

/** Responds to GET and HEAD requests for a path; `undefined` is a 404. */
export type Responder = (url: URL) => Promise<Answer> | Answer | undefined;

/** More than any scraper or probe sends. */
const maxHeaderSize = 16 * 1024;
/** Then the connection is closed, and its client connects again. */
const maxRequestsPerConnection = 100;
/** Requests of one connection that may wait for their responses; probes and scrapers send one at a time. */
const maxPipelined = 8;
/** The time limit of the headers and of a whole request. */
const REQUEST_TIMEOUT_MS = 10_000;
/** How long pending responses may take after the server closes. */
const closePatienceMs = 4000;

/** A server for probes and scrapers: GET and HEAD only, no request bodies, short headers and time limits. */
export class HttpServer {
  readonly name: string;
  readonly #address: Exclude<ServerAddress, number>;
  readonly #server: Server;
  /** The requests of each connection that have no complete response yet. */
  readonly #unanswered = new Map<Socket, Set<ServerResponse>>();
  #onIdle: (() => void) | undefined;

  constructor(name: string, address: ServerAddress, responder: Responder) {
    this.name = name;
    this.#address = typeof address === 'number' ? { port: address } : address;
    this.#server = createServer(
      {
        maxHeaderSize,
        requestTimeout: REQUEST_TIMEOUT_MS,
        headersTimeout: REQUEST_TIMEOUT_MS,
        keepAliveTimeout: 5000,
      },
      (request, response) => {
        if (this.#admits(request.socket, response)) void respond(request, response, responder);
        else refuse(response);
      },
    );
    this.#server.maxRequestsPerSocket = maxRequestsPerConnection;
    this.#server.on('connection', (socket) => this.#follow(socket));
  }

  /** The port it listens on; `undefined` while it does not. */
  get port(): number | undefined {
    return (this.#server.address() as AddressInfo | null)?.port;
  }

  /** Rejects with `PORT_IN_USE` or `LISTEN_FAILED`. */
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
   * Responses under way may finish within so many milliseconds, then every connection is cut.
   * Closing a server that never listened is harmless.
   */
  async close(milliseconds: number = closePatienceMs): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#server.close(() => resolve());
    await endsWithin(this.#idle(), Math.min(milliseconds, closePatienceMs));
    // To Node a connection that asked nothing yet, or only half, is not idle: it would hold up the end.
    this.#server.closeAllConnections();
    await promise;
  }

  #follow(socket: Socket): void {
    this.#unanswered.set(socket, new Set());
    // The first response of a connection that breaks gets an event, after this one; those that wait behind it get none.
    socket.once('close', () => this.#unanswered.delete(socket));
  }

  /** False for a request that is pipelined behind too many others. */
  #admits(socket: Socket, response: ServerResponse): boolean {
    const unanswered = this.#unanswered.get(socket);
    if (unanswered === undefined || unanswered.size >= maxPipelined) return false;
    unanswered.add(response);
    response.once('close', () => {
      unanswered.delete(response);
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
    const isIdle = [...this.#unanswered.values()].every(({ size }) => size === 0);
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

/** Throws `INVALID_OPTION` unless the value is a host; `undefined` is every interface. */
export function checkHost(host: unknown, where: string): void {
  if (host !== undefined && (typeof host !== 'string' || host === '')) {
    throw invalidOption(where, 'must be an address or the name of a host');
  }
}

/** Ends the connection: what was sent behind this request is not worth any work. */
function refuse(response: ServerResponse): void {
  response.writeHead(503, { connection: 'close', 'content-length': 0 });
  response.end();
}

async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  responder: Responder,
): Promise<void> {
  const { status, type = 'text/plain; charset=utf-8', body } = await answerTo(request, responder);
  const headers = {
    'content-type': type,
    'content-length': Buffer.byteLength(body),
    'x-content-type-options': 'nosniff',
    // A refused body is not read: the connection cannot be used again.
    ...(status === 413 ? { connection: 'close' } : {}),
  };
  response.writeHead(status, headers);
  response.end(request.method === 'HEAD' ? undefined : body);
}

async function answerTo(request: IncomingMessage, responder: Responder): Promise<Answer> {
  const { method, headers, url = '/' } = request;
  if (method !== 'GET' && method !== 'HEAD') return { status: 405, body: 'method not allowed\n' };
  const length = Number(headers['content-length'] ?? 0);
  if (length > 0 || headers['transfer-encoding'] !== undefined) {
    return { status: 413, body: 'no body expected\n' };
  }
  if (!URL.canParse(url, 'http://server')) return { status: 400, body: 'bad request\n' };
  try {
    const answer = await responder(new URL(url, 'http://server'));
    return answer ?? { status: 404, body: 'not found\n' };
  } catch {
    return { status: 500, body: 'internal error\n' };
  }
}
