import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { endsWithin, hasSeveralHosts } from '@keelson/apimachinery';
import { ManagerError } from '../errors.ts';
import type { CertificateSource, KeyPair } from './certificate-source.ts';
import { Connections, probeLimits, type ConnectionLimits } from './connections.ts';

/** The status, media type and body of a response. */
export interface PlainResponse {
  readonly status: number;
  readonly type?: string;
  /** Further headers. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string | Buffer | Readable;
}

/**
 * Responds to a GET or HEAD request; `undefined` means 404. `signal` aborts when the client closes the connection before
 * the response is complete.
 */
export type Responder = (
  url: URL,
  signal: AbortSignal,
) => Promise<PlainResponse> | PlainResponse | undefined;

/** Returns the response to a request that is not allowed; `undefined` allows it. */
export type AccessCheck = (
  request: IncomingMessage,
  path: string,
) => Promise<PlainResponse | undefined>;

/** Responds to a request of any method, and reads its body. `signal` aborts when the connection closes first. */
export type Receiver = (request: IncomingMessage, signal: AbortSignal) => Promise<PlainResponse>;

/** A server for probes and scrapers has a responder; one that receives bodies has a receiver. */
export type HttpServerOptions = CommonOptions &
  (
    | {
        readonly responder: Responder;
        /** Responds to POST requests, whose facts are in the query. Default: every POST request receives 405. */
        readonly poster?: Responder | undefined;
        readonly receiver?: undefined;
      }
    | { readonly responder?: undefined; readonly receiver: Receiver }
  );

interface CommonOptions {
  readonly name: string;
  readonly address: { readonly port: number; readonly host?: string };
  /** Makes the server an HTTPS server. */
  readonly certificates?: CertificateSource | undefined;
  /** True to request a client certificate in the handshake. A connection without one is accepted. */
  readonly requestsClientCertificates?: boolean;
  /** Called before the responder or receiver. Default: every request is allowed. */
  readonly access?: AccessCheck | undefined;
  /** Default: those of probes and scrapers. */
  readonly limits?: ConnectionLimits;
}

/** The largest request head in bytes, which is more than any scraper or probe sends. */
const MAX_HEADER_BYTES = 16 * 1024;
/** The longest path with its query, in characters. */
const MAX_URL_LENGTH = 2048;
/** Milliseconds that pending responses may take after `close`. */
const CLOSE_TIMEOUT_MS = 4000;
/** Milliseconds that a client may take to read a body that is a stream. */
const STREAM_TIMEOUT_MS = 300_000;
/** The lowest version of TLS. It is explicit, so that no flag of Node.js lowers it. */
const MIN_TLS_VERSION = 'TLSv1.2';

/**
 * An HTTP server, bounded in time, size and number. One for probes and scrapers accepts only GET and HEAD, POST if it has a
 * `poster`, and no request bodies.
 */
export class HttpServer {
  readonly name: string;
  readonly #options: HttpServerOptions;
  readonly #server: Server;
  readonly #limits: ConnectionLimits;
  readonly #connections: Connections;
  #isDraining = false;
  #useCertificate: ((pair: KeyPair) => void) | undefined;

  constructor(options: HttpServerOptions) {
    this.name = options.name;
    this.#options = options;
    this.#limits = options.limits ?? probeLimits;
    this.#connections = new Connections(this.#limits);
    this.#server = this.#create((request, response) => {
      if (this.#connections.admits(request.socket, response)) {
        void respond(request, response, { ...options, isDraining: () => this.#isDraining });
      } else rejectRequest(response);
    });
    this.#server.maxRequestsPerSocket = this.#limits.requestsPerConnection;
    this.#server.on('connection', (socket) => this.#connections.follow(socket));
  }

