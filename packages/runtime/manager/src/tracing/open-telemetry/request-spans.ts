import {
  context,
  isSpanContextValid,
  SpanKind,
  SpanStatusCode,
  trace,
  type Context,
  type Span,
  type SpanContext,
  type Tracer,
} from '@opentelemetry/api';
import type { RequestTrace, TracedOutcome, TracedRequest } from '@keelson/client';
import type { ManagedRequestTracing, TracedSpan } from '../tracing.ts';
import { RecentEntries } from '../values/recent-entries.ts';
import { apiPathOf } from './api-path.ts';
import { traceHeaders } from './trace-parent.ts';
import { describeError, sampled, WorkSpan } from './work-span.ts';
import { endSpan, setAttribute, setStatus, startSpan } from './span-calls.ts';

/** The number of own writes that are kept, more than happen between a write and the event that shows it. */
const MAX_WRITES = 10_000;
/** The lowest HTTP status that is an error of a request. */
const CLIENT_ERROR = 400;

/** The spans of requests to API servers. Remembers those of writes until their events cause a run. */
export class RequestSpans implements ManagedRequestTracing {
  readonly #tracer: Tracer;
  readonly #writes = new RecentEntries<SpanContext>(MAX_WRITES);

  constructor(tracer: Tracer) {
    this.#tracer = tracer;
  }

  begin(request: TracedRequest, parent?: TracedSpan): RequestTrace | undefined {
    const span = this.#start(request, contextOf(parent));
    const own = span.spanContext();
    // Without an SDK the span has no identity, and is exported nowhere. An invalid one would make an invalid header.
    if (!isSpanContextValid(own)) return undefined;
    return {
      headers: traceHeaders(own),
      ended: (outcome) => endRequest(span, outcome),
      wrote: ({ uid, resourceVersion }) => {
        const written = sampled(own);
        if (written !== undefined) this.#writes.set(`${uid} ${resourceVersion}`, written);
      },
    };
  }

  /** The span of the own write that made a version. */
  writeOf(uid: string, resourceVersion: string): SpanContext | undefined {
    return this.#writes.get(`${uid} ${resourceVersion}`);
  }

  /** Begins a span with the attributes of the semantic conventions for HTTP clients. */
  #start({ method, verb, server, path }: TracedRequest, parent: Context): Span {
    const { template, namespace } = apiPathOf(path);
    const { hostname, port, protocol } = new URL(server);
    const name = template === undefined ? method : `${method} ${template}`;
    const attributes = {
      'http.request.method': method,
      'server.address': hostname,
      'server.port': port === '' ? defaultPort(protocol) : Number(port),
      'url.full': server + path,
      'url.template': template,
      'k8s.namespace.name': namespace,
      'keelson.request.verb': verb,
    };
    return startSpan(this.#tracer, name, { kind: SpanKind.CLIENT, attributes }, parent);
  }
}

/** The context of the caller; that of the run that sends the request if the async context has no span. */
function contextOf(parent: TracedSpan | undefined): Context {
  const active = context.active();
  if (!(parent instanceof WorkSpan) || trace.getSpan(active) !== undefined) return active;
  return parent.context;
}

function defaultPort(protocol: string): number {
  return protocol === 'https:' ? 443 : 80;
}

function endRequest(span: Span, { code, error }: TracedOutcome): void {
  if (span.isRecording()) {
    if (code === '<error>') describeError(span, error);
    else {
      setAttribute(span, 'http.response.status_code', code);
      if (code >= CLIENT_ERROR) {
        setAttribute(span, 'error.type', String(code));
        setStatus(span, { code: SpanStatusCode.ERROR });
      }
    }
  }
  endSpan(span);
}
