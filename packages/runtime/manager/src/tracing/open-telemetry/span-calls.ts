import { ignoreRejection } from '@keelson/apimachinery';
import type {
  Attributes,
  AttributeValue,
  Context,
  Span,
  SpanOptions,
  SpanStatus,
  Tracer,
} from '@opentelemetry/api';

/*
 * The calls of a tracer and of its spans, which are code of the user. They must return no promise; the rejection of one
 * that they return must not end the process.
 */

export function startSpan(
  tracer: Tracer,
  name: string,
  options: SpanOptions,
  parent: Context,
): Span {
  const span = tracer.startSpan(name, options, parent);
  ignoreRejection(span);
  return span;
}

export function setAttribute(span: Span, name: string, value: AttributeValue): void {
  ignoreRejection(span.setAttribute(name, value));
}

export function setAttributes(span: Span, attributes: Attributes): void {
  ignoreRejection(span.setAttributes(attributes));
}

export function setStatus(span: Span, status: SpanStatus): void {
  ignoreRejection(span.setStatus(status));
}

/** `at`: milliseconds since 1970. Default: now. */
export function endSpan(span: Span, at?: number): void {
  ignoreRejection(span.end(at));
}