  /** The port of the listening server; `undefined` before `listen` and after `close`. */
  get port(): number | undefined {
    return (this.#server.address() as AddressInfo | null)?.port;
  }

  /** The address of the server for a browser on the same computer. */
  get url(): string {
    const { address, certificates } = this.#options;
    const { host = '127.0.0.1' } = address;
    const scheme = certificates === undefined ? 'http' : 'https';
    return `${scheme}://${host.includes(':') ? `[${host}]` : host}:${this.port ?? address.port}`;
  }

  /** Resolves when the server listens. Rejects with `INVALID_CERTIFICATE`, `PORT_IN_USE` or `LISTEN_FAILED`. */
  async listen(): Promise<void> {
    const { address, certificates } = this.#options;
    await certificates?.start((pair) => this.#useCertificate?.(pair));
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#server.once('error', reject);
    this.#server.listen(address, resolve);
    try {
      await promise;
    } catch (error) {
      throw this.#explained(error);
    } finally {
      this.#server.off('error', reject);
    }
  }

  /** From now on each response closes its connection, so that clients connect to another replica. */
  drain(): void {
    this.#isDraining = true;
  }

  /**
   * Waits for pending responses for at most this many milliseconds, then closes every connection. Has no effect on a
   * server that never listened.
   */
  async close(milliseconds: number = CLOSE_TIMEOUT_MS): Promise<void> {
    this.#options.certificates?.stop();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#server.close(() => resolve());
    await endsWithin(this.#connections.idle(), Math.min(milliseconds, CLOSE_TIMEOUT_MS));
    // Node does not count a connection with an incomplete request as idle, so it would keep the server open.
    this.#connections.closeAll();
    await promise;
  }

  #create(listener: RequestListener): Server {
    const limits = { maxHeaderSize: MAX_HEADER_BYTES, keepAliveTimeout: this.#limits.keepAliveMs };
    if (this.#options.certificates === undefined) {
      // `import 'node:http'` reads every export of the module, and one of them loads Node's fetch: 30 ms and 13 MB.
      return process.getBuiltinModule('node:http').createServer(limits, listener);
    }
    const server = process.getBuiltinModule('node:https').createServer(
      {
        ...limits,
        minVersion: MIN_TLS_VERSION,
        requestCert: this.#options.requestsClientCertificates === true,
        rejectUnauthorized: false,
      },
      listener,
    );
    // Open connections keep the certificate of their handshake.
    this.#useCertificate = (pair) =>
      server.setSecureContext({ ...pair, minVersion: MIN_TLS_VERSION });
    return server;
  }

  #explained(cause: unknown): ManagerError {
    const { code: reason } = cause as NodeJS.ErrnoException;
    const facts = { server: this.name, ...this.#options.address };
    return reason === 'EADDRINUSE'
      ? new ManagerError('PORT_IN_USE', facts, { cause })
      : new ManagerError('LISTEN_FAILED', { ...facts, reason }, { cause });
  }
}

/** Sends 503 and closes the connection, so that the server ignores further pipelined requests. */
function rejectRequest(response: ServerResponse): void {
  response.writeHead(503, { connection: 'close', 'content-length': 0 });
  response.end();
}

const SEVERAL_HOSTS: PlainResponse = { status: 400, body: 'several Host headers\n' };

async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  options: HttpServerOptions & { readonly isDraining: () => boolean },
): Promise<void> {
  const { isDraining } = options;
  const made = hasSeveralHosts(request.rawHeaders)
    ? SEVERAL_HOSTS
    : await madeResponse(request, response, options);
  const { status, type = 'text/plain; charset=utf-8', body } = made;
  const headers = {
    ...made.headers,
    'content-type': type,
    ...(body instanceof Readable ? {} : { 'content-length': Buffer.byteLength(body) }),
    'x-content-type-options': 'nosniff',
    // The unread body makes the connection unusable.
    ...(status === 413 || status === 408 || isDraining() ? { connection: 'close' } : {}),
  };
  response.writeHead(status, headers);
  if (body instanceof Readable) await send(body, request, response);
  else response.end(request.method === 'HEAD' ? undefined : body);
}

function madeResponse(
  request: IncomingMessage,
  response: ServerResponse,
  options: HttpServerOptions,
): Promise<PlainResponse> {
  const { receiver } = options;
  if (receiver === undefined) return responseTo(request, response, options);
  return received(request, response, { ...options, receiver });
}

async function send(
  body: Readable,
  { method }: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (method === 'HEAD') {
    body.destroy();
    response.end();
    return;
  }
  const signal = AbortSignal.timeout(STREAM_TIMEOUT_MS);
  // The error needs no report, because the client sees an incomplete response.
  await pipeline(body, response, { signal }).catch(() => undefined);
}

async function received(
  request: IncomingMessage,
  response: ServerResponse,
  { access, receiver }: { readonly access?: AccessCheck | undefined; readonly receiver: Receiver },
): Promise<PlainResponse> {
  const { url = '/' } = request;
  if (url.length > MAX_URL_LENGTH) return { status: 414, body: 'path too long\n' };
  const closed = closeSignal(response);
  try {
    return (await access?.(request, url)) ?? (await receiver(request, closed));
  } catch {
    return { status: 500, body: 'internal error\n' };
  }
}

/** A signal that aborts when the connection closes before the response is complete. */
function closeSignal(response: ServerResponse): AbortSignal {
  const closed = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) closed.abort(new DOMException('closed', 'AbortError'));
  });
  return closed.signal;
}

async function responseTo(
  request: IncomingMessage,
  response: ServerResponse,
  options: HttpServerOptions,
): Promise<PlainResponse> {
  const { method, headers, url = '/' } = request;
  const responder = responderFor(method, options);
  if (responder === undefined) return { status: 405, body: 'method not allowed\n' };
  const length = Number(headers['content-length'] ?? 0);
  if (length > 0 || headers['transfer-encoding'] !== undefined) {
    return { status: 413, body: 'no body expected\n' };
  }
  if (url.length > MAX_URL_LENGTH) return { status: 414, body: 'path too long\n' };
  if (!URL.canParse(url, 'http://server')) return { status: 400, body: 'bad request\n' };
  const closed = closeSignal(response);
  try {
    const parsed = new URL(url, 'http://server');
    const refusal = await options.access?.(request, parsed.pathname);
    if (refusal !== undefined) return refusal;
    const result = await responder(parsed, closed);
    return result ?? { status: 404, body: 'not found\n' };
  } catch {
    return { status: 500, body: 'internal error\n' };
  }
}

function responderFor(
  method: string | undefined,
  options: HttpServerOptions,
): Responder | undefined {
  if (options.receiver !== undefined) return undefined;
  if (method === 'POST') return options.poster;
  return method === 'GET' || method === 'HEAD' ? options.responder : undefined;
}
