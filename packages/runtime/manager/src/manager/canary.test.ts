import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request as send } from 'node:https';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { inspect } from 'node:util';
import { afterAll, afterEach, describe, expect, test } from '@jest/globals';
import { builtin } from '@keelson/apimachinery';
import {
  InMemorySpanExporter,
  SimpleSpanProcessor,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { pino } from 'pino';
import { createManager } from './controller-manager.ts';
import { createApiServer } from '@keelson/apiserver';
import { createLogger, type Logger } from '../logging/logger.ts';
import { CertificateFolder, pairOf } from '../testing/certificates.test-support.ts';
import { eventually, unusedClient } from '../testing/fixtures.test-support.ts';
import { createTracing } from '../tracing/open-telemetry/create-tracing.ts';
import type { Manager } from './manager.ts';
import type { ManagerOptions } from './manager-options.ts';

/** Two secrets: one looks like a key, one like a word. */
const canaries = ['wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY', 'opensesame'];

const exporter = new InMemorySpanExporter();
const tracerProvider = new TracerProvider({
  spanProcessors: [new SimpleSpanProcessor({ exporter })],
});

afterEach(() => exporter.reset());
afterAll(() => tracerProvider.shutdown());

/** A server that responds to each request with the same bytes. */
async function startServer(
  bytes: (request: string) => string,
): Promise<{ url: string } & AsyncDisposable> {
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.on('error', () => undefined);
    socket.once('data', (request) => socket.end(bytes(request.toString('latin1'))));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Writes each line with every logger. */
function both(...loggers: readonly Logger[]): Logger {
  return {
    debug: (facts, message) => loggers.forEach((logger) => logger.debug(facts, message)),
    info: (facts, message) => loggers.forEach((logger) => logger.info(facts, message)),
    warn: (facts, message) => loggers.forEach((logger) => logger.warn(facts, message)),
    error: (facts, message) => loggers.forEach((logger) => logger.error(facts, message)),
    child: (facts) => both(...loggers.map((logger) => logger.child(facts))),
  };
}

/** The options of a manager that writes every line, in each format, and every span, and serves explanations. */
function quiet(write: (line: string) => void): ManagerOptions {
  const logger = both(
    pino({ level: 'debug' }, { write }),
    createLogger({ level: 'debug', write }),
    createLogger({ level: 'debug', format: 'text', write }),
  );
  const tracing = createTracing({ tracerProvider });
  return { logger, tracing, stopSignals: [], gracePeriod: 0, servers: { debug: 0 } };
}

/** All that a manager shows of itself and of a request, beside its log. */
async function shownOf(manager: Manager, request: string): Promise<readonly unknown[]> {
  const { ports, debugToken } = manager;
  const debug = `http://127.0.0.1:${ports.debug}/debug`;
  const page = `${debug}/explain`;
  const controller = 'controller=secrets';
  const inspected = [
    'snapshot',
    `controller?${controller}`,
    `request?${controller}&request=${request}`,
  ];
  const headers = { authorization: `Bearer ${debugToken}` };
  const paths = ['', `?controller=secrets&request=${request}`];
  const pages = paths.flatMap((path) => [path, `${path}${path === '' ? '?' : '&'}format=text`]);
  return [
    await manager.registry.metrics(),
    inspect(manager, { depth: 6, showHidden: true }),
    inspect(manager.explain(), { depth: Infinity }),
    ...(await Promise.all(
      inspected.map(async (path) =>
        (await fetch(`${debug}/inspector/${path}`, { headers })).text(),
      ),
    )),
    ...(await Promise.all(
      pages.map(async (path) => (await fetch(page + path, { headers })).text()),
    )),
  ];
}

/** The spans of the test, with all that an exporter receives. */
function shownSpans(): string {
  return inspect(exporter.getFinishedSpans(), { depth: 6, maxArrayLength: null });
}

/** Runs a manager that watches Secrets until it logs the message, and returns its log, metrics and errors. */
async function shownBy(options: ManagerOptions, message: string): Promise<string> {
  const shown: unknown[] = [];
  const said = Promise.withResolvers<void>();
  const write = (line: string): void => {
    shown.push(line);
    if (line.includes(message)) said.resolve();
  };
  const manager = createManager({ ...quiet(write), ...options });
  manager.addController({ name: 'secrets', for: builtin.Secret, reconcile: () => undefined });
  const ended = manager.start().catch((error: unknown) => {
    shown.push(inspect(error, { depth: Infinity, showHidden: true }));
    said.resolve();
  });
  await said.promise;
  // Without a cluster the servers listen, because they start first.
  if (manager.ports.debug !== undefined) shown.push(...(await shownOf(manager, 'default/a')));
  await manager.stop();
  await ended;
  return [...shown, shownSpans()].join('\n');
}

const head = (status: number, type: string, more = ''): string =>
  `HTTP/1.1 ${status} Text\r\ncontent-type: ${type}\r\nconnection: close\r\n${more}`;

const responses: Readonly<Record<string, (canary: string, request: string) => string>> = {
  'a malformed chunk': (canary) =>
    `${head(200, 'application/json', 'transfer-encoding: chunked\r\n')}\r\n2\r\n{"\r\nxyz${canary}`,
  'no HTTP': (canary) => `${canary}\r\n\r\n`,
  'a body that is cut off': (canary) =>
    `${head(200, 'application/json', 'content-length: 9999\r\n')}\r\n{"items":[{"data":"${canary}`,
  'an object that does not parse': (canary) =>
    `${head(200, 'application/json')}\r\n{"kind":"SecretList","items":[{"data":${canary}}]}`,
  'its request as an error': (_canary, request) => `${head(500, 'text/plain')}\r\n${request}`,
  'its request as a refusal': (_canary, request) => `${head(401, 'text/plain')}\r\n${request}`,
  'its request as a prohibition': (_canary, request) =>
    `${head(403, 'application/json')}\r\n${JSON.stringify({ kind: 'Status', message: request })}`,
};

describe.each(canaries)('a manager never writes the secret %p', (canary) => {
  test.each(Object.entries(responses))('when the server sends %s', async (_what, response) => {
    await using server = await startServer((request) => response(canary, request));
    const cluster = { server: server.url, token: canary };
    const shown = await shownBy({ cluster }, 'watch is not live');
    expect(shown).toContain('watch is not live');
    expect(shown).not.toContain(canary);
    expect(shown).not.toContain(Buffer.from(canary).toString('hex').match(/../g)?.join(' '));
  });

  test.each([
    { token: canary, 'as-groups': canary },
    {
      exec: {
        command: 'sh',
        args: ['-c', 'echo "$A" >&2; exit 1'],
        env: [{ name: 'A', value: canary }],
      },
    },
    { exec: { command: 'sh', args: ['-c', `echo "token=${canary}" >&2; exit 1`] } },
    { exec: { command: 'printf', args: [canary] } },
  ])('when the user of the kubeconfig is %j', async (user) => {
    const kubeConfig = JSON.stringify({
      clusters: [{ name: 'c', cluster: { server: 'http://127.0.0.1:1' } }],
      users: [{ name: 'u', user }],
      contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
      'current-context': 'x',
    });
    const shown = await shownBy({ kubeConfig: { kubeConfig } }, 'watch is not live');
    expect(shown).toMatch(/KUBECONFIG_INVALID|CREDENTIALS_FAILED/);
    expect(shown).not.toContain(canary);
  });
});

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const unreachable = 'http://127.0.0.1:1';

/** The options of a manager with a kubeconfig whose cluster and user have these fields. */
function kubeConfigOf(user: object, cluster: object = {}): ManagerOptions {
  const kubeConfig = JSON.stringify({
    clusters: [{ name: 'c', cluster: { server: unreachable, ...cluster } }],
    users: [{ name: 'u', user }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'x',
  });
  return { kubeConfig: { kubeConfig } };
}

/** Options with a secret at a place that a reader could see, although it is invalid or has no effect. */
const inputs: Readonly<Record<string, (canary: string) => ManagerOptions>> = {
  'the address of a cluster': (canary) => ({
    cluster: { server: `http://user:${encodeURIComponent(canary)}@127.0.0.1:1` },
  }),
  'a token with a line break': (canary) => ({
    cluster: { server: unreachable, token: `${canary}\nx` },
  }),
  'a header of given credentials': (canary) => ({
    cluster: {
      server: unreachable,
      credentials: async () => ({ headers: { authorization: `Bearer ${canary}\n` } }),
    },
  }),
  'a kubeconfig that does not parse': (canary) => ({
    kubeConfig: { kubeConfig: `users: [{ name: u, user: { token: ${canary}` },
  }),
  'a kubeconfig with a token as a list': (canary) => kubeConfigOf({ token: [canary] }),
  'the address of a proxy': (canary) =>
    kubeConfigOf(
      { token: canary },
      { 'proxy-url': `http://user:${encodeURIComponent(canary)}@127.0.0.1:1` },
    ),
  'an invalid address of a proxy': (canary) =>
    kubeConfigOf({ token: canary }, { 'proxy-url': `http://user:${canary}@ no host` }),
  'a password': (canary) => kubeConfigOf({ username: 'u', password: canary }),
  'a key that is none': (canary) =>
    kubeConfigOf(
      { 'client-key-data': base64(canary), 'client-certificate-data': base64(canary) },
      { server: 'https://127.0.0.1:1' },
    ),
  'a provider of tokens': (canary) =>
    kubeConfigOf({
      'auth-provider': {
        name: 'oidc',
        config: {
          'client-secret': canary,
          'id-token': canary,
          'refresh-token': canary,
          'idp-issuer-url': unreachable,
          'client-id': 'c',
        },
      },
    }),
};

describe.each(canaries)('a manager never writes the secret %p', (canary) => {
  test.each(Object.entries(inputs))('in %s', async (_what, optionsOf) => {
    let shown: string;
    try {
      shown = await shownBy(optionsOf(canary), 'watch is not live');
    } catch (error) {
      // The options are refused at the call.
      shown = `${String(error)} ${inspect(error, { depth: Infinity, showHidden: true })}`;
    }
    expect(shown).toMatch(/[A-Z]+_[A-Z]+/);
    expect(shown).not.toContain(canary);
    expect(shown).not.toContain(encodeURIComponent(canary));
    expect(shown).not.toContain(base64(canary));
  });

  test('of a Secret that it reads and writes, and of its environment', async () => {
    await using server = await createApiServer({});
    const shown: unknown[] = [];
    const manager = createManager({
      ...quiet((line) => void shown.push(line)),
      cluster: server.cluster,
    });
    const { Secret } = builtin;
    const metadata = { namespace: 'default', name: 'a' };
    const thrown: unknown[] = [];
    const controller = manager.addController({
      name: 'secrets',
      for: Secret,
      backoff: { base: '1h' },
      async reconcile(request, { cache, client, events, log }) {
        const secret = cache.get(Secret, request);
        log.debug({ keys: Object.keys(secret?.data ?? {}) }, 'read');
        if (secret !== undefined) events.record(secret, { reason: 'Read', action: 'Read' });
        const invalid = { ...secret, metadata, data: { password: `${canary}!` } };
        await client.update(Secret, invalid as never).catch((error: unknown) => {
          thrown.push(inspect(error, { depth: Infinity, showHidden: true }));
          throw error;
        });
      },
    });
    process.env['KEELSON_CANARY'] = canary;
    try {
      const end = manager.start();
      await manager.started;
      const data = { password: Buffer.from(canary).toString('base64') };
      await manager.client.create(Secret, { apiVersion: 'v1', kind: 'Secret', metadata, data });
      await eventually(() => controller.explain(metadata).runs[0]?.error !== undefined);
      shown.push(...(await shownOf(manager, 'default/a')), ...thrown);
      shown.push(
        JSON.stringify(controller.explain(metadata)),
        String(controller.explain(metadata)),
      );
      await manager.stop();
      await end;
    } finally {
      delete process.env['KEELSON_CANARY'];
    }
    const all = [...shown, shownSpans()].join('\n');
    expect(all).toContain('reconcile secrets');
    expect(all).toContain('PUT /api/v1/namespaces/{namespace}/secrets/{name}');
    expect(all).toContain('reconcile failed');
    expect(all).toContain('API_STATUS');
    expect(all).toContain('default/a');
    expect(all).not.toContain(canary);
    expect(all).not.toContain(Buffer.from(canary).toString('base64'));
  });
});

/** Posts a review of a Secret with a value, as the API server does. */
async function review(port: number | undefined, ca: string, value: string): Promise<number> {
  const body = {
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    request: {
      uid: 'u1',
      kind: { group: '', version: 'v1', kind: 'Secret' },
      resource: { group: '', version: 'v1', resource: 'secrets' },
      operation: 'CREATE',
      namespace: 'default',
      name: 'a',
      userInfo: { username: 'jane', extra: { token: [value] } },
      object: { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'a' }, data: { value } },
    },
  };
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${value}` };
  const target = { host: '127.0.0.1', port, path: '/validate/secrets', ca, agent: false };
  const sent = send({ ...target, method: 'POST', headers }).end(JSON.stringify(body));
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  response.resume();
  return response.statusCode ?? 0;
}

describe.each(canaries)('a manager never writes the secret %p', (canary) => {
  test('of a review, and of the tokens of its debug server', async () => {
    const pair = await pairOf('webhook');
    const lines: string[] = [];
    const token = `${canary}${canary}`;
    const { cert, key } = pair;
    const manager = createManager({
      ...quiet((line) => void lines.push(line)),
      client: unusedClient(),
      servers: {
        host: '127.0.0.1',
        debug: { port: 0, token },
        webhook: { port: 0, tls: { certificate: { cert, key } }, shutdownDelay: 0 },
      },
    });
    manager.addController({ name: 'secrets', reconcile: () => undefined });
    manager.addWebhook({
      name: 'secrets',
      resource: builtin.Secret,
      validate({ object, log }) {
        log.info({ keys: Object.keys(object?.data ?? {}) }, 'reviewed');
        throw new TypeError('it is broken');
      },
    });
    const ended = manager.start();
    await manager.started;
    expect(await review(manager.ports.webhook, cert, canary)).toBe(500);
    const explain = `http://127.0.0.1:${manager.ports.debug}/debug/explain`;
    for (const wrong of [canary, `${token}x`]) {
      const refused = await fetch(explain, { headers: { 'x-keelson-token': wrong } });
      expect(refused.status).toBe(401);
      lines.push(await refused.text());
    }
    const shown = [...(await shownOf(manager, 'a')), ...lines];
    await manager.stop();
    await ended;
    const all = [...shown, shownSpans()].join('\n');
    expect(all).toContain('webhook failed');
    expect(all).toContain('keelson.review.uid');
    expect(all).toContain('secrets');
    expect(all).not.toContain(canary);
  });
});

