import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { builtin } from '@keelson/apimachinery';
import { createApiServer } from '@keelson/apiserver';
import { createClient, type Cluster } from '@keelson/client';
import {
  context,
  createContextKey,
  propagation,
  SpanKind,
  SpanStatusCode,
  trace,
  type Tracer,
  type TracerProvider as TracerSource,
} from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import {
  AlwaysOffSampler,
  InMemorySpanExporter,
  NoopSpanProcessor,
  SimpleSpanProcessor,
  TracerProvider,
  type ReadableSpan,
} from '@opentelemetry/sdk-trace';
import { createManager } from '../../manager/controller-manager.ts';
import type { ManagerOptions } from '../../manager/manager-options.ts';
import { CertificateFolder, pairOf } from '../../testing/certificates.test-support.ts';
import {
  eventually,
  gate,
  managersOfTest,
  objectOf,
  recordingLogger,
  running,
  silent,
  unusedClient,
  WebApp,
} from '../../testing/fixtures.test-support.ts';
import type { Tracing } from '../tracing.ts';
import { createTracing } from './create-tracing.ts';

const { ConfigMap } = builtin;
const request = { namespace: 'default', name: 'a' };
const quiet = { logger: silent, stopSignals: [], gracePeriod: 0 } satisfies ManagerOptions;
const exporter = new InMemorySpanExporter();
const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] });
const contextManager = new AsyncLocalStorageContextManager();
const managers = managersOfTest();

beforeEach(() => {
  context.setGlobalContextManager(contextManager.enable());
});

afterEach(() => {
  context.disable();
  exporter.reset();
  jest.restoreAllMocks();
});

afterAll(() => provider.shutdown());

function tracingOfTest(): Tracing {
  return createTracing({ tracerProvider: provider });
}

/** The spans that have ended, in this order. */
function spans(start: string): ReadableSpan[] {
  return exporter.getFinishedSpans().filter(({ name }) => name.startsWith(start));
}

/** The names of the spans to which a span links. */
function linksOf({ links }: ReadableSpan): string[] {
  const all = exporter.getFinishedSpans();
  return links.map(
    (link) => all.find((span) => span.spanContext().spanId === link.context.spanId)?.name ?? '?',
  );
}

function spanIdOf(span: ReadableSpan | undefined): string | undefined {
  return span?.spanContext().spanId;
}

/** A server without objects that notes the `traceparent` of each request. */
async function notingServer(): Promise<
  { cluster: Cluster; parents: (string | undefined)[] } & AsyncDisposable
