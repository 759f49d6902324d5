import { createLogger, createManager, type Manager } from '@keelson/manager';
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
  const isInspected = options['isInspected'] === true;
  const exporter = new InMemorySpanExporter();
  const tracing = tracingOf(traces, exporter);
  const manager = createManager({
    cluster: { server: server.url },
    logger: createLogger({ level: 'error' }),
    stopSignals: [],
    gracePeriod: 0,
    ...(tracing && { tracing }),
    ...(isInspected && { servers: { debug: 0 } }),
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
  const reader = isInspected ? await InspectorReader.open(manager) : undefined;
  const before = process.cpuUsage();
  for (let index = 0; index < total; index++)
    controller.enqueue({ namespace: 'bench', name: `r-${String(index)}` });
  await Promise.race([finished.promise, ended]);
  const { user, system } = process.cpuUsage(before);
  const messages = await reader?.close();
  if (messages === 0) throw new Error('the stream of the inspector has no message');
  await manager.stop();
  exported += drain(exporter);
  const expected = traces === 'sampled' ? total : 0;
  if (exported !== expected) throw new Error(`${exported} spans instead of ${expected}`);
  return { micros: (user + system) / total };
};

/**
 * Reads the stream of an open page in this process, so that the measurement includes the cost of the reader. A page receives
 * a message at once and then one a second.
 */
class InspectorReader {
  readonly #response: Response;
  readonly #stop: AbortController;
  readonly #ended: Promise<void>;
  #messages = 0;

  private constructor(response: Response, stop: AbortController) {
    this.#response = response;
    this.#stop = stop;
    this.#ended = this.#read().catch(() => undefined);
  }

  static async open({ ports, debugToken = '' }: Manager): Promise<InspectorReader> {
    const stop = new AbortController();
    const url = `http://127.0.0.1:${ports.debug}/debug/inspector/stream`;
    const headers = { 'x-keelson-token': debugToken };
    const response = await fetch(url, { headers, signal: stop.signal });
    if (!response.ok) throw new Error(`the inspector responded with ${response.status}`);
    return new InspectorReader(response, stop);
  }

  /** Resolves to the number of messages. */
  async close(): Promise<number> {
    this.#stop.abort();
    await this.#ended;
    return this.#messages;
  }

  async #read(): Promise<void> {
    for await (const chunk of this.#response.body ?? []) {
      this.#messages += Buffer.from(chunk).toString().split('data: ').length - 1;
    }
  }
}

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