describe.each(canaries)('a manager never writes the secret %p', (canary) => {
  test('of a token that it reviews, if the API server repeats the review', async () => {
    await using server = await startServer((request) => {
      const status = { kind: 'Status', apiVersion: 'v1', message: request };
      return `${head(500, 'application/json', 'warning: 299 - "no"\r\n')}\r\n${JSON.stringify(status)}`;
    });
    await using folder = await CertificateFolder.create(await pairOf('debug'));
    const lines: string[] = [];
    const manager = createManager({
      ...quiet((line) => void lines.push(line)),
      cluster: { server: server.url },
      servers: { debug: { port: 0, authentication: true, tls: folder.files } },
    });
    const ended = manager.start();
    await manager.started;
    const sent = send({
      host: '127.0.0.1',
      port: manager.ports.debug,
      path: '/debug/explain',
      headers: { authorization: `Bearer ${canary}` },
      rejectUnauthorized: false,
      agent: false,
    }).end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    const shown = [...lines, ...(await response.toArray()), shownSpans()].join('\n');
    await manager.stop();
    await ended;
    expect(response.statusCode).toBe(500);
    expect(shown).toContain('review failed');
    expect(shown).toContain('tokenreviews');
    expect(shown).not.toContain(canary);
  });
});

test('a failed refresh of credentials is logged', async () => {
  await using server = await startServer(() => `${head(401, 'text/plain')}\r\n`);
  let fetches = 0;
  const credentials = async (): Promise<object> => {
    if (fetches++ > 0) throw new Error('no session');
    return { headers: { authorization: 'Bearer a' } };
  };
  const cluster = { server: server.url, credentials };
  const shown = await shownBy({ cluster }, 'credentials were not refreshed');
  expect(shown).toContain('no session');
  expect(shown).toContain('credentials were not refreshed');
});
