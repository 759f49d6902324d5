import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { builtin, type Manager, type ManagerOptions } from '@keelson/manager';
import { createTracing } from '@keelson/manager/tracing';
import { context, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { eventually, managersOfTest, running, WebApp } from './testing/fixtures.test-support.ts';

const { ConfigMap } = builtin;
const pool = managersOfTest();

// #region provider
function startTracing(collector: string): TracerProvider {
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
function optionsWithTraces(): ManagerOptions {
  return { tracing: createTracing({ slowEvents: '20ms' }) };
}
// #endregion

// #region span
const tracer = trace.getTracer('web-app');

function addWebApps(manager: Manager): void {
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

/** A span as the protocol of OpenTelemetry has it. */
interface ReceivedSpan {
  readonly name: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly service: string | undefined;
}

interface ReceivedTraces {
  readonly resourceSpans: readonly {
    readonly resource: {
      readonly attributes: readonly {
        readonly key: string;
        readonly value: { stringValue?: string };
      }[];
    };
    readonly scopeSpans: readonly { readonly spans: readonly Omit<ReceivedSpan, 'service'>[] }[];
  }[];
}

function spansOf({ resourceSpans }: ReceivedTraces): ReceivedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const name = resource.attributes.find(({ key }) => key === 'service.name');
    const service = name?.value.stringValue;
    return scopeSpans.flatMap(({ spans }) => spans.map((span) => ({ ...span, service })));
  });
}

describe('the guide to observability', () => {
  const received: ReceivedSpan[] = [];
  const paths = new Set<string | undefined>();
  let collector: Server;
  let url: string;

  beforeAll(async () => {
    collector = createServer().on('request', async (request, response) => {
      paths.add(request.url);
      received.push(...spansOf((await json(request)) as ReceivedTraces));
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
    await once(collector.listen(0, '127.0.0.1'), 'listening');
    url = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;
  });

  afterEach(() => {
    context.disable();
    trace.disable();
  });

  afterAll(async () => {
    collector.closeAllConnections();
    await new Promise((resolve) => collector.close(resolve));
  });

  test('sends the spans of a run, of its own code and of its requests to a collector', async () => {
    const provider = startTracing(url);
    const manager = pool.make(optionsWithTraces());
    addWebApps(manager);
    await running(manager);
    const app = { namespace: 'default', name: 'web' };
    await manager.client.create(WebApp, {
      apiVersion: 'apps.example.com/v1',
      kind: 'WebApp',
      metadata: app,
      spec: { image: 'nginx' },
    });
    const get = () => manager.client.get(ConfigMap, app).catch(() => undefined);
    await eventually(async () => (await get()) !== undefined);
    await manager.stop();
    await provider.shutdown();
    expect([...paths]).toEqual(['/v1/traces']);
    const run = received.find(({ name }) => name === 'reconcile web-app');
    const parts = received.filter(({ parentSpanId }) => parentSpanId === run?.spanId);
    expect(parts.map(({ name, service }) => `${service} ${name}`).toSorted()).toEqual([
      'web-app PATCH /api/v1/namespaces/{namespace}/configmaps/{name}',
      'web-app render',
    ]);
  });
});
