import { setMaxListeners } from 'node:events';
import {
  abortable,
  examineResult,
  pause,
  StatusError,
  type Clock,
  type StreamActivity,
} from '@keelson/apimachinery';
import type { Cluster } from '../cluster/cluster.ts';
import { ClusterLoader } from '../cluster/cluster-loader.ts';
import { Connection, type ConnectionOptions } from './connection.ts';
import type { CurrentCredentials } from './credential-cache.ts';
import { ClientError } from '../errors.ts';
import { failureOf, isCutOff, isUnsent } from './failure.ts';
import { HttpResponse } from './http-response.ts';
import type { ClientObserver, ObservedRequest } from './observer.ts';
import type { RequestTracing } from './request-tracing.ts';
import { backoff, retryDelay, type RetryPolicy } from './retry.ts';
import { userAgentOf } from './user-agent.ts';
import type { TransportRequest } from './transport-request.ts';
import { ServerProbe, type ProbeResult } from './server-probe.ts';
import { reportWarnings } from './warning-header.ts';
import { WORK_HEADER } from './work-header.ts';

export interface TransportOptions extends ConnectionOptions {
  /**
   * The cluster, or a function that returns it. The function is called at the first request, at the next request if it
   * failed, and after a 401.
   */
  readonly cluster: Cluster | (() => Promise<Cluster>);
  readonly userAgent: string | (() => string);
  /** Traces each attempt; guarded. Default: none. */
  readonly tracing?: RequestTracing | undefined;
  readonly retry: RetryPolicy;
}

/** A response of 401, and the credentials that the server refused. */
interface Unauthorized {
  readonly held: CurrentCredentials;
  readonly refusal: StatusError;
}

/**
 * Milliseconds of silence after which a request fails. kube-apiserver ends ordinary requests after 60 s, so the
 * connection is dead then.
 */
const SILENCE_TIMEOUT_MS = 65_000;

/** A wait for the next attempt that is longer than this time in milliseconds ends when the server responds again. */
const LONG_DELAY_MS = 1_000;

/** The request of a probe. Every authenticated user may send it by default. */
const PROBE: TransportRequest = { verb: 'get', method: 'GET', path: '/readyz', noRetry: true };

/** Sends requests to one cluster: adds credentials, pools connections, retries, and maps errors. */
export class Transport {
  readonly #options: TransportOptions;
  /** Receives the requests of the transport. */
  readonly observer: ClientObserver | undefined;
  /** True if requests are traced. */
  readonly isTraced: boolean;
  /** The clock by which the transport waits. */
  readonly clock: Clock;
  readonly #loader: ClusterLoader | undefined;
  #connection: Connection | undefined;
  #connecting: Promise<Connection> | undefined;
  /**
   * The connections besides the present one: to former clusters, whose last responses may still be open, and to one that
   * is being loaded again.
   */
  readonly #others = new Set<Connection>();
  #closing: Promise<void> | undefined;
  readonly #random: () => number;
  readonly #probe: ServerProbe;
  /** Aborted by `close`. Ends waits for credentials, for the cluster and for the next attempt. */
  readonly #stop = new AbortController();

