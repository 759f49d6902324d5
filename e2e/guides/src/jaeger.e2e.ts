import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { goProgram, hasGo } from '@keelson/e2e-control-plane';
import { builtin } from '@keelson/manager';
import { context, trace } from '@opentelemetry/api';
import { eventually, managersOfTest, running, WebApp } from './testing/fixtures.test-support.ts';
import { addWebApps, optionsWithTraces, startTracing } from './traced-operator.ts';

/** Jaeger 2.13: the tag of the same commit whose version has the path of the module. */
const program = {
  name: 'jaeger',
  path: 'github.com/jaegertracing/jaeger/cmd/jaeger',
  version: 'v1.76.0',
};
const { ConfigMap } = builtin;
const canRun = process.env['JAEGER'] !== undefined || (await hasGo());
const withJaeger = canRun ? describe : describe.skip;
if (!canRun) console.warn('SKIPPED: traces in Jaeger: neither JAEGER nor Go on this machine');

/** A span in the response of Jaeger's API. */
interface JaegerSpan {
  readonly traceID: string;
  readonly spanID: string;
  readonly operationName: string;
  readonly references: readonly {
    readonly refType: 'CHILD_OF' | 'FOLLOWS_FROM';
    readonly traceID: string;
    readonly spanID: string;
  }[];
  readonly tags: readonly { readonly key: string; readonly value: unknown }[];
}

/** The configuration of Jaeger's image with its storage in memory, on free ports, and without what the test leaves out. */
const endpoint = { endpoint: '127.0.0.1:0' };
const configuration = {
  service: {
    extensions: ['jaeger_storage', 'jaeger_query'],
    pipelines: { traces: { receivers: ['otlp'], exporters: ['jaeger_storage_exporter'] } },
    telemetry: { metrics: { level: 'none' }, logs: { encoding: 'json' } },
  },
  extensions: {
    jaeger_storage: { backends: { memory: { memory: { max_traces: 1000 } } } },
    jaeger_query: { storage: { traces: 'memory' }, http: endpoint, grpc: endpoint },
  },
  receivers: { otlp: { protocols: { http: endpoint } } },
  exporters: { jaeger_storage_exporter: { trace_storage: 'memory' } },
};

/** A line in the log of Jaeger. */
interface LogLine {
  readonly msg: string;
  /** Of the server for spans. */
  readonly endpoint?: string;
  /** Of the page and its API. */
  readonly http_addr?: string;
}

/** Jaeger as a process, without a page, because its files are no part of the module. */
class Jaeger implements AsyncDisposable {
  readonly collector: string;
  readonly #api: string;
  readonly #child: ChildProcess;
  readonly #folder: string;

  private constructor(child: ChildProcess, folder: string, addresses: Addresses) {
    this.#child = child;
    this.#folder = folder;
    this.collector = `http://${addresses.collector}`;
    this.#api = `http://${addresses.api}/api`;
  }

  static async start(): Promise<Jaeger> {
    const path = await goProgram(program);
    const folder = await mkdtemp(join(tmpdir(), 'keelson-jaeger-'));
    const config = join(folder, 'config.json');
    await writeFile(config, JSON.stringify(configuration));
    const child = spawn(path, ['--config', config], { stdio: ['ignore', 'ignore', 'pipe'] });
    return new Jaeger(child, folder, await addressesIn(child.stderr));
  }

  /** The spans of the service that Jaeger has stored. */
  async spans(service: string): Promise<readonly JaegerSpan[]> {
    const response = await fetch(`${this.#api}/traces?service=${service}&limit=100`);
    const { data } = (await response.json()) as {
      readonly data: readonly { readonly spans: readonly JaegerSpan[] }[];
    };
    return data.flatMap(({ spans }) => spans);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = once(this.#child, 'close');
    this.#child.kill('SIGTERM');
    await ended;
    await rm(this.#folder, { recursive: true });
  }
}

interface Addresses {
  readonly collector: string;
  readonly api: string;
}

/** Reads the log until Jaeger accepts spans. Rejects with the log if it ends before. */
async function addressesIn(log: Readable): Promise<Addresses> {
  const lines: string[] = [];
  let collector = '';
  let api = '';
  const reader = createInterface(log);
  for await (const line of reader) {
    lines.push(line);
    if (!line.startsWith('{')) continue;
    const entry = JSON.parse(line) as LogLine;
    if (entry.msg === 'Starting HTTP server') collector = entry.endpoint ?? collector;
    api = entry.http_addr ?? api;
    if (!entry.msg.startsWith('Everything is ready')) continue;
    // The process must be able to write on.
    log.resume();
    return { collector, api };
  }
  throw new Error(`Jaeger ended: ${lines.join('\n')}`);
}

withJaeger('a trace in Jaeger', () => {
  const pool = managersOfTest();
  let jaeger: Jaeger;

  beforeAll(async () => {
    jaeger = await Jaeger.start();
  });

  afterEach(() => {
    context.disable();
    trace.disable();
  });

  afterAll(() => jaeger[Symbol.asyncDispose]());

  test('has the run of the guide with its spans, and a link to the write that caused it', async () => {
    const provider = startTracing(jaeger.collector);
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

    let spans: readonly JaegerSpan[] = [];
    await eventually(async () => {
      spans = await jaeger.spans('web-app');
      return spans.some(({ operationName }) => operationName === 'reconcile web-app');
    });
    const [run, ...others] = spans.filter((span) => span.operationName === 'reconcile web-app');
    expect(others).toEqual([]);
    const below = spans.filter(({ references }) =>
      references.some(({ refType, spanID }) => refType === 'CHILD_OF' && spanID === run?.spanID),
    );
    expect(below.map(({ operationName }) => operationName).toSorted()).toEqual([
      'PATCH /api/v1/namespaces/{namespace}/configmaps/{name}',
      'render',
    ]);
    const create = spans.find(({ operationName }) => operationName.startsWith('POST /apis/'));
    expect(run?.references).toEqual([
      { refType: 'FOLLOWS_FROM', traceID: create?.traceID, spanID: create?.spanID },
    ]);
    const tags = Object.fromEntries((run?.tags ?? []).map(({ key, value }) => [key, value]));
    expect(tags).toMatchObject({
      'keelson.controller': 'web-app',
      'keelson.request.key': 'default/web',
      'keelson.reconcile.result': 'success',
    });
  });
});
