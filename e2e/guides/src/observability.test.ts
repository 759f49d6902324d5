import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { builtin } from '@keelson/manager';
import { context, trace } from '@opentelemetry/api';
import { eventually, managersOfTest, running, WebApp } from './testing/fixtures.test-support.ts';
import { addWebApps, optionsWithTraces, startTracing } from './traced-operator.ts';

const { ConfigMap } = builtin;
const pool = managersOfTest();

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
