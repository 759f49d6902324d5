import {
  context,
  SpanStatusCode,
  TraceFlags,
  trace,
  type Attributes,
  type Context,
  type Span,
  type SpanContext,
} from '@opentelemetry/api';
import type { ReviewFacts } from '@keelson/webhook';
import { errorOf } from '../../history/recorded-run.ts';
import type { SpanEnd, SpanIdentity, TracedSpan } from '../tracing.ts';
import { endSpan, setAttribute, setAttributes, setStatus } from './span-calls.ts';

/** The lowest HTTP status with which a server reports its own failure. */
const SERVER_ERROR = 500;

/** The span of a run or a review, and the context in which its code runs. */
export class WorkSpan implements TracedSpan {
  readonly context: Context;
  readonly #span: Span;
  /** Calls code of the user, such as a span processor. */
  readonly #guard: (act: () => void) => void;

  constructor(span: Span, parent: Context, guard: (act: () => void) => void) {
    this.#span = span;
    this.context = trace.setSpan(parent, span);
    this.#guard = guard;
  }

  get identity(): SpanIdentity | undefined {
    return sampled(this.#span.spanContext());
  }

  run<Result>(act: () => Result): Result {
    return context.with(this.context, act);
  }

  end(end: SpanEnd): void {
    this.#guard(() => {
      if (this.#span.isRecording()) this.#describe(end);
      endSpan(this.#span);
    });
  }

  #describe({ result, error, review }: SpanEnd): void {
    const span = this.#span;
    if (review !== undefined) setAttributes(span, attributesOf(review));
    if (typeof result === 'string') setAttribute(span, 'keelson.reconcile.result', result);
    else setAttribute(span, 'http.response.status_code', result);
    if (error !== undefined) describeError(span, error);
    else if (typeof result === 'number' && result >= SERVER_ERROR) {
      setAttribute(span, 'error.type', String(result));
      setStatus(span, { code: SpanStatusCode.ERROR });
    }
  }
}

/** Attributes without a value are left out by the SDK. */
function attributesOf({ uid, operation, kind, namespace, name }: ReviewFacts): Attributes {
  return {
    'keelson.review.uid': uid,
    'keelson.review.operation': operation,
    'keelson.review.kind': kind,
    'keelson.review.name': name,
    'k8s.namespace.name': namespace,
  };
}

/** `undefined` for a span that no exporter receives. */
export function sampled(identity: SpanContext | undefined): SpanContext | undefined {
  const isSampled = identity !== undefined && (identity.traceFlags & TraceFlags.SAMPLED) !== 0;
  return isSampled ? identity : undefined;
}

/** Describes an error as a log line does: bounded, and without its stack. */
export function describeError(span: Span, thrown: unknown): void {
  const { name, message, code } = errorOf(thrown);
  setAttribute(span, 'error.type', code ?? name);
  setStatus(span, { code: SpanStatusCode.ERROR, message });
}
