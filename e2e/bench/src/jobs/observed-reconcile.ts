import { createLogger, createManager } from '@keelson/manager';
import { createTracing, type Tracing } from '@keelson/manager/tracing';
import { context } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import {
  AlwaysOffSampler,
  InMemorySpanExporter,
  SimpleSpanProcessor,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { Job } from '../servers/protocol.ts';

/** How the spans are written: not at all, without an SDK, with one that leaves all out, or to memory. */
export type Traces = 'none' | 'noop' | 'unsampled' | 'sampled';

/** The spans that are kept before they are dropped, as an exporter drops those that it has sent. */
const BATCH = 1000;

/** Measures the processor time of an empty reconcile, with what observes it. */
export const observed: Job = async ({ options, server }) => {
  const total = Number(options['total']);
  const traces = options['traces'] as Traces;
  const exporter = new InMemorySpanExporter();
  const tracing = tracingOf(traces, exporter);
  const manager = createManager({
    cluster: { server: server.url },
    logger: createLogger({ level: 'error' }),
    stopSignals: [],
    gracePeriod: 0,
    ...(tracing && { tracing }),
  });
  const finished = Promise.withResolvers<void>();
  let reconciled = 0;
  let exported = 0;
  const controller = manager.addController({
    name: 'bench',
    concurrency: 10,
    ...(options['explains'] === false && { historyBytes: 0 }),
    reconcile() {
      reconciled += 1;
      if (reconciled % BATCH === 0) exported += drain(exporter);
      if (reconciled === total) finished.resolve();
    },
  });
  const ended = manager.start();
  await manager.started;
  const before = process.cpuUsage();
  for (let index = 0; index < total; index++)
    controller.enqueue({ namespace: 'bench', name: `r-${String(index)}` });
  await Promise.race([finished.promise, ended]);
  const { user, system } = process.cpuUsage(before);
  await manager.stop();
  exported += drain(exporter);
  const expected = traces === 'sampled' ? total : 0;
  if (exported !== expected) throw new Error(`${exported} spans instead of ${expected}`);
  return { micros: (user + system) / total };
};

function tracingOf(traces: Traces, exporter: InMemorySpanExporter): Tracing | undefined {
  if (traces === 'none') return undefined;
  if (traces === 'noop') return createTracing();
  context.setGlobalContextManager(new AsyncLocalStorageContextManager());
  const tracerProvider = new TracerProvider({
    spanProcessors: [new SimpleSpanProcessor({ exporter })],
    ...(traces === 'unsampled' && { sampler: new AlwaysOffSampler() }),
  });
  return createTracing({ tracerProvider });
}

/** Drops the spans of the runs, and returns their number. */
function drain(exporter: InMemorySpanExporter): number {
  const spans = exporter.getFinishedSpans();
  exporter.reset();
  return spans.filter(({ name }) => name.startsWith('reconcile ')).length;
}
