import { type Duration, parseDuration, StatusError } from '@keelson/apimachinery';
import { forbiddenStatus } from '../auth/forbidden.ts';
import { attributesOf } from '../http/access.ts';
import { answerStatus, writeHead } from '../http/answer.ts';
import type { ApiRequest } from '../http/api-request.ts';
import { breakConnection } from '../http/break-connection.ts';
import { pause } from '../http/pause.ts';
import { isTrue, type ResourceRequestInfo } from '../http/request-info.ts';
import { expired, failure, resourceNotFound } from '../failures/status-answers.ts';
import type { OpenWatch, WatchHub } from '../watch/watch-hub.ts';
import type { WatchFaults } from '../watch/watch-stream.ts';
import { ActiveFaults, type CountedScope, type Fault } from './active-faults.ts';
import { type FaultScope, isInScope } from './fault-scope.ts';

/** An answer that a request gets instead of its own. */
export interface FailureOptions extends CountedScope {
  /** The HTTP status. */
  readonly code: number;
  /** The reason in the Status. Default: what kube-apiserver says with that code. */
  readonly reason?: string;
  readonly message?: string;
  /** Seconds in `Retry-After` and in the Status. */
  readonly retryAfterSeconds?: number;
}

/** A fault that takes time. */
export interface DelayOptions extends CountedScope {
  readonly by: Duration;
}

/** How watches are cut. */
export interface CutOptions extends FaultScope {
  /** `end`: in an orderly way, as at the end of a watch's time. `reset`: the connection breaks. Default `end`. */
  readonly how?: 'end' | 'reset';
}

/** What the faults act on. */
export interface FaultsContext {
  readonly hub: WatchHub;
  /** Stops listening and breaks every connection. */
  goDown(): Promise<void>;
  /** Listens again. */
  comeUp(): Promise<void>;
}

/** Returns true when it has answered the request, or ended it. */
type RequestEffect = (request: ApiRequest) => boolean | Promise<boolean>;

/**
 * Trouble on demand. Every method takes a scope (resource, verb, namespace); a standing fault is
 * returned as something to dispose of, so `using fault = server.faults.fail({ code: 503 })` ends it.
 */
export class Faults {
  readonly #context: FaultsContext;
  readonly #requests = new ActiveFaults<RequestEffect>();
  readonly #stalls = new ActiveFaults<true>(() => this.#wakeWatches());
  readonly #delays = new ActiveFaults<number>();
  readonly #bookmarks = new ActiveFaults<true>();
  readonly #slowLists = new ActiveFaults<number>();

  constructor(context: FaultsContext) {
    this.#context = context;
  }

  /** Requests are answered with an error: any status, with `Retry-After` where asked. */
  fail(options: FailureOptions): Fault {
    const { code, reason = reasons[code] ?? '', message, retryAfterSeconds } = options;
    const details = retryAfterSeconds === undefined ? undefined : { retryAfterSeconds };
    const error = failure(code, reason, message ?? `injected fault ${code}`, details);
    return this.#requests.add(options, (request) => refuse(request, error));
  }

  /** 429 with `Retry-After` (default 1 s). */
  throttle(options: CountedScope & { readonly retryAfterSeconds?: number } = {}): Fault {
    const { retryAfterSeconds = 1 } = options;
    const message = 'too many requests, please try again later';
    return this.fail({ ...options, code: 429, message, retryAfterSeconds });
  }

  /** 403 in the words of an authorizer. */
  forbid(scope: CountedScope = {}): Fault {
    return this.#requests.add(scope, (request) => refuse(request, forbiddenError(request)));
  }

  /** 410 as HTTP status: what a list or watch from a forgotten version may get. */
  expire(scope: CountedScope = {}): Fault {
    return this.fail({ ...scope, code: 410, message: 'too old resource version' });
  }

  /** 404, as if the kind were not served. */
  unserve(scope: CountedScope = {}): Fault {
    return this.#requests.add(scope, (request) => refuse(request, resourceNotFound()));
  }

