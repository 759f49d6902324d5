import type { RequestTrace, TracedRequest, WrittenVersion } from '@keelson/client';
import type { ReviewFacts } from '@keelson/webhook';

/** The identity of a span, to which a later span can link: a `SpanContext` of OpenTelemetry. */
export interface SpanIdentity {
  readonly traceId: string;
  readonly spanId: string;
  readonly traceFlags: number;
}

/** A version that an event showed, or the span in which code queued a request. */
export type SpanCause = WrittenVersion | SpanIdentity;

/** A run of a reconcile whose span begins. */
export interface TracedReconcile {
  readonly type: 'reconcile';
  readonly controller: string;
  /** The key of the request, such as `shop/web`. */
  readonly key: string;
  /** The namespace of a request that has one. */
  readonly namespace: string | undefined;
  readonly run: {
    readonly attempt: number;
    readonly priority: number;
    /** Read only for a span that is recorded, as is `reconcileId`. */
    readonly causes: readonly { readonly source: string; readonly reason: string }[];
    readonly reconcileId: string;
  };
  /** What queued the request. The span links to those of them that were traced. */
  readonly causedBy: readonly SpanCause[];
}

/** A request of the API server to a webhook. */
export interface TracedReview {
  readonly type: 'review';
  readonly method: string;
  /** The path of the webhook. */
  readonly path: string;
  /** The headers of the request, with the `traceparent` of its sender. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}

/** An event whose predicates and mapper took long. */
export interface SlowEvent {
  readonly type: 'event';
  readonly controller: string;
  readonly source: string | undefined;
  /** The key of the object. */
  readonly object: string | undefined;
  /** A reading of `performance.now()`. */
  readonly startedAt: number;
  readonly endedAt: number;
}

/** A change of the leadership of this process. */
export interface LeaderChange {
  readonly type: 'leader';
  readonly change: 'acquired' | 'lost' | 'ended';
  readonly lease: string;
  readonly identity: string;
  /** The reading of `performance.now()` at which the process began to wait for the Lease, or to release it. */
  readonly startedAt: number;
  readonly endedAt: number;
  readonly error?: unknown;
}

/** The end of a traced run or review. */
export interface SpanEnd {
  /** The result of a run, or the HTTP status of a review. */
  readonly result: string | number;
  /** The error that a reconcile threw. */
  readonly error?: unknown;
  /** The facts of a review whose body was read. */
  readonly review?: ReviewFacts | undefined;
}

/** The span of a run or a review. */
export interface TracedSpan {
  /** `undefined` for a span that is not recorded. */
  readonly identity: SpanIdentity | undefined;
  /** Calls code whose own spans are children of this one. */
  run<Result>(act: () => Result): Result;
  end(end: SpanEnd): void;
}

/** Traces the requests of the clients of a manager. */
export interface ManagedRequestTracing {
  /** `parent` is the run that sends the request, for a process whose async context is not traced. */
  begin(request: TracedRequest, parent?: TracedSpan): RequestTrace | undefined;
}

/**
 * Writes the spans of a manager. `createTracing` of `@keelson/manager/tracing` makes one for OpenTelemetry. Its methods
 * must not throw: the first error becomes a process warning (`OBSERVER_FAILED`), and none affects a run.
 */
export interface Tracing {
  /** Traces requests to the API server. Pass it to `createClient` for a client of your own. */
  readonly requests: ManagedRequestTracing;
  /** Milliseconds that the predicates and the mapper of an event take at least, if the event has a span. */
  readonly slowEventMs: number;
  /** Begins a span. */
  begin(work: TracedReconcile | TracedReview): TracedSpan | undefined;
  /** Writes the span of work that has ended. */
  record(work: SlowEvent | LeaderChange): void;
  /** The span of the async context of the caller, if it is recorded. */
  current(): SpanIdentity | undefined;
}
