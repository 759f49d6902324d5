import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { invalidOption, checkOptions } from '@keelson/apimachinery';
import { ManagerError } from './manager-error.ts';
import { endsWithin } from './timer.ts';

/** Where a server listens: a port (0: any free one), or a port and a host. */
export type ServerAddress =
  | number
  | {
      readonly port: number;
      /** Default: every interface, for probes come from outside. */
      readonly host?: string;
    };

/** One answer. */
export interface Answer {
  readonly status: number;
  readonly type?: string;
  readonly body: string;
}

/** Answers GET (and HEAD) requests for a path; `undefined`: not found. */
export type Responder = (url: URL) => Promise<Answer> | Answer | undefined;

/** More than any scraper or probe sends. */
const maxHeaderSize = 16 * 1024;
const patience = 10_000;
/** How long responses under way may take once the server closes. */
const closePatienceMs = 4000;

/** A small server for machines: GET only, no bodies, short headers, no patience. */
export class HttpServer {
  readonly name: string;
  readonly #address: Exclude<ServerAddress, number>;
  readonly #server: Server;
  /** The ends of the answers that are under way. */
  readonly #answers = new Set<Promise<void>>();

  constructor(name: string, address: ServerAddress, responder: Responder) {
    this.name = name;
    this.#address = typeof address === 'number' ? { port: address } : address;
    this.#server = createServer(
      { maxHeaderSize, requestTimeout: patience, headersTimeout: patience, keepAliveTimeout: 5000 },
      (request, response) => {
        this.#track(response);
        void respond(request, response, responder);
      },
    );
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
    await endsWithin(Promise.all(this.#answers), Math.min(milliseconds, closePatienceMs));
    // To Node a connection that asked nothing yet, or only half, is not idle: it would hold up the end.
    this.#server.closeAllConnections();
    await promise;
  }

  #track(response: ServerResponse): void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#answers.add(promise);
    // Comes in either case: the answer was sent, or its connection broke.
    response.once('close', () => {
      this.#answers.delete(promise);
      resolve();
    });
  }

  #explained(cause: unknown): ManagerError {
    const { code: reason } = cause as NodeJS.ErrnoException;
    const facts = { server: this.name, ...this.#address };
    return reason === 'EADDRINUSE'
      ? new ManagerError('PORT_IN_USE', facts, { cause })
      : new ManagerError('LISTEN_FAILED', { ...facts, reason }, { cause });
  }
}

/** Refuses what is no address. Code `INVALID_OPTION`. */
export function checkServerAddress(address: unknown, where: string): void {
  const { port } =
    typeof address === 'object' && address !== null
      ? (address as { port?: unknown })
      : { port: address };
  if (typeof address === 'object' && address !== null)
    checkOptions(address, ['port', 'host'], where);
  if (!Number.isInteger(port) || Number(port) < 0 || Number(port) > 65_535) {
    throw invalidOption(where, 'must be a port from 0 to 65535, or { port, host }');
  }
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
