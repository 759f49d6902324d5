import { builtin, type Manager, type ManagerOptions } from '@keelson/manager';
import { createTracing } from '@keelson/manager/tracing';
import { context, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { WebApp } from './testing/fixtures.test-support.ts';

const { ConfigMap } = builtin;

// #region provider
/** Sends every span to a collector. */
export function startTracing(collector: string): TracerProvider {
  const exporter = new OTLPTraceExporter({ url: `${collector}/v1/traces` });
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': 'web-app' }),
    spanProcessors: [new BatchSpanProcessor({ exporter })],
  });
  context.setGlobalContextManager(new AsyncLocalStorageContextManager());
  trace.setGlobalTracerProvider(provider);
  return provider;
}
// #endregion

// #region options
/** The options of a manager that writes spans. */
export function optionsWithTraces(): ManagerOptions {
  return { tracing: createTracing({ slowEvents: '20ms' }) };
}
// #endregion

// #region span
const tracer = trace.getTracer('web-app');

/** Its runs have a span of their own below that of the run. */
export function addWebApps(manager: Manager): void {
  manager.addController({
    name: 'web-app',
    for: WebApp,
    owns: [ConfigMap],
    async reconcile({ namespace, name }, { cache, client }) {
      const app = cache.get(WebApp, { namespace, name });
      if (app === undefined) return;
      const data = await tracer.startActiveSpan('render', async (span) => {
        try {
          return await render(app.spec?.image ?? '');
        } finally {
          span.end();
        }
      });
      await client.apply(ConfigMap, { metadata: { namespace, name }, data });
    },
  });
}
// #endregion

async function render(image: string): Promise<Record<string, string>> {
  return { page: image };
}
