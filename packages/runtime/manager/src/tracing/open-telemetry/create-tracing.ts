import { inspect } from 'node:util';
import {
  context,
  isSpanContextValid,
  SpanKind,
  trace,
  type Context,
  type Link,
  type Span,
  type SpanContext,
  type Tracer,
  type TracerProvider,
} from '@opentelemetry/api';
import {
  checkFlag,
  checkMethods,
  checkOptions,
  parseDuration,
  type Duration,
} from '@keelson/apimachinery';
import type {
  LeaderChange,
  ManagedRequestTracing,
  SlowEvent,
  SpanCause,
  SpanIdentity,
  TracedReconcile,
  TracedReview,
  TracedSpan,
  Tracing,
} from '../tracing.ts';
import { RequestSpans } from './request-spans.ts';
import { remoteParent } from './trace-parent.ts';
import { describeError, sampled, WorkSpan } from './work-span.ts';
import { endSpan, setAttribute, startSpan } from './span-calls.ts';

/** The spans that a tracing writes, and to which provider. */
export interface TracingOptions {
  /** Default: the global one, which an SDK registers. It may do so after `createTracing`. */
  readonly tracerProvider?: TracerProvider;
  /**
   * False for no spans of requests to API servers, and no `traceparent` in them: for a process whose instrumentation of
   * undici adds both. Spans of runs then have no links to own writes. Default true.
   */
  readonly requests?: boolean;
  /** An event has a span if its predicates and its mapper take this long. Default `'50ms'`; 0 for none. */
  readonly slowEvents?: Duration;
}

/**
 * Makes a tracing for OpenTelemetry: `createManager({ tracing: createTracing() })`. Without an SDK it writes nothing.
 * Throws `INVALID_OPTION`.
 *
 * @example
 * ```ts
 * import { createManager } from '@keelson/manager';
 * import { createTracing } from '@keelson/manager/tracing';
 *
 * // The SDK of OpenTelemetry decides where the spans go.
 * export const manager = createManager({ tracing: createTracing({ slowEvents: '20ms' }) });
 * ```
 */
export function createTracing(options: TracingOptions = {}): Tracing {
  const where = 'createTracing';
  checkOptions(options, ['tracerProvider', 'requests', 'slowEvents'], where);
  const { tracerProvider, requests = true, slowEvents = '50ms' } = options;
  if (tracerProvider !== undefined) {
    checkMethods(tracerProvider, ['getTracer'], `${where}.tracerProvider`);
  }
  checkFlag(requests, `${where}.requests`);
  const limit = parseDuration(slowEvents, `${where}.slowEvents`);
  const tracer = (tracerProvider ?? trace).getTracer('@keelson/manager');
  return new OpenTelemetryTracing(tracer, requests, limit === 0 ? Infinity : limit);
}

/** A request that is not traced. */
const untraced: ManagedRequestTracing = { begin: () => undefined };

/** Writes spans with the API of OpenTelemetry. An error of an SDK becomes a process warning, once. */
class OpenTelemetryTracing implements Tracing {
  readonly requests: ManagedRequestTracing;
  readonly slowEventMs: number;
  readonly #tracer: Tracer;
  readonly #requestSpans: RequestSpans;
  #hasFailed = false;

  constructor(tracer: Tracer, tracesRequests: boolean, slowEventMs: number) {
    this.#tracer = tracer;
    this.slowEventMs = slowEventMs;
    this.#requestSpans = new RequestSpans(tracer);
    this.requests = tracesRequests ? this.#requestSpans : untraced;
  }

