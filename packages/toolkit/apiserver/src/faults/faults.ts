import { type Clock, type Duration, parseDuration, StatusError } from '@keelson/apimachinery';
import { forbiddenStatus } from '../auth/forbidden.ts';
import { attributesOf } from '../http/access.ts';
import { sendStatus, writeHead } from '../http/response.ts';
import type { ApiRequest } from '../http/api-request.ts';
import { breakResponse } from '../http/break-connection.ts';
import { pause } from '../http/pause.ts';
import { isTrue, type ResourceRequestInfo } from '../http/request-info.ts';
import { expired, failure, resourceNotFound } from '../status-errors/status-errors.ts';
import type { OpenWatch, WatchHub } from '../watch/watch-hub.ts';
import type { WatchFaults } from '../watch/watch-stream.ts';
import { ActiveFaults, type CountedScope, type Fault } from './active-faults.ts';
import { type FaultScope, isInScope } from './fault-scope.ts';

/** The error response that replaces the regular response of a request. */
export interface FailureOptions extends CountedScope {
  /** The HTTP status. */
  readonly code: number;
  /** The reason in the Status. Default: the reason of kube-apiserver for this code. */
  readonly reason?: string;
  /** The message of the Status. Default: `injected fault`, with the code. */
  readonly message?: string;
  /** Seconds in `Retry-After` and in the Status. Default: none. */
  readonly retryAfterSeconds?: number;
}

/** A fault that delays requests. */
export interface DelayOptions extends CountedScope {
  /** The delay: milliseconds or a duration such as `'1s'`. */
  readonly by: Duration;
}

/** Selects open watches and how they end. */
export interface CutOptions extends FaultScope {
  /**
   * `end` finishes the response as a watch timeout does. `reset` breaks it off: over HTTP/1.1 with its connection, over
   * HTTP/2 without other requests on the connection. Default: `end`.
   */
  readonly how?: 'end' | 'reset';
}

/** The parts of the server that faults act on. */
export interface FaultsContext {
  readonly clock: Clock;
  readonly hub: WatchHub;
  /** Stops listening and breaks every connection. */
  stopListening(): Promise<void>;
  /** Breaks the open connections. Returns their number. */
  breakConnections(): number;
  /** Makes the open connections half-open. Returns a function that closes them, and their number. */
  silence(): { readonly connections: number; readonly close: () => void };
  /** Listens again. */
  listenAgain(): Promise<void>;
}

/** Returns true if it has sent a response or closed the connection. */
type RequestEffect = (request: ApiRequest) => boolean | Promise<boolean>;

/**
 * Injects faults into an embedded server, for tests of clients. Methods take a scope (resource, verb, namespace). A
 * method that starts a lasting fault returns a disposable: `using fault = server.faults.fail({ code: 503 })`.
 */
export class Faults {
  readonly #context: FaultsContext;
  readonly #requests = new ActiveFaults<RequestEffect>();
  readonly #stalls = new ActiveFaults<true>(() => this.#wakeWatches());
  readonly #delays = new ActiveFaults<number>();
  readonly #bookmarks = new ActiveFaults<true>();
  /** The ends of the faults that hold requests. */
  readonly #hangs = new Set<() => void>();
  readonly #silences = new Set<() => void>();
  readonly #slowLists = new ActiveFaults<number>();

  constructor(context: FaultsContext) {
    this.#context = context;
  }

  /** Responds with an error of any status, optionally with `Retry-After`. */
  fail(options: FailureOptions): Fault {
    const { code, reason = reasons[code] ?? '', message, retryAfterSeconds } = options;
    const details = retryAfterSeconds === undefined ? undefined : { retryAfterSeconds };
    const error = failure(code, reason, message ?? `injected fault ${code}`, details);
    return this.#requests.add(options, (request) => respond(request, error));
  }

