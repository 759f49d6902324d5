import { describe, expect, test } from '@jest/globals';
import { createTraceState } from '@opentelemetry/api';
import { remoteParent, traceHeaders } from './trace-parent.ts';

const traceId = '0af7651916cd43dd8448eb211c80319c';
const spanId = 'b7ad6b7169203331';

describe('the headers of a trace', () => {
  test('name the span, and the state of the trace if it has one', () => {
    const span = { traceId, spanId, traceFlags: 1 };
    const traceparent = `00-${traceId}-${spanId}-01`;
    expect(traceHeaders(span)).toEqual({ traceparent });
    expect(traceHeaders({ ...span, traceState: createTraceState('a=1,b=2') })).toEqual({
      traceparent,
      tracestate: 'a=1,b=2',
    });
  });

  test('are read as they are written', () => {
    const traceState = createTraceState('a=1');
    const span = { traceId, spanId, traceFlags: 1, traceState };
    const { traceState: read, ...parent } = remoteParent(traceHeaders(span)) ?? {};
    expect(parent).toEqual({ traceId, spanId, traceFlags: 1, isRemote: true });
    expect(read?.serialize()).toBe('a=1');
  });

  test.each([
    ['a later version with more parts', `01-${traceId}-${spanId}-03-more`, 1],
    ['an unsampled span', `00-${traceId}-${spanId}-00`, 0],
  ])('of %s are read', (_what, traceparent, traceFlags) => {
    expect(remoteParent({ traceparent })).toEqual({ traceId, spanId, traceFlags, isRemote: true });
  });

  test.each([
    undefined,
    '',
    `00-${traceId}-${spanId}`,
    `ff-${traceId}-${spanId}-01`,
    `00-${'0'.repeat(32)}-${spanId}-01`,
    `00-${traceId}-${'0'.repeat(16)}-01`,
    `00-${traceId.toUpperCase()}-${spanId}-01`,
  ])('are ignored if they are %p', (traceparent) => {
    expect(remoteParent({ traceparent })).toBeUndefined();
  });
});