  /** Requests are handled late. */
  delay(options: DelayOptions): Fault {
    const milliseconds = parseDuration(options.by, 'delay.by');
    return this.#requests.add(options, async ({ response }) => {
      await pause(milliseconds, response);
      return false;
    });
  }

  /** Requests are neither handled nor answered until the fault ends; then they are. */
  hang(scope: CountedScope = {}): Fault {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const fault = this.#requests.add(scope, () => promise);
    const end = (): void => {
      fault.end();
      resolve(false);
    };
    return {
      get hits() {
        return fault.hits;
      },
      end,
      [Symbol.dispose]: end,
    };
  }

  /** Connections are reset instead of answered. */
  reset(scope: CountedScope = {}): Fault {
    return this.#requests.add(scope, (request) => {
      breakConnection(request.incoming.socket);
      return true;
    });
  }

  /** Requests for initial events are refused as by a server that does not know WatchList. */
  refuseWatchList(scope: CountedScope = {}): Fault {
    const message =
      'ListOptions.meta.k8s.io "" is invalid: sendInitialEvents: Forbidden: sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled';
    const error = failure(422, 'Invalid', message, { group: 'meta.k8s.io', kind: 'ListOptions' });
    return this.#requests.add({ verb: 'watch', ...scope }, (request) =>
      isTrue(request.query.get('sendInitialEvents')) ? refuse(request, error) : false,
    );
  }

  /** Watches are accepted and end at once, without an event. */
  endWatchesAtOnce(scope: CountedScope = {}): Fault {
    return this.#requests.add({ verb: 'watch', ...scope }, ({ response }) => {
      writeHead(response, 200, {});
      response.end();
      return true;
    });
  }

  /** Watches are accepted and told 410 Expired at once, as an event. */
  expireWatchesAtOnce(scope: CountedScope = {}): Fault {
    const line = { type: 'ERROR', object: expired('too old resource version').status };
    return this.#requests.add({ verb: 'watch', ...scope }, ({ response }) => {
      writeHead(response, 200, {});
      response.end(`${JSON.stringify(line)}\n`);
      return true;
    });
  }

  /** Nobody can connect, and every connection there was is broken, until the fault ends. */
  refuseConnections(): AsyncDisposable & { end(): Promise<void> } {
    const down = this.#context.goDown();
    let up: Promise<void> | undefined;
    const end = (): Promise<void> => (up ??= down.then(() => this.#context.comeUp()));
    return { end, [Symbol.asyncDispose]: end };
  }

  /** Lists are written in pieces with a pause before each. */
  slowLists(options: DelayOptions): Fault {
    return this.#slowLists.add(options, parseDuration(options.by, 'slowLists.by'));
  }

  /** Watches stay open and say nothing until the fault ends; then they say what they missed. */
  stallWatches(scope: FaultScope = {}): Fault {
    return this.#stalls.add(scope, true);
  }

  /** Events come late. */
  delayWatches(options: FaultScope & { readonly by: Duration }): Fault {
    return this.#delays.add(options, parseDuration(options.by, 'delayWatches.by'));
  }

  /** Watches get no bookmarks, not even the one that ends the initial events. */
  withholdBookmarks(scope: FaultScope = {}): Fault {
    return this.#bookmarks.add(scope, true);
  }

  /** Ends the watches that are open now. Returns their number. */
  cutWatches(options: CutOptions = {}): number {
    const how = options.how ?? 'end';
    return this.#each(options, ({ stream }) => (how === 'end' ? stream.end() : stream.cut()));
  }

  /** Tells the watches that are open now 410 Expired. Returns their number. */
  expireWatches(scope: FaultScope = {}): number {
    return this.#each(scope, ({ stream }) => stream.fail(expired('too old resource version')));
  }

  /** The next event of each watch that is open now is cut in the middle of its line. Returns their number. */
  truncateWatches(scope: FaultScope = {}): number {
    return this.#each(scope, ({ stream }) => stream.truncate());
  }

  /** Ends every standing fault. */
  clear(): void {
    for (const faults of [this.#requests, this.#stalls, this.#delays, this.#bookmarks]) {
      faults.clear();
    }
    this.#slowLists.clear();
  }

  /** Lets the faults have a request; true when nothing is left to do. @internal */
  async strike(request: ApiRequest): Promise<boolean> {
    for (const effect of this.#requests.strike(request.info)) {
      if ((await effect(request)) || request.response.destroyed) return true;
    }
    return false;
  }

  /** What is wrong with the watches of a resource. @internal */
  watchFaultsOf(info: ResourceRequestInfo): WatchFaults {
    return {
      stalled: () => this.#stalls.on(info).length > 0,
      delay: () => Math.max(0, ...this.#delays.on(info)),
      withholdsBookmarks: () => this.#bookmarks.on(info).length > 0,
    };
  }

  /** How a list of a resource is slowed down. @internal */
  paceOf({ info, response }: ApiRequest): (() => Promise<void>) | undefined {
    const pauses = this.#slowLists.strike(info);
    return pauses.length === 0 ? undefined : () => pause(Math.max(...pauses), response);
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

function refuse(request: ApiRequest, error: StatusError): boolean {
  answerStatus(request.response, error);
  return true;
}

function forbiddenError({ info, user }: ApiRequest): StatusError {
  return new StatusError(forbiddenStatus(attributesOf(info, user), { allowed: false, reason: '' }));
}