  /** Responds with 429 and `Retry-After` (default 1 s). */
  throttle(options: CountedScope & { readonly retryAfterSeconds?: number } = {}): Fault {
    const { retryAfterSeconds = 1 } = options;
    const message = 'too many requests, please try again later';
    return this.fail({ ...options, code: 429, message, retryAfterSeconds });
  }

  /** Responds with 403 and the message of an authorizer. */
  forbid(scope: CountedScope = {}): Fault {
    return this.#requests.add(scope, (request) => respond(request, forbiddenError(request)));
  }

  /** Responds with 410 as HTTP status, as to a list or watch from an expired resourceVersion. */
  expire(scope: CountedScope = {}): Fault {
    return this.fail({ ...scope, code: 410, message: 'too old resource version' });
  }

  /** Responds with 404, as if the kind were not served. */
  unserve(scope: CountedScope = {}): Fault {
    return this.#requests.add(scope, (request) => respond(request, resourceNotFound()));
  }

  /** Delays the handling of requests. */
  delay(options: DelayOptions): Fault {
    const milliseconds = parseDuration(options.by, 'delay.by');
    return this.#requests.add(options, async ({ response }) => {
      await pause(milliseconds, response, this.#context.clock);
      return false;
    });
  }

  /** Holds requests until the fault ends, then handles them. */
  hang(scope: CountedScope = {}): Fault {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const { activity } = this.#context.clock;
    const fault = this.#requests.add(scope, () => activity?.wait(promise) ?? promise);
    const end = (): void => {
      fault.end();
      this.#hangs.delete(end);
      resolve(false);
    };
    this.#hangs.add(end);
    return {
      get hits() {
        return fault.hits;
      },
      end,
      [Symbol.dispose]: end,
    };
  }

  /** Resets the connection instead of a response; over HTTP/2 only the stream of the request. */
  reset(scope: CountedScope = {}): Fault {
    return this.#requests.add(scope, (request) => {
      breakResponse(request.response);
      return true;
    });
  }

  /** Rejects requests for initial events, like a server without WatchList. */
  refuseWatchList(scope: CountedScope = {}): Fault {
    const message =
      'ListOptions.meta.k8s.io "" is invalid: sendInitialEvents: Forbidden: sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled';
    const error = failure(422, 'Invalid', message, { group: 'meta.k8s.io', kind: 'ListOptions' });
    return this.#requests.add({ verb: 'watch', ...scope }, (request) =>
      isTrue(request.query.get('sendInitialEvents')) ? respond(request, error) : false,
    );
  }

  /** Accepts new watches and ends them immediately, without an event. */
  endWatchesAtOnce(scope: CountedScope = {}): Fault {
    return this.#requests.add({ verb: 'watch', ...scope }, ({ response }) => {
      writeHead(response, 200, {});
      response.end();
      return true;
    });
  }

  /** Accepts new watches and immediately sends a 410 Expired as an ERROR event. */
  expireWatchesAtOnce(scope: CountedScope = {}): Fault {
    const line = { type: 'ERROR', object: expired('too old resource version').status };
    return this.#requests.add({ verb: 'watch', ...scope }, ({ response }) => {
      writeHead(response, 200, {});
      response.end(`${JSON.stringify(line)}\n`);
      return true;
    });
  }

  /** Breaks all connections and accepts no new ones until the fault ends. */
  refuseConnections(): AsyncDisposable & { end(): Promise<void> } {
    const stopped = this.#context.stopListening();
    let up: Promise<void> | undefined;
    const end = (): Promise<void> => (up ??= stopped.then(() => this.#context.listenAgain()));
    return { end, [Symbol.asyncDispose]: end };
  }

  /** Breaks the open connections with all their requests. New connections work. Returns their number. */
  breakConnections(): number {
    return this.#context.breakConnections();
  }

  /**
   * Makes the open connections half-open: they stay open without a byte from the server, not even the acknowledgement
   * of a PING. New connections work. The end of the fault closes the half-open ones. `hits` is their number.
   */
  silenceConnections(): Fault {
    const { connections, close } = this.#context.silence();
    const end = (): void => {
      if (this.#silences.delete(end)) close();
    };
    this.#silences.add(end);
    return { hits: connections, end, [Symbol.dispose]: end };
  }

  /** Writes lists in pieces with a pause before each. */
  slowLists(options: DelayOptions): Fault {
    return this.#slowLists.add(options, parseDuration(options.by, 'slowLists.by'));
  }

  /** Keeps watches open without events until the fault ends, then sends the missed events. */
  stallWatches(scope: FaultScope = {}): Fault {
    return this.#stalls.add(scope, true);
  }

  /** Delays watch events. */
  delayWatches(options: FaultScope & { readonly by: Duration }): Fault {
    return this.#delays.add(options, parseDuration(options.by, 'delayWatches.by'));
  }

  /** Withholds all bookmarks, including the one that ends the initial events. */
  withholdBookmarks(scope: FaultScope = {}): Fault {
    return this.#bookmarks.add(scope, true);
  }

  /** Ends the open watches. Returns their number. */
  cutWatches(options: CutOptions = {}): number {
    const how = options.how ?? 'end';
    return this.#each(options, ({ stream }) => (how === 'end' ? stream.end() : stream.cut()));
  }

  /** Sends a 410 Expired as an ERROR event to the open watches. Returns their number. */
  expireWatches(scope: FaultScope = {}): number {
    return this.#each(scope, ({ stream }) => stream.fail(expired('too old resource version')));
  }

  /** Cuts the next event of each open watch in the middle of its line. Returns the number of watches. */
  truncateWatches(scope: FaultScope = {}): number {
    return this.#each(scope, ({ stream }) => stream.truncate());
  }

  /** Ends every active fault. */
  clear(): void {
    for (const faults of [this.#requests, this.#stalls, this.#delays, this.#bookmarks]) {
      faults.clear();
    }
    this.#slowLists.clear();
    for (const end of [...this.#hangs, ...this.#silences]) end();
  }

  /** Applies the faults to a request; true if it needs no further handling. @internal */
  applyTo(request: ApiRequest): boolean | Promise<boolean> {
    return this.#requests.isEmpty ? false : this.#apply(request);
  }

  async #apply(request: ApiRequest): Promise<boolean> {
    for (const effect of this.#requests.hit(request.info)) {
      if ((await effect(request)) || request.response.destroyed) return true;
    }
    return false;
  }

  /** The active faults on the watches of a resource. @internal */
  watchFaultsOf(info: ResourceRequestInfo): WatchFaults {
    return {
      stalled: () => !this.#stalls.isEmpty && this.#stalls.on(info).length > 0,
      delay: () => (this.#delays.isEmpty ? 0 : Math.max(0, ...this.#delays.on(info))),
      withholdsBookmarks: () => this.#bookmarks.on(info).length > 0,
    };
  }

  /** A pause between the pieces of a list; undefined without this fault. @internal */
  paceOf({ info, response }: ApiRequest): (() => Promise<void>) | undefined {
    const pauses = this.#slowLists.hit(info);
    return pauses.length === 0
      ? undefined
      : () => pause(Math.max(...pauses), response, this.#context.clock);
  }

  #each(scope: FaultScope, act: (watch: OpenWatch) => void): number {
    const meant = this.#context.hub.all().filter(({ info }) => isInScope(scope, info));
    for (const watch of meant) act(watch);
    return meant.length;
  }

  #wakeWatches(): void {
    for (const { stream } of this.#context.hub.all()) stream.pump();
  }
}

const reasons: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  409: 'Conflict',
  410: 'Expired',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
  504: 'Timeout',
};

function respond(request: ApiRequest, error: StatusError): boolean {
  sendStatus(request.response, error);
  return true;
}

function forbiddenError({ info, user }: ApiRequest): StatusError {
  return new StatusError(forbiddenStatus(attributesOf(info, user), { allowed: false, reason: '' }));
}
