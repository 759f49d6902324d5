import { setMaxListeners } from 'node:events';
import { abortable, pause, StatusError } from '@keelson/apimachinery';
import type { Cluster } from '../cluster/cluster.ts';
import { Connection } from './connection.ts';
import type { HeldCredentials } from './credential-cache.ts';
import { ClientError } from '../errors.ts';
import { failureOf } from './failure.ts';
import { HttpResponse } from './http-response.ts';
import type { ClientObserver, ObservedRequest } from './observer.ts';
import { backoff, retryDelay, type RetryPolicy } from './retry.ts';
import type { TransportRequest } from './transport-request.ts';
import { reportWarnings } from './warning-header.ts';

export interface TransportOptions {
  /** A function is called at the first request, and again after it failed. */
  readonly cluster: Cluster | (() => Promise<Cluster>);
  readonly userAgent: string;
  readonly observer: ClientObserver | undefined;
  readonly retry: RetryPolicy;
}

/** kube-apiserver ends ordinary requests after 60 s itself: silence beyond that is a dead connection. */
const LONGEST_SILENCE = 65_000;

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

  /** Resolves with a successful response, whose body the caller reads or gives up; anything else throws. */
  open(request: TransportRequest): Promise<HttpResponse> {
    return this.exchange(request, (response) => response);
  }

  /**
   * Sends a request and reads its response. Both are tried again as the request allows, so a body that breaks
   * counts as a request that failed.
   */
  async exchange<Result>(
    request: TransportRequest,
    read: (response: HttpResponse) => Result | Promise<Result>,
  ): Promise<Result> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await read(await this.#authorized(request));
      } catch (error) {
        const delay = retryDelay(error, request, attempt, this.#options.retry);
        if (delay === undefined) throw error;
        this.#observeRetry(request, error, delay, attempt);
        await pause(delay, [request.signal, this.#stop.signal]);
      }
    }
  }

  /** Waits as long as before the attempt that follows so many failures. */
  backOff(failures: number, signal: AbortSignal | undefined): Promise<void> {
    return pause(backoff(failures, this.#options.retry), [signal, this.#stop.signal]);
  }

  /** Breaks every request and watch; settles when all sockets are closed. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#stop.abort(new ClientError('CLIENT_CLOSED'));
    // A cluster that is still being loaded has no socket yet, and is given none any more.
    await this.#connection?.close(new ClientError('CLIENT_CLOSED'));
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
  async #authorized(request: TransportRequest): Promise<HttpResponse> {
    const connection = await this.#ended(request, this.#connected());
    const { credentials } = connection;
    const held = await this.#ended(request, credentials.get());
    const response = await this.#exchange(connection, request, held);
    if (response.statusCode !== 401) return this.#succeed(request, response);
    const refusal = await response.refusal();
    const renewed = await this.#ended(request, credentials.replace(held));
    if (renewed === undefined) throw unauthorized(connection, refusal);
    const second = await this.#exchange(connection, request, renewed);
    if (second.statusCode !== 401) return this.#succeed(request, second);
    credentials.refusedAgain(renewed);
    throw unauthorized(connection, await second.refusal());
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
  ): Promise<HttpResponse> {
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
  ): Promise<HttpResponse> {
    const isWatch = request.verb === 'watch';
    try {
      const pool = await connection.pools.for(
        held,
        request.streamed === true ? 'streams' : 'requests',
      );
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
      const data = await abortable(response, [request.signal]);
      return new HttpResponse(request, data, {
        failureOf: (error) => this.#failureOf(error, request),
        secrets: held.secrets,
      });
    } catch (error) {
      throw this.#failureOf(error, request);
    }
  }

  async #succeed(request: TransportRequest, response: HttpResponse): Promise<HttpResponse> {
    if (!response.isSuccess) throw await response.refusal();
    const { headers } = response;
    if (headers['warning'] !== undefined) reportWarnings(this.#options.observer, request, headers);
    return response;
  }

  /** The error for what undici, the socket or the reader of a body threw. */
  #failureOf(error: unknown, request: TransportRequest): unknown {
    if (request.signal?.aborted === true) return request.signal.reason;
    if (this.#stop.signal.aborted) return this.#stop.signal.reason;
    const { method, path } = request;
    return failureOf(error, { server: this.#connection?.server ?? '', method, path });
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
