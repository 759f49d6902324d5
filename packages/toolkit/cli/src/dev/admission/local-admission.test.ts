import { once } from 'node:events';
import { createServer as createTcpServer, type AddressInfo, type Server } from 'node:net';
import { createServer } from 'node:tls';
import { describe, expect, test } from '@jest/globals';
import { builtin, type KubernetesObject } from '@keelson/apimachinery';
import { createApiServer } from '@keelson/apiserver';
import { createClient } from '@keelson/client';
import { selfSignedCertificate } from '@keelson/manager/servers';
import { definePolicy } from '@keelson/schema';
import { webhookConfigurations, defineWebhook } from '@keelson/webhook';
import { LocalAdmission } from './local-admission.ts';
import { presentedCertificate } from './presented-certificate.ts';

async function listening(server: Server): Promise<number> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return (server.address() as AddressInfo).port;
}

const names = { kind: 'Website', plural: 'websites' };
const schema = {
  openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
};
const service = { namespace: 'operators', name: 'operator' };
const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'websites.shop.example' },
  spec: {
    group: 'shop.example',
    scope: 'Namespaced',
    names,
    versions: [
      { name: 'v1', served: true, storage: true, schema },
      { name: 'v1beta1', served: true, storage: false, schema },
    ],
    conversion: {
      strategy: 'Webhook',
      webhook: {
        conversionReviewVersions: ['v1'],
        clientConfig: { service: { ...service, path: '/convert/websites' } },
      },
    },
  },
} as KubernetesObject;

const webhook = defineWebhook({
  name: 'maps',
  resource: builtin.ConfigMap,
  matchConditions: [{ name: 'first', expression: 'true' }],
  validate: () => undefined,
});
const configurations = webhookConfigurations([webhook], {
  name: 'operator',
  service,
}) as KubernetesObject[];
const { policy, binding } = definePolicy({
  name: 'maps.shop.example',
  resource: builtin.ConfigMap,
  rules: [{ cel: 'true' }],
});
const policies = [policy, binding] as KubernetesObject[];

describe('the admission of a session', () => {
  test('lets the server call webhooks and conversions at the address of the program, but not for the session', async () => {
    await using server = await createApiServer();
    await using client = createClient({ cluster: server.cluster, fieldManager: 'session' });
    const { cert, key } = await selfSignedCertificate();
    const program = createServer({ cert, key });
    try {
      const port = await listening(program);
      const { signal } = new AbortController();
      const admission = new LocalAdmission(client, 'session');
      admission.replace({ definitions: [definition], admission: { configurations, policies } });
      await admission.install(policies, signal);
      expect(await admission.callWebhooks(port, signal)).toBe(2);

      const found = await client.get(builtin.CustomResourceDefinition, {
        name: 'websites.shop.example',
      });
      const { url, caBundle } = found.spec.conversion?.webhook?.clientConfig ?? {};
      expect(url).toBe(`https://127.0.0.1:${port}/convert/websites`);
      expect(Buffer.from(caBundle ?? '', 'base64').toString()).toBe(
        await presentedCertificate(port, signal),
      );
      const { items } = await client.list(builtin.ValidatingWebhookConfiguration);
      expect(items[0]?.webhooks?.[0]).toMatchObject({
        clientConfig: { url: `https://127.0.0.1:${port}/validate/maps`, caBundle },
        matchConditions: [
          { name: 'first' },
          { expression: "request.userInfo.username != 'session'" },
        ],
      });
      expect((await client.list(builtin.ValidatingAdmissionPolicyBinding)).items).toHaveLength(1);

      // The project no longer declares them.
      admission.replace({ definitions: [], admission: { configurations: [], policies: [] } });
      await admission.install([], signal);
      expect((await client.list(builtin.ValidatingWebhookConfiguration)).items).toEqual([]);
      expect((await client.list(builtin.ValidatingAdmissionPolicy)).items).toEqual([]);
      expect((await client.list(builtin.ValidatingAdmissionPolicyBinding)).items).toEqual([]);
      expect(await admission.callWebhooks(port, signal)).toBe(0);
    } finally {
      program.close();
    }
  });
});

describe('the presented certificate', () => {
  test('is that of the server, also of one that starts later', async () => {
    const { cert, key } = await selfSignedCertificate();
    const reserved = createTcpServer();
    const port = await listening(reserved);
    reserved.close();
    await once(reserved, 'close');
    const found = presentedCertificate(port, new AbortController().signal);
    const program = createServer({ cert, key });
    try {
      await once(program.listen(port, '127.0.0.1'), 'listening');
      expect(await found).toBe(cert.replaceAll('\r\n', '\n'));
    } finally {
      program.close();
    }
  });

  test('is undefined once the program has ended, also if a server never speaks TLS', async () => {
    const silent = createTcpServer();
    try {
      const port = await listening(silent);
      const ended = new AbortController();
      const found = presentedCertificate(port, ended.signal);
      await once(silent, 'connection');
      ended.abort();
      expect(await found).toBeUndefined();
    } finally {
      silent.close();
    }
  });
});