  constructor(options: TransportOptions) {
    this.#options = options;
    this.observer = options.observer;
    this.isTraced = options.tracing !== undefined;
    this.clock = options.clock;
    this.#random = () => options.clock.random();
    this.#probe = new ServerProbe((signal) => this.#isReady(signal), {
      random: this.#random,
      clock: options.clock,
    });
    // Each pending request adds a listener, and their number is not limited.
    setMaxListeners(0, this.#stop.signal);
    const { cluster } = options;
    if (typeof cluster === 'function') {
      const { signal: closed } = this.#stop;
      this.#loader = new ClusterLoader(cluster, { clock: options.clock, closed });
    } else this.#connection = new Connection(cluster, options);
  }

  /** True for the cluster of a test or of `keelson dev`; `undefined` before the cluster is loaded. */
  get isDevelopment(): boolean | undefined {
    return this.#connection?.isDevelopment;
  }

  /**
   * Resolves with a successful response, whose body the caller must read or discard. Any other response
   * throws.
   */
  open(request: TransportRequest): Promise<HttpResponse> {
    return this.send(request, (response) => response);
  }

  /**
   * Sends a request, with retries, and reads its response. A body that is cut off counts as a failed attempt and is
   * retried by the same rules.
   */
  async send<Result>(
    request: TransportRequest,
    read: (response: HttpResponse) => Result | Promise<Result>,
  ): Promise<Result> {
    const { activity } = this.clock;
    if (activity !== undefined && !hasWork(request)) {
      return activity.run(nameOf(request), (id) => this.send(withWork(request, id), read));
    }
    for (let attempt = 1; ; attempt++) {
      try {
        return await read(await this.#sendAuthorized(request));
      } catch (error) {
        const delay = retryDelay(error, request, attempt, {
          policy: this.#options.retry,
          random: this.#random,
        });
        if (delay === undefined) throw error;
        this.#observeRetry(request, error, delay, attempt);
        await this.#untilRetry(error, delay, request.signal);
      }
    }
  }

  /** Waits for the backoff delay that follows `failures` failed attempts. */
  backOff(failures: number, signal: AbortSignal | undefined): Promise<void> {
    return pause(
      backoff(failures, this.#options.retry, this.#random),
      [signal, this.#stop.signal],
      this.clock,
    );
  }

  /**
   * Resolves when the server responds again, if the request that failed with `error` shows that it is away. `undefined`
   * if the server responded, unless it has been away and may still be starting. A response with `Retry-After` or 429
   * never counts.
   */
  recovered(error: unknown, signal: AbortSignal): Promise<void> | undefined {
    const isStarting = error instanceof StatusError && this.#probe.isAway && !isThrottled(error);
    if (!isUnsent(error) && !isCutOff(error) && !isStarting) return undefined;
    return this.#closing === undefined ? this.#probe.back(signal) : undefined;
  }

  /** Aborts every request and watch; settles when all sockets are closed. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#stop.abort(new ClientError('CLIENT_CLOSED'));
    this.#probe.stop();
    await this.#connecting?.catch(() => undefined);
    const open = [...this.#others, ...(this.#connection === undefined ? [] : [this.#connection])];
    await Promise.all(open.map((each) => each.close(new ClientError('CLIENT_CLOSED'))));
  }

  /** Waits for the next attempt of a request. A long wait ends when the server responds again. */
  async #untilRetry(
    failure: unknown,
    delay: number,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const over = new AbortController();
    const waits = [pause(delay, [signal, this.#stop.signal, over.signal], this.clock)];
    const back = delay > LONG_DELAY_MS ? this.recovered(failure, over.signal) : undefined;
    if (back !== undefined) waits.push(back);
    try {
      await Promise.race(waits);
    } finally {
      over.abort();
    }
  }

  /** Sends one probe. A server that responds with 401, 403 or 404 is not away. */
  async #isReady(signal: AbortSignal): Promise<ProbeResult> {
    const { activity } = this.clock;
    const probe = { ...PROBE, signal };
    if (activity === undefined) return this.#probed(probe);
    return activity.run('a probe of the server', (id) => this.#probed(withWork(probe, id)));
  }

  async #probed(probe: TransportRequest): Promise<ProbeResult> {
    const connection = this.#connection ?? (await this.#loaded());
    const held = await connection.credentials.get();
    const response = await this.#attempt(connection, probe, held);
    if (response.isSuccess) {
      await response.bytes();
      return 'ready';
    }
    const refusal = await response.statusError();
    const isAway = refusal.statusCode >= 500 || refusal.statusCode === 429;
    return isAway ? { retryAfter: refusal.retryAfter ?? 0 } : 'ready';
  }

  /** Loads the cluster and returns a connection to it. */
  #loaded(): Promise<Connection> {
    this.#connecting ??= this.#connect().finally(() => (this.#connecting = undefined));
    return this.#connecting;
  }

  async #connect(): Promise<Connection> {
    // There is a loader, because the constructor creates the connection of a cluster that is not a function.
    const loaded = await (this.#loader as ClusterLoader).load();
    const connection = examineResult(loaded, (cluster) => new Connection(cluster, this.#options));
    this.#connection = connection;
    return connection;
  }

  /** Sends the request, and again after a 401 if other credentials are found. Throws for a response without success. */
  async #sendAuthorized(request: TransportRequest): Promise<HttpResponse> {
    if (this.#closing !== undefined) throw new ClientError('CLIENT_CLOSED');
    const connection = this.#connection ?? (await this.#unlessAborted(request, this.#loaded()));
    const credentials = connection.credentials.get();
    const held =
      credentials instanceof Promise
        ? await this.#unlessAborted(request, credentials)
        : credentials;
    const first = await this.#attempt(connection, request, held);
    const response =
      first.statusCode === 401 ? await this.#sendAgain(connection, request, held, first) : first;
    if (!response.isSuccess) throw await response.statusError();
    const hasWarnings = response.headers['warning'] !== undefined;
    if (hasWarnings) reportWarnings(this.observer, request, response);
    return response;
  }

  /**
   * Sends a refused request again with new credentials: first those of a refresh, then those of the cluster after it
   * was loaded again. Throws `UNAUTHORIZED` if neither differs from the refused ones, or if the server refuses them
   * too.
   */
  async #sendAgain(
    connection: Connection,
    request: TransportRequest,
    held: CurrentCredentials,
    refused: HttpResponse,
  ): Promise<HttpResponse> {
    const first = await this.#sendRenewed(connection, request, held, refused);
    if (first instanceof HttpResponse) return first;
    const next = await this.#unlessAborted(request, this.#reconnected(connection, first.held));
    if (next === undefined) throw unauthorized(connection, first.refusal);
    const current = await this.#unlessAborted(request, Promise.resolve(next.credentials.get()));
    const response = await this.#attempt(next, request, current);
    if (response.statusCode !== 401) return response;
    const second = await this.#sendRenewed(next, request, current, response);
    if (second instanceof HttpResponse) return second;
    this.#loader?.recordRefusal();
    throw unauthorized(next, second.refusal);
  }

  /**
   * Sends a refused request once more if a refresh returns new credentials. Returns the last refusal if the server
   * still refuses it.
   */
  async #sendRenewed(
    connection: Connection,
    request: TransportRequest,
    held: CurrentCredentials,
    refused: HttpResponse,
  ): Promise<HttpResponse | Unauthorized> {
    const { credentials } = connection;
    const refusal = await refused.statusError();
    const renewed = await this.#unlessAborted(request, credentials.renew(held));
    if (renewed === undefined) return { held, refusal };
    const second = await this.#attempt(connection, request, renewed);
    if (second.statusCode !== 401) return second;
    credentials.recordRefusal(renewed);
    return { held: renewed, refusal: await second.statusError() };
  }

  /**
   * Loads the cluster again and returns its connection; `undefined` if it has the same server and the refused
   * credentials.
   */
  async #reconnected(
    refused: Connection,
    held: CurrentCredentials,
  ): Promise<Connection | undefined> {
    const { observer } = this.#options;
    if (this.#loader === undefined || this.#closing !== undefined) return undefined;
    // Another request may have loaded the cluster meanwhile.
    if (this.#connection !== refused) return this.#connection;
    try {
      return await this.#loader.again((cluster) => this.#reconnect(refused, held, cluster));
    } catch (error) {
      observer?.credentialsFailed?.(error);
      return undefined;
    }
  }

  async #reconnect(
    refused: Connection,
    held: CurrentCredentials,
    cluster: Cluster,
  ): Promise<Connection | undefined> {
    const next = new Connection(cluster, this.#options);
    this.#others.add(next);
    try {
      return await this.#replace(refused, held, next);
    } finally {
      this.#others.delete(next);
    }
  }

  /** Uses another connection, unless it has the same server and the refused credentials. */
  async #replace(
    refused: Connection,
    held: CurrentCredentials,
    next: Connection,
  ): Promise<Connection | undefined> {
    const { fingerprint } = await next.credentials.get();
    const changed = next.server !== refused.server || fingerprint !== held.fingerprint;
    this.#options.observer?.credentialsRefreshed?.({ changed });
    if (!changed || this.#closing !== undefined) {
      await next.close(new ClientError('CLIENT_CLOSED'));
      return undefined;
    }
    this.#connection = next;
    this.#others.add(refused);
    void refused.retire().finally(() => this.#others.delete(refused));
    return next;
  }

  /** Awaits a promise, but rejects as soon as the request is aborted or the transport is closed. */
  #unlessAborted<Result>({ signal }: TransportRequest, awaited: Promise<Result>): Promise<Result> {
    return abortable(awaited, [signal, this.#stop.signal]);
  }

  /** Sends the request once, and reports it to the observer. */
  async #attempt(
    connection: Connection,
    request: TransportRequest,
    held: CurrentCredentials,
  ): Promise<HttpResponse> {
    request.signal?.throwIfAborted();
    if (this.#closing !== undefined) throw new ClientError('CLIENT_CLOSED');
    const { observer, tracing, userAgent: given } = this.#options;
    const own = { 'user-agent': typeof given === 'string' ? given : userAgentOf(given) };
    if (observer === undefined && tracing === undefined) {
      return this.#request(connection, request, held, own);
    }
    const observed = observedOf(connection, request);
    const startedAt = performance.now();
    let code: number | '<error>' = '<error>';
    let error: unknown;
    observer?.requestStarted?.(observed);
    const trace = tracing?.begin({ ...observed, server: connection.server });
    try {
      const headers = trace === undefined ? own : { ...trace.headers, ...own };
      const response = await this.#request(connection, request, held, headers);
      code = response.statusCode;
      response.trace = trace;
      return response;
    } catch (failure) {
      error = failure;
      throw failure;
    } finally {
      const outcome = { code, duration: performance.now() - startedAt };
      observer?.requestEnded?.(observed, outcome);
      trace?.ended({ ...outcome, error });
    }
  }

  async #request(
    connection: Connection,
    request: TransportRequest,
    held: CurrentCredentials,
    own: Readonly<Record<string, string>>,
  ): Promise<HttpResponse> {
    const isWatch = request.verb === 'watch';
    try {
      const response = connection.pools.send(held, request, {
        origin: connection.origin,
        path: connection.prefix + request.path + (request.query ?? ''),
        method: request.method,
        headers: {
          accept: 'application/json',
          ...own,
          ...request.headers,
          ...held.headers,
        },
        body: request.body ?? null,
        signal: request.signal ?? null,
        headersTimeout: SILENCE_TIMEOUT_MS,
        bodyTimeout: isWatch ? 0 : SILENCE_TIMEOUT_MS,
      });
      // The abort is checked here too, because undici notices it only on an open connection, and a server that hangs
      // never opens one.
      const data = await (request.signal === undefined
        ? response
        : abortable(response, [request.signal]));
      return new HttpResponse(request, data, {
        failureOf: (error) => this.#failureOf(error, request),
        secrets: held.secrets,
        stream: isWatch ? this.#streamOf(request) : undefined,
      });
    } catch (error) {
      throw this.#failureOf(error, request);
    }
  }

  /** Counts the bytes of a watch for the clock of a test. */
  #streamOf({ headers }: TransportRequest): StreamActivity | undefined {
    const id = headers?.[WORK_HEADER];
    return id === undefined ? undefined : this.clock.activity?.stream(id);
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

/** The name of a request in the errors of a clock. */
function nameOf({ method, path }: TransportRequest): string {
  return `the request ${method} ${path}`;
}

function hasWork({ headers }: TransportRequest): boolean {
  return headers?.[WORK_HEADER] !== undefined;
}

/** Adds the id with which a server in this process finds the work of the request. */
function withWork(request: TransportRequest, id: string): TransportRequest {
  return { ...request, headers: { ...request.headers, [WORK_HEADER]: id } };
}

function observedOf({ host }: Connection, request: TransportRequest): ObservedRequest {
  const { verb, method, path } = request;
  return { verb, method, host, path };
}

function unauthorized(connection: Connection, refusal: StatusError): ClientError {
  const facts = { server: connection.server, reason: refusal.reason };
  return new ClientError('UNAUTHORIZED', facts, { cause: refusal });
}

/** True for a response whose wait the server decides. */
function isThrottled({ statusCode, retryAfter }: StatusError): boolean {
  return statusCode === 429 || retryAfter !== undefined;
}
