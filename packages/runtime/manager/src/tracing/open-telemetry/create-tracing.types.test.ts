import { expect, test } from '@jest/globals';
import { createClient, type Client } from '@keelson/client';
import { trace } from '@opentelemetry/api';
import { createTracing } from '../../entry-points/tracing.ts';
import { createManager } from '../../index.ts';

/** Never called. The test is that this function compiles and that the marked lines do not. */
export function traced(): Client {
  const tracing = createTracing({ tracerProvider: trace.getTracerProvider(), slowEvents: '5ms' });
  createManager({ tracing });
  // @ts-expect-error a flag cannot import OpenTelemetry
  createManager({ tracing: true });
  // @ts-expect-error a tracer is not a provider
  createTracing({ tracerProvider: trace.getTracer('a') });
  return createClient({ cluster: { server: 'http://a' }, tracing: tracing.requests });
}

test('a tracing fits the options of managers and clients', () => {
  expect(traced).toBeInstanceOf(Function);
});
