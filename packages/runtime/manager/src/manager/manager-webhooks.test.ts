import { AsyncLocalStorage } from 'node:async_hooks';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import { text } from 'node:stream/consumers';
import { beforeAll, describe, expect, jest, test } from '@jest/globals';
import { deny } from '@keelson/webhook';
import type { KeyPair } from '../servers/certificate-source.ts';
import type { WebhookServerOptions } from '../servers/server-options.ts';
import { CertificateFolder, pairOf } from '../testing/certificates.test-support.ts';
import {
  eventually,
  gate,
  managersOfTest,
  running,
  useFakeTime,
  valueOf,
  WebApp,
} from '../testing/fixtures.test-support.ts';
import type { Manager } from './manager.ts';

const host = '127.0.0.1';
const managers = managersOfTest();
let pair: KeyPair;

beforeAll(async () => {
  pair = await pairOf('webhook');
});

const review = {
  apiVersion: 'admission.k8s.io/v1',
  kind: 'AdmissionReview',
  request: {
    uid: 'u1',
    kind: { group: WebApp.group, version: WebApp.version, kind: WebApp.kind },
    resource: { group: WebApp.group, version: WebApp.version, resource: WebApp.plural },
    operation: 'CREATE',
    userInfo: { username: 'jane' },
    object: { metadata: { name: 'a' }, spec: { image: 'x' } },
  },
};

const clientConfig = { service: { namespace: 'a', name: 'b', path: '/convert' } };
const conversion = {
  crd: {
    metadata: { name: 'webapps.example.com' },
    spec: { conversion: { strategy: 'Webhook', webhook: { clientConfig } } },
  },
  review: (converted: unknown): object => ({ converted }),
};

interface Answer {
  readonly status: number | undefined;
  readonly connection: string | undefined;
  readonly body: string;
}

/** Posts a review as the API server does. */
async function post(
  port: number | undefined,
  options: { readonly path?: string; readonly agent?: Agent } = {},
): Promise<Answer> {
  const { path = '/validate/apps?timeout=10s', agent = false } = options;
  const headers = { 'content-type': 'application/json' };
  const sent = request({
    port,
    host,
    path,
    agent,
    ca: pair.cert,
    method: 'POST',
    headers,
  });
  sent.end(JSON.stringify(review));
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const { statusCode: status, headers: received } = response;
  return { status, connection: received.connection, body: await text(response) };
}

async function get(manager: Manager, path: string): Promise<Response> {
  return fetch(`http://${host}:${manager.ports.health}${path}`);
}

/** A manager with a webhook server and a health server. */
function managerWith(
  folder: CertificateFolder,
  webhook: Partial<WebhookServerOptions> = {},
): Manager {
  const { manager } = managers.make({
    gracePeriod: '10s',
    servers: {
      host,
      health: 0,
      webhook: { port: 0, tls: folder.files, shutdownDelay: 0, ...webhook },
    },
  });
  return manager;
}

