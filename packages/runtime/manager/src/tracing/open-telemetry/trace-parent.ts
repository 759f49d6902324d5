import { createTraceState, TraceFlags, type SpanContext } from '@opentelemetry/api';

/** `00-<trace id>-<span id>-<flags>`, perhaps of a later version with more parts (W3C Trace Context). */
const TRACE_PARENT = /^(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/;
const NO_TRACE = /^0+$/;

/**
 * The headers with which a server continues a trace. Baggage is left out, because an API server needs none, and because
 * it can have secrets.
 */
export function traceHeaders({
  traceId,
  spanId,
  traceFlags,
  traceState,
}: SpanContext): Readonly<Record<string, string>> {
  const flags = (traceFlags & 0xff).toString(16).padStart(2, '0');
  const traceparent = `00-${traceId}-${spanId}-${flags}`;
  const tracestate = traceState?.serialize();
  return tracestate ? { traceparent, tracestate } : { traceparent };
}

/** The span of the sender of a request; `undefined` without a valid `traceparent`. */
export function remoteParent(
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
): SpanContext | undefined {
  const { traceparent, tracestate } = headers;
  const match = typeof traceparent === 'string' ? TRACE_PARENT.exec(traceparent.trim()) : null;
  const [, traceId = '', spanId = '', flags = ''] = match ?? [];
  if (match === null || NO_TRACE.test(traceId) || NO_TRACE.test(spanId)) return undefined;
  const isSampled = (Number.parseInt(flags, 16) & TraceFlags.SAMPLED) !== 0;
  const traceFlags = isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE;
  const state = Array.isArray(tracestate) ? tracestate.join(',') : tracestate;
  const traceState = typeof state === 'string' ? { traceState: createTraceState(state) } : {};
  return { traceId, spanId, traceFlags, isRemote: true, ...traceState };
}