  begin(work: TracedReconcile | TracedReview): TracedSpan | undefined {
    return this.#attempt(() =>
      work.type === 'reconcile' ? this.#reconcile(work) : this.#review(work),
    );
  }

  record(work: SlowEvent | LeaderChange): void {
    this.#attempt(() => {
      if (work.type === 'event') this.#slowEvent(work);
      else this.#leaderChange(work);
    });
  }

  current(): SpanIdentity | undefined {
    return sampled(trace.getSpanContext(context.active()));
  }

  /** Begins a trace of its own: many causes may lead to one run, so that none is its parent. */
  #reconcile({ controller, key, namespace, run, causedBy }: TracedReconcile): WorkSpan | undefined {
    const attributes = {
      'keelson.controller': controller,
      'keelson.request.key': key,
      'k8s.namespace.name': namespace,
      'keelson.reconcile.attempt': run.attempt,
      'keelson.reconcile.priority': run.priority,
    };
    const root = rootContext();
    const links = causedBy.flatMap((cause) => this.#linkTo(cause));
    const options = { kind: SpanKind.CONSUMER, attributes, links };
    const span = startSpan(this.#tracer, `reconcile ${controller}`, options, root);
    if (span.isRecording()) {
      const causes = run.causes.map(({ source, reason }) => `${source} ${reason}`);
      setAttribute(span, 'keelson.reconcile.causes', causes);
      setAttribute(span, 'keelson.reconcile.id', run.reconcileId);
    }
    return this.#spanOf(span, root);
  }

  /** Begins a span below that of the API server, which sends its `traceparent` if it has tracing. */
  #review({ method, path, headers }: TracedReview): WorkSpan | undefined {
    const sender = remoteParent(headers);
    const root = rootContext();
    const parent = sender === undefined ? root : trace.setSpanContext(root, sender);
    const attributes = {
      'http.request.method': method,
      'http.route': path,
      'url.path': path,
      'url.scheme': 'https',
    };
    const options = { kind: SpanKind.SERVER, attributes };
    return this.#spanOf(startSpan(this.#tracer, `${method} ${path}`, options, parent), parent);
  }

  #slowEvent({ controller, source, object, startedAt, endedAt }: SlowEvent): void {
    const attributes = {
      'keelson.controller': controller,
      'keelson.source': source,
      'keelson.object.key': object,
      'k8s.namespace.name': object === undefined ? undefined : namespaceOf(object),
    };
    const options = { attributes, startTime: epochMs(startedAt) };
    endSpan(startSpan(this.#tracer, `event ${source}`, options, rootContext()), epochMs(endedAt));
  }

  #leaderChange({ change, lease, identity, startedAt, endedAt, error }: LeaderChange): void {
    const attributes = { 'keelson.lease.name': lease, 'keelson.lease.identity': identity };
    const options = { attributes, startTime: epochMs(startedAt) };
    const span = startSpan(this.#tracer, `leadership ${change}`, options, rootContext());
    if (error !== undefined) describeError(span, error);
    endSpan(span, epochMs(endedAt));
  }

  #linkTo(cause: SpanCause): Link[] {
    const linked: SpanContext | undefined =
      'uid' in cause ? this.#requestSpans.writeOf(cause.uid, cause.resourceVersion) : cause;
    return linked === undefined ? [] : [{ context: linked }];
  }

  /** `undefined` without an SDK, so that the run is called directly. */
  #spanOf(span: Span, parent: Context): WorkSpan | undefined {
    if (!isSpanContextValid(span.spanContext())) return undefined;
    return new WorkSpan(span, parent, (act) => this.#attempt(act));
  }

  #attempt<Result>(act: () => Result): Result | undefined {
    try {
      return act();
    } catch (error) {
      if (!this.#hasFailed) {
        process.emitWarning(`the tracing failed: ${inspect(error)}`, {
          type: 'KeelsonWarning',
          code: 'OBSERVER_FAILED',
        });
      }
      this.#hasFailed = true;
      return undefined;
    }
  }
}

/** The context of the caller, with its baggage and without its span. */
function rootContext(): Context {
  return trace.deleteSpan(context.active());
}

/** `shop/web` → `shop`; `undefined` for the key of an object without a namespace. */
function namespaceOf(key: string): string | undefined {
  const end = key.indexOf('/');
  return end === -1 ? undefined : key.slice(0, end);
}

/** A reading of `performance.now()` as milliseconds since 1970. */
function epochMs(reading: number): number {
  return performance.timeOrigin + reading;
}
