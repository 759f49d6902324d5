import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { builtin } from '@keelson/apimachinery';
import { createApiServer, type ApiServer } from '@keelson/apiserver';
import { createClient, type Client } from '@keelson/client';
import type { WebhookServerOptions } from '../servers/server-options.ts';
import { pairOf } from '../testing/certificates.test-support.ts';
import { eventually, running, silent } from '../testing/fixtures.test-support.ts';
import { createManager } from './controller-manager.ts';
import type { Manager } from './manager.ts';

const host = '127.0.0.1';
const place = { namespace: 'default', secret: 'certificates', service: 'operator' };
let server: ApiServer;
let client: Client;

beforeAll(async () => {
  server = await createApiServer({});
  client = createClient({ cluster: server.cluster });
});

afterAll(async () => {
  await client.close();
  await server.close();
});

function managerWith(tls: WebhookServerOptions['tls'], options: object = {}): Manager {
  return createManager({
    cluster: server.cluster,
    logger: silent,
    stopSignals: [],
    servers: { host, webhook: { port: 0, tls, shutdownDelay: 0 } },
    ...options,
  });
}

/** Sends a request as an API server that has this bundle. */
async function statusOf(manager: Manager, ca: string): Promise<number | undefined> {
  const sent = httpsRequest({
    host,
    port: manager.ports.webhook,
    servername: 'operator.default.svc',
    ca,
    agent: false,
  });
  sent.end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  await once(response.resume(), 'end');
  return response.statusCode;
}

describe('the certificates of the webhook server', () => {
  test('in a Secret are shared by replicas, and the leader publishes their authority', async () => {
    const { ValidatingWebhookConfiguration } = builtin;
    const clientConfig = { service: { namespace: 'default', name: 'operator' } };
    const webhook = {
      name: 'all.operator.example',
      admissionReviewVersions: ['v1'],
      sideEffects: 'None',
      clientConfig,
    };
    const metadata = { name: 'operator' };
    await client.create(ValidatingWebhookConfiguration, { metadata, webhooks: [webhook] });
    const tls = { ...place, configurations: ['operator'] };
    await using first = managerWith(tls);
    await using second = managerWith(tls);
    await Promise.all([running(first), running(second)]);
    const bundle = async (): Promise<string> => {
      const { webhooks = [] } = await client.get(ValidatingWebhookConfiguration, metadata);
      return Buffer.from(webhooks[0]?.clientConfig.caBundle ?? '', 'base64').toString();
    };
    await eventually(async () => (await bundle()) !== '');
    const published = await bundle();
    expect([await statusOf(first, published), await statusOf(second, published)]).toEqual([
      404, 404,
    ]);
  });

  test('in a Secret of something else end the start', async () => {
    const tls = { ...place, secret: 'foreign' };
    await client.create(builtin.Secret, { metadata: { namespace: 'default', name: 'foreign' } });
    await using manager = managerWith(tls);
    await expect(manager.start()).rejects.toMatchObject({ code: 'CERTIFICATE_SECRET_FOREIGN' });
  });

  test('need a namespace', async () => {
    const { namespace: _, ...tls } = place;
    await using manager = managerWith(tls, {
      cluster: { ...server.cluster, namespace: undefined },
    });
    await expect(manager.start()).rejects.toMatchObject({
      code: 'INVALID_OPTION',
      facts: { option: 'createManager.servers.webhook.tls.namespace' },
    });
  });

  test('may be given', async () => {
    const pair = await pairOf('given');
    await using manager = managerWith({ certificate: pair });
    await running(manager);
    const options = { host, port: manager.ports.webhook, ca: pair.cert, agent: false };
    const sent = httpsRequest(options);
    sent.end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    expect(response.resume().statusCode).toBe(404);
  });

  test('that are given and do not match their key are refused at once', async () => {
    const [{ cert }, { key }] = await Promise.all([pairOf('one'), pairOf('two')]);
    const refused = (certificate: { cert: string; key: string }, option: string): void => {
      const facts = expect.objectContaining({
        option: `createManager.servers.webhook.tls.${option}`,
      });
      const error = expect.objectContaining({ code: 'INVALID_OPTION', facts });
      expect(() => managerWith({ certificate })).toThrow(error);
    };
    refused({ cert, key }, 'certificate.key');
    refused({ cert: '', key }, 'certificate.cert');
    refused({ cert, key: 'none' }, 'certificate.key');
    const own = await pairOf('one');
    const invalid = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n';
    refused({ cert: `${own.cert}${invalid}`, key: own.key }, 'certificate.cert');
  });
});