describe('the webhooks of a manager', () => {
  test('are served over HTTPS before the manager is the leader, and counted', async () => {
    await using folder = await CertificateFolder.create(pair);
    const manager = managerWith(folder);
    manager.addWebhook({
      name: 'apps',
      resource: WebApp,
      validate: ({ object, client, cache }) => {
        expect([client, cache]).toEqual([manager.client, manager.cache]);
        return object.spec?.image === 'x' ? deny('no image x') : undefined;
      },
    });
    await running(manager);
    const { status, body } = await post(manager.ports.webhook);
    expect(status).toBe(200);
    expect(JSON.parse(body)).toMatchObject({
      response: { uid: 'u1', allowed: false, status: { code: 403, message: 'no image x' } },
    });
    expect((await post(manager.ports.webhook, { path: '/other' })).status).toBe(404);
    const webhook = '/validate/apps';
    const requests = 'controller_runtime_webhook_requests_total';
    expect(await valueOf(manager, requests, { webhook, code: '200' })).toBe(1);
    const expiry = 'keelson_certificate_expiration_timestamp_seconds';
    const inAYear = Date.now() / 1000 + 364 * 86_400;
    expect(await valueOf(manager, expiry, { server: 'webhook' })).toBeGreaterThan(inAYear);
    await manager.stop();
  });

  test('a webhook that is added to a running manager is served at once', async () => {
    await using folder = await CertificateFolder.create(pair);
    const manager = managerWith(folder);
    await running(manager);
    manager.addWebhook({ name: 'apps', resource: WebApp, validate: () => undefined });
    expect((await post(manager.ports.webhook)).status).toBe(200);
    const again = { name: 'apps', resource: WebApp, validate: () => undefined };
    expect(() => manager.addWebhook(again)).toThrow(
      expect.objectContaining({ code: 'DUPLICATE_WEBHOOK' }),
    );
    await manager.stop();
    expect(() => manager.addWebhook({ ...again, name: 'late' })).toThrow(
      expect.objectContaining({ code: 'MANAGER_STOPPED' }),
    );
  });

  test('need a server', () => {
    const { manager } = managers.make();
    expect(() =>
      manager.addWebhook({ name: 'a', resource: '*', validate: () => undefined }),
    ).toThrow(expect.objectContaining({ code: 'INVALID_OPTION' }));
    expect(() => manager.addConversion(conversion)).toThrow('option=addConversion');
  });

  test('a conversion is served at the path of its definition, and not added to a stopped manager', async () => {
    await using folder = await CertificateFolder.create(pair);
    const manager = managerWith(folder);
    manager.addConversion(conversion);
    await running(manager);
    const { status, body } = await post(manager.ports.webhook, { path: '/convert' });
    expect([status, JSON.parse(body)]).toEqual([200, { converted: review }]);
    await manager.stop();
    expect(() => manager.addConversion(conversion)).toThrow(
      expect.objectContaining({ code: 'MANAGER_STOPPED' }),
    );
  });

  test('run in the async context in which they were added', async () => {
    await using folder = await CertificateFolder.create(pair);
    const manager = managerWith(folder);
    const storage = new AsyncLocalStorage<string>();
    const seen: (string | undefined)[] = [];
    storage.run('here', () => {
      manager.addWebhook({
        name: 'apps',
        resource: WebApp,
        validate() {
          seen.push(storage.getStore());
          storage.enterWith('left');
        },
      });
    });
    await running(manager);
    await post(manager.ports.webhook);
    await post(manager.ports.webhook);
    expect(seen).toEqual(['here', 'here']);
    await manager.stop();
  });

  test('a stop ends the readiness first, then serves for the shutdown delay, then closes', async () => {
    await using folder = await CertificateFolder.create(pair);
    // A busy machine must not shorten the delay.
    useFakeTime({ setImmediate: true });
    const manager = managerWith(folder, { shutdownDelay: '1s' });
    const slow = gate();
    const began = gate();
    manager.addWebhook({ name: 'apps', resource: WebApp, validate: () => undefined });
    manager.addWebhook({
      name: 'slow',
      resource: WebApp,
      async validate() {
        began.open();
        await slow.opened;
      },
    });
    await running(manager);
    expect((await get(manager, '/readyz')).status).toBe(200);
    expect((await get(manager, '/readyz/webhook')).status).toBe(200);
    const { webhook: port } = manager.ports;
    const agent = new Agent({ keepAlive: true });
    expect((await post(port, { agent })).connection).toBe('keep-alive');
    const slowAgent = new Agent({ keepAlive: true });
    const pending = post(port, { path: '/validate/slow', agent: slowAgent });
    await began.opened;
    const stopped = manager.stop();
    expect((await get(manager, '/readyz')).status).toBe(503);
    const late = await post(port, { agent });
    expect([late.status, late.connection]).toEqual([200, 'close']);
    slow.open();
    // Its connection must not be kept either, because the server closes soon.
    expect(await pending).toMatchObject({ status: 200, connection: 'close' });
    await jest.advanceTimersByTimeAsync(1000);
    await stopped;
    await expect(post(port)).rejects.toThrow('ECONNREFUSED');
    slowAgent.destroy();
    agent.destroy();
  });

  test('an expired certificate fails the readiness', async () => {
    await using folder = await CertificateFolder.create(await pairOf('old', { expired: true }));
    const manager = managerWith(folder);
    await running(manager);
    expect((await get(manager, '/readyz/webhook')).status).toBe(503);
    await folder.write(pair);
    await manager.stop();
  });

  test('without a certificate the manager does not start', async () => {
    await using folder = await CertificateFolder.create();
    const manager = managerWith(folder);
    await expect(manager.start()).rejects.toMatchObject({ code: 'INVALID_CERTIFICATE' });
  });

  test('a handler that blocks the event loop is named in a metric', async () => {
    await using folder = await CertificateFolder.create(pair);
    const { manager } = managers.make({
      eventLoop: { warnAfter: 1 },
      servers: { host, webhook: { port: 0, tls: folder.files, shutdownDelay: 0 } },
    });
    manager.addWebhook({
      name: 'apps',
      resource: WebApp,
      validate() {
        const until = performance.now() + 20;
        while (performance.now() < until);
      },
    });
    await running(manager);
    await post(manager.ports.webhook);
    await eventually(async () => {
      const name = 'keelson_event_loop_blocked_seconds';
      return (await manager.registry.getSingleMetricAsString(name)).includes('role="webhook"');
    });
    await manager.stop();
  });
});
