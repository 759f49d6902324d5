import { setMaxListeners } from 'node:events';
import { abortable, CodedError, endsWithin, pause, StatusError } from '@keelson/apimachinery';
import type { Cluster } from '../cluster/cluster.ts';
import { Connection, type ConnectionOptions } from './connection.ts';
import type { CurrentCredentials } from './credential-cache.ts';
import { ClientError } from '../errors.ts';
import { failureOf } from './failure.ts';
import { HttpResponse } from './http-response.ts';
import type { ObservedRequest } from './observer.ts';
import { backoff, retryDelay, type RetryPolicy } from './retry.ts';
import type { TransportRequest } from './transport-request.ts';
import { reportWarnings } from './warning-header.ts';

export interface TransportOptions extends ConnectionOptions {
  /** A function is called at the first request, and again at the next request if it failed. */
  readonly cluster: Cluster | (() => Promise<Cluster>);
  readonly userAgent: string;
  readonly retry: RetryPolicy;
}

/** kube-apiserver ends ordinary requests after 60 s, so a longer silence means a dead connection. */
const SILENCE_TIMEOUT_MS = 65_000;

/** A cluster function that has not settled after this time counts as failed. The next request calls it again. */
const CLUSTER_TIMEOUT_MS = 5 * 60_000;

/** Sends requests to one cluster: adds credentials, pools connections, retries, and maps errors. */
export class Transport {
  readonly #options: TransportOptions;
  #connection: Connection | undefined;
  #connecting: Promise<Connection> | undefined;
  #closing: Promise<void> | undefined;
  /** Aborted by `close`. Ends waits for credentials, for the cluster and for the next attempt. */
  readonly #stop = new AbortController();

