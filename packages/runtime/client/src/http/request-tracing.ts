import { ignoreRejection, ignoreRejections } from '@keelson/apimachinery';
import { invalidHeader } from '../cluster/invalid-member.ts';
import { nodeUtil } from '../values/node-util.ts';
import type { ObservedRequest, RequestOutcome } from './observer.ts';

/** A request to an API server, as a tracing receives it. Each retry is a request of its own. */
export interface TracedRequest extends ObservedRequest {
  /** The URL of the API server, without a path of the API: `https://10.0.0.1:443`. */
  readonly server: string;
}

/** The end of a traced request. */
export interface TracedOutcome extends RequestOutcome {
  /** The error of a request without a response. */
  readonly error?: unknown;
}

/** The version that a write made. */
export interface WrittenVersion {
  readonly uid: string;
  readonly resourceVersion: string;
}

/**
 * Follows one request to its response. Methods must not throw: the first error becomes a process warning
 * (`OBSERVER_FAILED`), and none affects the request.
 */
export interface RequestTrace {
  /** Added to the request, such as `traceparent`. They do not replace headers that the client sets. */
  readonly headers: Readonly<Record<string, string>>;
  /** The headers of the response arrived, or the attempt failed. */
  ended(outcome: TracedOutcome): void;
  /** The response to a write, other than a dry run, has this version of its object. */
  wrote(version: WrittenVersion): void;
}

/** Begins the traces of the requests of a client: `createTracing` of `@keelson/manager/tracing` makes one. */
export interface RequestTracing {
  /** An attempt is about to be sent, in the async context of its caller. Returns `undefined` to leave it out. */
  begin(request: TracedRequest): RequestTrace | undefined;
}

/** Calls a tracing of the user. Its errors affect no request, and the first one becomes a process warning. */
export class GuardedTracing implements RequestTracing {
  readonly #tracing: RequestTracing;
  #hasFailed = false;

  constructor(tracing: RequestTracing) {
    this.#tracing = tracing;
  }

  begin(request: TracedRequest): RequestTrace | undefined {
    return this.#attempt(() => {
      const trace = this.#tracing.begin(request);
      ignoreRejection(trace);
      return trace && this.#guarded(trace);
    });
  }

  #guarded(trace: RequestTrace): RequestTrace {
    const { headers } = trace;
    ignoreRejections(headers);
    const invalid = invalidHeader(headers);
    if (invalid !== undefined) throw new TypeError(`${invalid.option} must be ${invalid.expected}`);
    return {
      // A copy within the guard, because reading the members may throw.
      headers: { ...headers },
      ended: (outcome) => this.#attempt(() => trace.ended(outcome)),
      wrote: (version) => this.#attempt(() => trace.wrote(version)),
    };
  }

  #attempt<Result>(act: () => Result): Result | undefined {
    try {
      const result = act();
      ignoreRejection(result);
      return result;
    } catch (error) {
      if (!this.#hasFailed) {
        process.emitWarning(`the tracing failed: ${nodeUtil.inspect(error)}`, {
          type: 'KeelsonWarning',
          code: 'OBSERVER_FAILED',
        });
      }
      this.#hasFailed = true;
      return undefined;
    }
  }
}
