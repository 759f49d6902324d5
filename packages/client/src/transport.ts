import { setMaxListeners } from 'node:events';
import { StatusError } from '@keelson/apimachinery';
import type { Dispatcher } from 'undici';
import { abortable, pause } from './abortable.ts';
import type { Cluster } from './cluster.ts';
import { Connection } from './connection.ts';
import type { HeldCredentials } from './credential-cache.ts';
import { statusErrorOf } from './error-answer.ts';
import { ClientError } from './errors.ts';
import { failureOf } from './failure.ts';
import type { ClientObserver, HttpMethod, ObservedRequest, RequestVerb } from './observer.ts';
import { retryDelay, type Repeatable, type RetryPolicy } from './retry.ts';
import { reportWarnings } from './warning-header.ts';

/** A request on its way to the API server. */
export interface TransportRequest {
  readonly verb: RequestVerb;
  readonly method: HttpMethod;
  /** From the root of the API: `/api/v1/pods`. */
  readonly path: string;
  /** With its `?`, or empty. */
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly repeatable: Repeatable;
}

/** An answer; whoever gets it reads its body to the end or destroys it. */
export type TransportResponse = Dispatcher.ResponseData;

export interface TransportOptions {
  /** A function is called at the first request, and again after it failed. */
  readonly cluster: Cluster | (() => Promise<Cluster>);
  readonly userAgent: string;
  readonly observer: ClientObserver | undefined;
  readonly retry: RetryPolicy;
}

/** kube-apiserver ends ordinary requests after 60 s itself: silence beyond that is a dead connection. */
const LONGEST_SILENCE = 65_000;
/** Of the body of an error no more is read than a Status can reasonably need. */
const ERROR_BODY_LIMIT = 1024 * 1024;

/** Sends requests to one cluster: credentials, pools, retries, errors. Knows nothing of resources. */
export class Transport {
  readonly #options: TransportOptions;
  #connection: Connection | undefined;
  #connecting: Promise<Connection> | undefined;
  #closing: Promise<void> | undefined;
  /** Ends what waits for something else than a socket: credentials, the next attempt. */
  readonly #stop = new AbortController();

