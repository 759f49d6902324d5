/**
 * Traces for OpenTelemetry: spans of reconciles, requests to API servers, webhooks and leader changes. The only entry
 * that imports `@opentelemetry/api`, an optional peer dependency: `npm install @opentelemetry/api`.
 *
 * @module
 */

export { createTracing, type TracingOptions } from '../tracing/open-telemetry/create-tracing.ts';
export type {
  LeaderChange,
  ManagedRequestTracing,
  SlowEvent,
  SpanCause,
  SpanEnd,
  SpanIdentity,
  TracedReconcile,
  TracedReview,
  TracedSpan,
  Tracing,
} from '../tracing/tracing.ts';