  constructor(options: TransportOptions) {
    this.#options = options;
    // The number of pending requests is not bounded, so neither is the number of listeners.
    setMaxListeners(0, this.#stop.signal);
    if (typeof options.cluster === 'object') {
      this.#connection = new Connection(options.cluster, options);
    }
  }

  /**
   * Resolves with a successful response, whose body the caller must read or discard. Any other response
   * throws.
   */
  open(request: TransportRequest): Promise<HttpResponse> {
    return this.send(request, (response) => response);
  }

  /**
   * Sends a request, with retries, and reads its response. A body that is cut off counts as a failed attempt and is retried
   * by the same rules.
   */
  async send<Result>(
    request: TransportRequest,
    read: (response: HttpResponse) => Result | Promise<Result>,
  ): Promise<Result> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await read(await this.#sendAuthorized(request));
      } catch (error) {
        const delay = retryDelay(error, request, attempt, this.#options.retry);
        if (delay === undefined) throw error;
        this.#observeRetry(request, error, delay, attempt);
        await pause(delay, [request.signal, this.#stop.signal]);
      }
    }
  }

  /** Waits for the backoff delay that follows `failures` failed attempts. */
  backOff(failures: number, signal: AbortSignal | undefined): Promise<void> {
    return pause(backoff(failures, this.#options.retry), [signal, this.#stop.signal]);
  }

  /** Aborts every request and watch; settles when all sockets are closed. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#stop.abort(new ClientError('CLIENT_CLOSED'));
    // A cluster that is still loading has no socket, and requests after `close` are rejected.
    await this.#connection?.close(new ClientError('CLIENT_CLOSED'));
  }

  #connected(): Connection | Promise<Connection> {
    if (this.#closing !== undefined) throw new ClientError('CLIENT_CLOSED');
    if (this.#connection !== undefined) return this.#connection;
    this.#connecting ??= this.#connect().finally(() => (this.#connecting = undefined));
    return this.#connecting;
  }

  async #connect(): Promise<Connection> {
    const { cluster } = this.#options;
    const loaded = typeof cluster === 'function' ? await loadedBy(cluster) : cluster;
    this.#connection = new Connection(loaded, this.#options);
    return this.#connection;
  }

  /** Sends the request, and once more if the server responds with 401 and a refresh returns new credentials. */
  async #sendAuthorized(request: TransportRequest): Promise<HttpResponse> {
    const connection = await this.#unlessAborted(request, this.#connected());
    const { credentials } = connection;
    const held = await this.#unlessAborted(request, credentials.get());
    const response = await this.#attempt(connection, request, held);
    if (response.statusCode !== 401) return this.#requireSuccess(request, response);
    const refusal = await response.statusError();
    const renewed = await this.#unlessAborted(request, credentials.renew(held));
    if (renewed === undefined) throw unauthorized(connection, refusal);
    const second = await this.#attempt(connection, request, renewed);
    if (second.statusCode !== 401) return this.#requireSuccess(request, second);
    credentials.recordRefusal(renewed);
    throw unauthorized(connection, await second.statusError());
  }

  /** Awaits a promise, but rejects as soon as the request is aborted or the transport is closed. */
  #unlessAborted<Result>(
    { signal }: TransportRequest,
    awaited: Result | Promise<Result>,
  ): Result | Promise<Result> {
    return awaited instanceof Promise ? abortable(awaited, [signal, this.#stop.signal]) : awaited;
  }

  /** Sends the request once, and reports it to the observer. */
  async #attempt(
    connection: Connection,
    request: TransportRequest,
    held: CurrentCredentials,
  ): Promise<HttpResponse> {
    request.signal?.throwIfAborted();
    if (this.#closing !== undefined) throw new ClientError('CLIENT_CLOSED');
    const { observer, userAgent } = this.#options;
    if (observer === undefined) return this.#request(connection, request, held, userAgent);
    const observed = observedOf(connection, request);
    const startedAt = performance.now();
    let code: number | '<error>' = '<error>';
    observer.requestStarted?.(observed);
    try {
      const response = await this.#request(connection, request, held, userAgent);
      code = response.statusCode;
      return response;
    } finally {
      observer.requestEnded?.(observed, { code, duration: performance.now() - startedAt });
    }
  }

  async #request(
    connection: Connection,
    request: TransportRequest,
    held: CurrentCredentials,
    userAgent: string,
  ): Promise<HttpResponse> {
    const isWatch = request.verb === 'watch';
    try {
      const pool = await connection.pools.for(held, request.pool ?? 'requests', request.guard);
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
        headersTimeout: SILENCE_TIMEOUT_MS,
        bodyTimeout: isWatch ? 0 : SILENCE_TIMEOUT_MS,
      });
      // undici notices an abort only on an open connection, and a frozen server never opens one.
      const data = await abortable(response, [request.signal]);
      return new HttpResponse(request, data, {
        failureOf: (error) => this.#failureOf(error, request),
        secrets: held.secrets,
      });
    } catch (error) {
      throw this.#failureOf(error, request);
    }
  }

  async #requireSuccess(request: TransportRequest, response: HttpResponse): Promise<HttpResponse> {
    if (!response.isSuccess) throw await response.statusError();
    const hasWarnings = response.headers['warning'] !== undefined;
    if (hasWarnings) reportWarnings(this.#options.observer, request, response);
    return response;
  }

  /** Maps an error of undici, of the socket or of the body's reader to the error that the caller receives. */
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

/** Calls the function of the user. */
async function loadedBy(load: () => Promise<Cluster>): Promise<Cluster> {
  try {
    const loading = Promise.resolve(load());
    if (await endsWithin(loading, CLUSTER_TIMEOUT_MS)) return await loading;
  } catch (cause) {
    if (cause instanceof CodedError) throw cause;
    const reason = 'the cluster function threw an error';
    throw new ClientError('INVALID_CLUSTER', { option: 'cluster', reason }, { cause });
  }
  const reason = 'the cluster function did not settle in time';
  throw new ClientError('INVALID_CLUSTER', { option: 'cluster', reason });
}

function observedOf(connection: Connection, { verb, method }: TransportRequest): ObservedRequest {
  return { verb, method, host: connection.host };
}

function unauthorized(connection: Connection, refusal: StatusError): ClientError {
  const facts = { server: connection.server, reason: refusal.reason };
  return new ClientError('UNAUTHORIZED', facts, { cause: refusal });
}