> {
  const parents: (string | undefined)[] = [];
  const server = createServer(({ headers }: IncomingMessage, response) => {
    parents.push(headers['traceparent'] as string | undefined);
    response.writeHead(404, { 'content-type': 'application/json' }).end('{}');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    cluster: { server: url },
    parents,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Runs a manager until a reconcile has read a ConfigMap that does not exist. */
async function readOnce(cluster: Cluster, tracing: Tracing): Promise<void> {
  await using manager = createManager({ ...quiet, cluster, tracing });
  const hasRead = gate();
  const controller = manager.addController({
    name: 'reader',
    async reconcile(_request, { client }) {
      await client.get(ConfigMap, request).catch(() => undefined);
      hasRead.open();
    },
  });
  await running(manager);
  controller.enqueue(request);
  await hasRead.opened;
  await eventually(() => controller.running === 0);
}

describe('the span of a reconcile', () => {
  test('names the controller, the request, its causes and its id', async () => {
    const { manager, cache } = managers.make({ tracing: tracingOfTest() });
    const ids: string[] = [];
    manager.addController({
      name: 'web-app',
      for: WebApp,
      reconcile: (_request, { reconcileId }) => void ids.push(reconcileId),
    });
    cache.set(WebApp, objectOf(WebApp, 'a'));
    await running(manager);
    await eventually(() => spans('reconcile').length === 1);
    const [span] = spans('reconcile');
    expect(span).toMatchObject({
      name: 'reconcile web-app',
      kind: SpanKind.CONSUMER,
      parentSpanContext: undefined,
      status: { code: SpanStatusCode.UNSET },
      attributes: {
        'keelson.controller': 'web-app',
        'keelson.request.key': 'default/a',
        'k8s.namespace.name': 'default',
        'keelson.reconcile.attempt': 1,
        'keelson.reconcile.priority': -100,
        'keelson.reconcile.causes': ['for WebApp initial'],
        'keelson.reconcile.id': ids[0],
        'keelson.reconcile.result': 'success',
      },
    });
  });

  test('has the error of a run without its stack, and the next run links to it', async () => {
    const { manager } = managers.make({ tracing: tracingOfTest() });
    const controller = manager.addController({
      name: 'failing',
      backoff: { base: 1 },
      reconcile(_request, { attempt }) {
        if (attempt === 1) throw new TypeError('no such image');
      },
    });
    await running(manager);
    controller.enqueue(request);
    await eventually(() => spans('reconcile').length === 2);
    const [failed, repeated] = spans('reconcile') as [ReadableSpan, ReadableSpan];
    expect(failed).toMatchObject({
      status: { code: SpanStatusCode.ERROR, message: 'no such image' },
      attributes: { 'error.type': 'TypeError', 'keelson.reconcile.result': 'error' },
      events: [],
    });
    expect(repeated.links.map((link) => link.context.spanId)).toEqual([spanIdOf(failed)]);
    expect(repeated.spanContext().traceId).not.toBe(failed.spanContext().traceId);
  });

  test('is the parent of the requests of its run, which have its traceparent', async () => {
    await using server = await notingServer();
    await readOnce(server.cluster, tracingOfTest());
    const [run] = spans('reconcile');
    const [call] = spans('GET');
    const { traceId, spanId } = call!.spanContext();
    expect(call).toMatchObject({
      name: 'GET /api/v1/namespaces/{namespace}/configmaps/{name}',
      kind: SpanKind.CLIENT,
      parentSpanContext: { spanId: spanIdOf(run) },
      status: { code: SpanStatusCode.ERROR },
      attributes: {
        'http.request.method': 'GET',
        'http.response.status_code': 404,
        'error.type': '404',
        'server.address': '127.0.0.1',
        'server.port': Number(new URL(server.cluster.server).port),
        'url.full': `${server.cluster.server}/api/v1/namespaces/default/configmaps/a`,
        'url.template': '/api/v1/namespaces/{namespace}/configmaps/{name}',
        'k8s.namespace.name': 'default',
        'keelson.request.verb': 'get',
      },
    });
    expect(server.parents).toEqual([`00-${traceId}-${spanId}-01`]);
  });

  test('is the parent of these requests without a context manager too', async () => {
    context.disable();
    await using server = await notingServer();
    await readOnce(server.cluster, tracingOfTest());
    const [call] = spans('GET');
    expect(call?.parentSpanContext?.spanId).toBe(spanIdOf(spans('reconcile')[0]));
  });

  test('links to the own write whose event caused it, of another controller too', async () => {
    await using server = await createApiServer({});
    await using manager = createManager({
      ...quiet,
      cluster: server.cluster,
      tracing: tracingOfTest(),
    });
    const writer = manager.addController({
      name: 'writer',
      async reconcile(_request, { client }) {
        await client.apply(ConfigMap, { metadata: request, data: { a: '1' } });
      },
    });
    manager.addController({ name: 'watcher', for: ConfigMap, reconcile: () => undefined });
    await running(manager);
    writer.enqueue(request);
    await eventually(() => spans('reconcile watcher').length === 1);
    const [run] = spans('reconcile watcher') as [ReadableSpan];
    expect(linksOf(run)).toEqual(['PATCH /api/v1/namespaces/{namespace}/configmaps/{name}']);
    const [write] = spans('PATCH');
    expect(write?.parentSpanContext?.spanId).toBe(spanIdOf(spans('reconcile writer')[0]));
  });

  test('has no link for the write of another client', async () => {
    await using server = await createApiServer({});
    await using other = createClient({ cluster: server.cluster });
    await using manager = createManager({
      ...quiet,
      cluster: server.cluster,
      tracing: tracingOfTest(),
    });
    manager.addController({ name: 'watcher', for: ConfigMap, reconcile: () => undefined });
    await running(manager);
    await other.apply(ConfigMap, { metadata: request, data: { a: '1' } });
    await eventually(() => spans('reconcile watcher').length === 1);
    expect(spans('reconcile watcher')[0]?.links).toEqual([]);
  });

  test('links to the span in which code queued the request', async () => {
    const { manager } = managers.make({ tracing: tracingOfTest() });
    const controller = manager.addController({ name: 'queued', reconcile: () => undefined });
    await running(manager);
    provider.getTracer('test').startActiveSpan('import', (span) => {
      controller.enqueue(request);
      span.end();
    });
    await eventually(() => spans('reconcile').length === 1);
    expect(linksOf(spans('reconcile')[0] as ReadableSpan)).toEqual(['import']);
  });

  test('and baggage of one run are invisible in another that runs at the same time', async () => {
    const { manager } = managers.make({ tracing: tracingOfTest() });
    const key = createContextKey('test');
    const both = gate();
    const seen: Record<string, unknown> = {};
    let waiting = 0;
    const controller = manager.addController({
      name: 'concurrent',
      concurrency: 2,
      async reconcile({ name }) {
        const baggage = propagation.createBaggage({ run: { value: name } });
        const own = propagation.setBaggage(context.active().setValue(key, name), baggage);
        await context.with(own, async () => {
          waiting += 1;
          if (waiting === 2) both.open();
          await both.opened;
          seen[name] = [
            context.active().getValue(key),
            propagation.getActiveBaggage()?.getEntry('run')?.value,
            trace.getActiveSpan()?.spanContext().spanId,
          ];
        });
      },
    });
    await running(manager);
    controller.enqueue({ name: 'a' });
    controller.enqueue({ name: 'b' });
    await eventually(() => spans('reconcile').length === 2);
    const idOf = (name: string): string | undefined =>
      spanIdOf(spans('reconcile').find((span) => span.attributes['keelson.request.key'] === name));
    expect(seen).toEqual({ a: ['a', 'a', idOf('a')], b: ['b', 'b', idOf('b')] });
    expect(idOf('a')).not.toBe(idOf('b'));
  });

  test('begins no trace below the span in which its controller was added', async () => {
    const { manager } = managers.make({ tracing: tracingOfTest() });
    await running(manager);
    const controller = provider.getTracer('test').startActiveSpan('setup', (span) => {
      span.end();
      return manager.addController({ name: 'late', reconcile: () => undefined });
    });
    controller.enqueue(request);
    await eventually(() => spans('reconcile').length === 1);
    expect(spans('reconcile')[0]?.parentSpanContext).toBeUndefined();
  });
});

describe('a tracing', () => {
  test('writes a span for an event whose predicates and mapper took long, and for no other', async () => {
    const { logger, lines } = recordingLogger();
    const tracing = createTracing({ tracerProvider: provider, slowEvents: 20 });
    const eventLoop = { warnAfter: '1h' } as const;
    const { manager, cache } = managers.make({ tracing, logger, eventLoop });
    const busy = ({ name }: { readonly name: string }): boolean => {
      const end = performance.now() + (name === 'slow' ? 25 : 0);
      while (performance.now() < end);
      return true;
    };
    manager.addController({
      name: 'web-app',
      for: { resource: WebApp, predicates: [(event) => busy(event.object)] },
      reconcile: () => undefined,
    });
    for (const name of ['quick', 'slow']) cache.set(WebApp, objectOf(WebApp, name));
    await running(manager);
    await eventually(() => spans('reconcile').length === 2);
    const slow = spans('event').filter(
      ({ attributes }) => attributes['keelson.object.key'] === 'default/slow',
    );
    expect(slow).toMatchObject([
      {
        name: 'event for WebApp',
        attributes: {
          'keelson.controller': 'web-app',
          'keelson.source': 'for WebApp',
          'k8s.namespace.name': 'default',
        },
      },
    ]);
    const [seconds, nanoseconds] = slow[0]!.duration;
    expect(seconds * 1000 + nanoseconds / 1e6).toBeGreaterThanOrEqual(20);
    // The report of a blocked event loop has a threshold of its own.
    expect(lines.map(({ message }) => message)).not.toContain('user code blocked the event loop');
  });

  test('writes spans when this process becomes the leader and stops to be it', async () => {
    await using server = await createApiServer({});
    const manager = createManager({
      ...quiet,
      gracePeriod: '10s',
      cluster: server.cluster,
      tracing: tracingOfTest(),
      leaderElection: { lease: 'web-app', namespace: 'default', identity: 'one' },
    });
    await running(manager);
    await manager.stop();
    const changes = spans('leadership');
    expect(changes.map(({ name }) => name)).toEqual(['leadership acquired', 'leadership ended']);
    expect(changes[0]?.attributes).toEqual({
      'keelson.lease.name': 'web-app',
      'keelson.lease.identity': 'one',
    });
  });

  test('sends an unsampled traceparent, and writes no span, for what the sampler leaves out', async () => {
    await using server = await notingServer();
    const off = new TracerProvider({
      sampler: new AlwaysOffSampler(),
      spanProcessors: [new SimpleSpanProcessor({ exporter })],
    });
    await readOnce(server.cluster, createTracing({ tracerProvider: off }));
    expect(server.parents).toEqual([expect.stringMatching(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/)]);
    expect(exporter.getFinishedSpans()).toEqual([]);
  });

  test('sends no traceparent without an SDK, and without requests', async () => {
    const tracings = [
      createTracing(),
      createTracing({ tracerProvider: provider, requests: false }),
    ];
    for (const tracing of tracings) {
      await using server = await notingServer();
      await readOnce(server.cluster, tracing);
      expect(server.parents).toEqual([undefined]);
    }
    expect(spans('').map(({ name }) => name)).toEqual(['reconcile reader']);
  });

  test.each(['setAttribute', 'setStatus', 'end', 'startSpan'] as const)(
    'ignores the rejection of a promise that %s returns',
    async (method) => {
      const rejections: unknown[] = [];
      const listener = (reason: unknown): void => void rejections.push(reason);
      process.on('unhandledRejection', listener);
      jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
      try {
        const tracer = provider.getTracer('rejecting');
        const reject = (): never => Promise.reject(new Error(`${method} rejects`)) as never;
        const startSpan: Tracer['startSpan'] = (...words) => {
          if (method === 'startSpan') return reject();
          const span = tracer.startSpan(...words);
          return Object.assign(span, { [method]: reject });
        };
        const tracerProvider = { getTracer: () => ({ ...tracer, startSpan }) } as TracerSource;
        const { manager } = managers.make({ tracing: createTracing({ tracerProvider }) });
        let runs = 0;
        const controller = manager.addController({
          name: 'rejecting',
          backoff: { base: 1 },
          reconcile: () => {
            runs += 1;
            if (runs === 1) throw new Error('once');
          },
        });
        await running(manager);
        controller.enqueue({ name: 'a' });
        await eventually(() => runs === 2 && controller.running === 0);
        await new Promise(setImmediate);
        expect(rejections).toEqual([]);
      } finally {
        process.off('unhandledRejection', listener);
      }
    },
  );

  test('does not affect runs by errors of an SDK, which become one process warning', async () => {
    const warned = jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    class Failing extends NoopSpanProcessor {
      override onStart(): void {
        throw new Error('boom');
      }
    }
    const failing = new TracerProvider({ spanProcessors: [new Failing()] });
    const tracing = createTracing({ tracerProvider: failing });
    const { manager } = managers.make({ tracing });
    const names: string[] = [];
    const controller = manager.addController({
      name: 'running',
      reconcile: ({ name }) => void names.push(name),
    });
    await running(manager);
    controller.enqueue({ name: 'a' });
    controller.enqueue({ name: 'b' });
    await eventually(() => names.length === 2);
    expect(warned.mock.calls.map(([, facts]) => facts)).toEqual([
      { type: 'KeelsonWarning', code: 'OBSERVER_FAILED' },
    ]);
  });

  test('sends no header for the invalid identity of a span', () => {
    const tracer = provider.getTracer('invalid');
    const span = tracer.startSpan('a');
    const identity = { ...span.spanContext(), traceId: 'a\r\nb' };
    jest.spyOn(span, 'spanContext').mockReturnValue(identity);
    jest.spyOn(tracer, 'startSpan').mockReturnValue(span);
    const { requests } = createTracing({ tracerProvider: { getTracer: () => tracer } });
    const facts = { method: 'GET', verb: 'list', host: 'server', server: 'http://server' } as const;
    expect(requests.begin({ ...facts, path: '/api/v1/pods' })).toBeUndefined();
  });

  test.each([
    ['an unknown option', { provider }],
    ['a provider without tracers', { tracerProvider: {} }],
    ['requests that are no flag', { requests: 'no' }],
    ['slowEvents that are no duration', { slowEvents: 'soon' }],
  ])('refuses %s', (_what, options) => {
    expect(() => createTracing(options as object)).toThrow(
      expect.objectContaining({ code: 'INVALID_OPTION' }),
    );
  });

  test('of a manager cannot be a flag', () => {
    const options: object = { ...quiet, client: unusedClient(), tracing: true };
    expect(() => createManager(options)).toThrow('option=createManager.tracing');
  });
});

describe('the span of a review', () => {
  /** Posts a review as an API server with tracing does. */
  async function post(
    port: number | undefined,
    path: string,
    options: { readonly ca: string; readonly traceparent: string },
  ): Promise<number | undefined> {
    const { ca, traceparent } = options;
    const headers = { 'content-type': 'application/json', traceparent };
    const host = '127.0.0.1';
    const sent = httpsRequest({ port, host, path, ca, method: 'POST', headers, agent: false });
    const { group, version, kind, plural } = WebApp;
    const review = {
      apiVersion: 'admission.k8s.io/v1',
      kind: 'AdmissionReview',
      request: {
        uid: 'u1',
        kind: { group, version, kind },
        resource: { group, version, resource: plural },
        operation: 'CREATE',
        namespace: 'default',
        name: 'a',
        userInfo: { username: 'jane' },
        object: { metadata: { name: 'a' } },
      },
    };
    sent.end(JSON.stringify(review));
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    await text(response);
    return response.statusCode;
  }

  test('continues the trace of the API server, and its handler runs in it', async () => {
    const pair = await pairOf('webhook');
    await using folder = await CertificateFolder.create(pair);
    const webhook = { port: 0, tls: folder.files, shutdownDelay: 0 };
    const { manager } = managers.make({
      tracing: tracingOfTest(),
      servers: { host: '127.0.0.1', webhook },
    });
    const active: (string | undefined)[] = [];
    manager.addWebhook({
      name: 'apps',
      resource: WebApp,
      async validate() {
        await Promise.resolve();
        active.push(trace.getActiveSpan()?.spanContext().spanId);
      },
    });
    await running(manager);
    const traceId = '0af7651916cd43dd8448eb211c80319c';
    const traceparent = `00-${traceId}-b7ad6b7169203331-01`;
    const sent = { ca: pair.cert, traceparent };
    const { webhook: port } = manager.ports;
    expect(await post(port, '/validate/apps?timeout=10s', sent)).toBe(200);
    expect(await post(port, '/other', sent)).toBe(404);
    await eventually(() => spans('POST').length > 0);
    expect(spans('POST')).toMatchObject([
      {
        name: 'POST /validate/apps',
        kind: SpanKind.SERVER,
        parentSpanContext: { traceId, spanId: 'b7ad6b7169203331', isRemote: true },
        attributes: {
          'http.request.method': 'POST',
          'http.route': '/validate/apps',
          'http.response.status_code': 200,
          'keelson.review.uid': 'u1',
          'keelson.review.operation': 'CREATE',
          'keelson.review.kind': 'apps.example.com/v1/WebApp',
          'keelson.review.name': 'a',
          'k8s.namespace.name': 'default',
        },
      },
    ]);
    expect(active).toEqual([spanIdOf(spans('POST')[0])]);
  });
});