  constructor(options: TransportOptions) {
    this.#options = options;
    // As many requests may wait as there are.
    setMaxListeners(0, this.#stop.signal);
    if (typeof options.cluster === 'object') {
      this.#connection = new Connection(options.cluster, options.observer);
    }
  }

  /** Resolves with a success; anything else throws. */
  async send(request: TransportRequest): Promise<TransportResponse> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#authorized(request);
      } catch (error) {
        const delay = retryDelay(error, request.repeatable, attempt, this.#options.retry);
        if (delay === undefined) throw error;
        this.#observeRetry(request, error, delay, attempt);
        await pause(delay, [request.signal, this.#stop.signal]);
      }
    }
  }

  /** Breaks every request and watch; settles when all sockets are closed. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** What to throw for a body that broke while it was read. */
  failureOf(error: unknown, request: TransportRequest): unknown {
    if (request.signal?.aborted === true) return request.signal.reason;
    const { method, path } = request;
    return failureOf(error, { server: this.#connection?.server ?? '', method, path });
  }

  async #close(): Promise<void> {
    this.#stop.abort(new ClientError('CLIENT_CLOSED'));
    // A cluster that is still being loaded has no socket yet, and is given none any more.
    await this.#connection?.pools.close(new ClientError('CLIENT_CLOSED'));
  }

  #connected(): Connection | Promise<Connection> {
    if (this.#closing !== undefined) throw new ClientError('CLIENT_CLOSED');
    if (this.#connection !== undefined) return this.#connection;
    this.#connecting ??= this.#connect().finally(() => (this.#connecting = undefined));
    return this.#connecting;
  }

  async #connect(): Promise<Connection> {
    const { cluster, observer } = this.#options;
    const loaded = typeof cluster === 'function' ? await cluster() : cluster;
    this.#connection = new Connection(loaded, observer);
    return this.#connection;
  }

  /** One attempt, and a second one when the credentials were refused and there are others now. */
  async #authorized(request: TransportRequest): Promise<TransportResponse> {
    const connection = await this.#ended(request, this.#connected());
    const { credentials } = connection;
    const held = await this.#ended(request, credentials.get());
    const response = await this.#exchange(connection, request, held);
    if (response.statusCode !== 401) return this.#succeed(request, response);
    const refusal = await errorOf(request, response);
    const renewed = await this.#ended(request, credentials.replace(held));
    if (renewed === undefined) throw unauthorized(connection, refusal);
    const second = await this.#exchange(connection, request, renewed);
    if (second.statusCode !== 401) return this.#succeed(request, second);
    credentials.refusedAgain(renewed);
    throw unauthorized(connection, await errorOf(request, second));
  }

  /** What is waited for, unless the request or the client ends first. */
  #ended<Result>(
    { signal }: TransportRequest,
    awaited: Result | Promise<Result>,
  ): Result | Promise<Result> {
    return awaited instanceof Promise ? abortable(awaited, [signal, this.#stop.signal]) : awaited;
  }

  async #exchange(
    connection: Connection,
    request: TransportRequest,
    held: HeldCredentials,
  ): Promise<TransportResponse> {
    request.signal?.throwIfAborted();
    if (this.#closing !== undefined) throw new ClientError('CLIENT_CLOSED');
    const { observer, userAgent } = this.#options;
    if (observer === undefined) return this.#dispatch(connection, request, held, userAgent);
    const observed = observedOf(connection, request);
    const startedAt = performance.now();
    let code: number | '<error>' = '<error>';
    observer.requestStarted?.(observed);
    try {
      const response = await this.#dispatch(connection, request, held, userAgent);
      code = response.statusCode;
      return response;
    } finally {
      observer.requestEnded?.(observed, { code, duration: performance.now() - startedAt });
    }
  }

  async #dispatch(
    connection: Connection,
    request: TransportRequest,
    held: HeldCredentials,
    userAgent: string,
  ): Promise<TransportResponse> {
    const isWatch = request.verb === 'watch';
    try {
      const pool = await connection.pools.for(held, isWatch ? 'watches' : 'requests');
      const response = pool.request({
        origin: connection.origin,
        path: connection.prefix + request.path + (request.query ?? ''),
        method: request.method,
        headers: {
          accept: 'application/json',
          'user-agent': userAgent,
          ...request.headers,
          ...held.headers,
        },
        body: request.body ?? null,
        signal: request.signal ?? null,
        headersTimeout: LONGEST_SILENCE,
        bodyTimeout: isWatch ? 0 : LONGEST_SILENCE,
      });
      // undici hears an abort only once it has a connection, and a frozen server gives it none.
      return await abortable(response, [request.signal]);
    } catch (error) {
      throw this.failureOf(error, request);
    }
  }

  async #succeed(
    request: TransportRequest,
    response: TransportResponse,
  ): Promise<TransportResponse> {
    const { statusCode, headers } = response;
    if (statusCode < 200 || statusCode > 299) throw await errorOf(request, response);
    if (headers['warning'] !== undefined) reportWarnings(this.#options.observer, request, headers);
    return response;
  }

  #observeRetry(request: TransportRequest, error: unknown, delay: number, attempt: number): void {
    if (this.#connection === undefined) return;
    const observed = observedOf(this.#connection, request);
    const code = error instanceof StatusError ? error.statusCode : '<error>';
    this.#options.observer?.requestRetried?.(observed, { code, delay, attempt });
  }
}

function observedOf(connection: Connection, { verb, method }: TransportRequest): ObservedRequest {
  return { verb, method, host: connection.host };
}

function unauthorized(connection: Connection, refusal: StatusError): ClientError {
  const facts = { server: connection.server, reason: refusal.reason };
  return new ClientError('UNAUTHORIZED', facts, { cause: refusal });
}

async function errorOf(
  { method, path }: TransportRequest,
  response: TransportResponse,
): Promise<StatusError> {
  const { statusCode, headers } = response;
  return statusErrorOf({
    statusCode,
    contentType: String(headers['content-type'] ?? ''),
    retryAfter: headers['retry-after']?.toString(),
    body: await readBounded(response),
    method,
    path,
  });
}

/** The body as text up to a limit; what follows, or a body that breaks, is not worth an error of its own. */
async function readBounded({ body }: TransportResponse): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const chunk of body as AsyncIterable<Uint8Array>) {
      chunks.push(chunk);
      length += chunk.length;
      if (length > ERROR_BODY_LIMIT) break;
    }
  } catch {
    // The status line has said the essential.
  }
  return Buffer.concat(chunks).toString('utf8');
}
