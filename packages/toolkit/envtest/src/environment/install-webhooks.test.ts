import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { builtin, type KubernetesObject } from '@keelson/apimachinery';
import { createClient } from '@keelson/client';
import { CertificateAuthority } from '../control-plane/certificate-authority.ts';
import { createTestEnvironment } from '../index.ts';
import { installWebhooks } from './install-webhooks.ts';
import type { WebhookServerAddress } from './webhook-objects.ts';

let server: Server;
let address: WebhookServerAddress;
const paths: (string | undefined)[] = [];

beforeAll(async () => {
  const authority = await CertificateAuthority.create();
  server = createServer(await authority.server(), async (incoming, response) => {
    paths.push(incoming.url?.split('?', 1)[0]);
    const review = JSON.parse(await text(incoming)) as { request: { uid: string } };
    const answer = { uid: review.request.uid, allowed: false, status: { message: 'not here' } };
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ ...review, response: answer }));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  address = { url: `https://127.0.0.1:${port}/`, ca: authority.certificate };
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
});

function configuration(kind: string, clientConfig: object, rule: object = {}): KubernetesObject {
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind,
    metadata: { name: 'mine' },
    webhooks: [
      {
        name: 'a.example.com',
        clientConfig,
        rules: [
          {
            apiGroups: [''],
            apiVersions: ['v1'],
            operations: ['CREATE'],
            resources: ['secrets'],
            ...rule,
          },
        ],
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
      },
    ],
  } as KubernetesObject;
}

function joined(rule: Readonly<Record<string, readonly string[]>>): object {
  return Object.fromEntries(
    Object.entries(rule).map(([member, list]) => [member, list.join(', ')]),
  );
}

const service = { service: { namespace: 'ops', name: 'hooks', path: '/validate' } };

describe('installWebhooks', () => {
  test('lets the webhooks of an operator call the server of the test', async () => {
    await using environment = await createTestEnvironment({ use: 'memory' });
    await using client = createClient({ cluster: environment.admin.cluster });
    const mutating = configuration('MutatingWebhookConfiguration', {
      url: 'https://ops.example/mutate',
    });
    await environment.installWebhooks([mutating], address);
    paths.splice(0);
    const secret = { metadata: { namespace: 'default', name: 'a' } };
    await expect(client.create(builtin.Secret, secret)).rejects.toThrow(
      'denied the request: not here',
    );
    expect(paths).toEqual(['/mutate']);
    const { items } = await client.list(builtin.MutatingWebhookConfiguration);
    expect(items.map(({ metadata }) => metadata.name)).toEqual(['mine']);
  });

  test('reads a folder, and ignores other kinds', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'keelson-webhooks-'));
    const objects = [configuration('ValidatingWebhookConfiguration', service), { kind: 'Service' }];
    const documents = objects.map((each) => JSON.stringify(each)).join('\n---\n');
    await writeFile(join(folder, 'webhooks.yaml'), documents);
    await using environment = await createTestEnvironment({ use: 'memory' });
    await environment.installWebhooks([folder], address);
    await rm(folder, { recursive: true });
    await using client = createClient({ cluster: environment.admin.cluster });
    paths.splice(0);
    const secret = { metadata: { namespace: 'default', name: 'a' } };
    await expect(client.create(builtin.Secret, secret)).rejects.toThrow('not here');
    expect(paths).toEqual(['/validate']);
  });

  test('fills in the conversion webhook of a definition', async () => {
    await using environment = await createTestEnvironment({ use: 'memory' });
    await using client = createClient({ cluster: environment.admin.cluster });
    const webhook = {
      clientConfig: { service: { ...service.service, path: 'convert' } },
      conversionReviewVersions: ['v1'],
    };
    const versions = [
      { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } },
    ];
    const definition = {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'gizmos.example.com' },
      spec: {
        group: 'example.com',
        scope: 'Namespaced',
        names: { plural: 'gizmos', kind: 'Gizmo' },
        versions,
        conversion: { strategy: 'Webhook', webhook },
      },
    };
    await environment.installWebhooks([definition], address);
    const { spec } = await client.get(builtin.CustomResourceDefinition, {
      name: 'gizmos.example.com',
    });
    expect(spec.conversion?.webhook?.clientConfig).toEqual({
      url: `${address.url}convert`,
      caBundle: Buffer.from(address.ca).toString('base64'),
    });
  });

  test('refuses an address without https, a missing authority and an empty path', async () => {
    await using environment = await createTestEnvironment({ use: 'memory' });
    const install = (more: object): Promise<void> =>
      environment.installWebhooks([], { ...address, ...more });
    await expect(install({ url: 'http://127.0.0.1' })).rejects.toThrow('installWebhooks.url');
    await expect(install({ ca: 'x' })).rejects.toThrow('installWebhooks.ca');
    const missing = environment.installWebhooks(['/nowhere'], address);
    await expect(missing).rejects.toMatchObject({ code: 'WEBHOOKS_NOT_FOUND' });
  });

  test('refuses a rule of which no resource is served, and installs nothing', async () => {
    await using environment = await createTestEnvironment({ use: 'memory' });
    await using client = createClient({ cluster: environment.admin.cluster });
    const kind = 'ValidatingWebhookConfiguration';
    const unserved = [
      { resources: ['secret'] },
      { apiGroups: ['example.com'], resources: ['widgets', 'widgets/status'] },
    ];
    for (const rule of unserved) {
      await expect(
        environment.installWebhooks([configuration(kind, service, rule)], address),
      ).rejects.toMatchObject({
        code: 'WEBHOOK_KIND_NOT_SERVED',
        facts: { kind, name: 'mine', webhook: 'a.example.com', ...joined(rule) },
      });
    }
    const { items } = await client.list(builtin.ValidatingWebhookConfiguration);
    expect(items).toEqual([]);
    const served = [
      { resources: ['widgets', 'pods/exec'] },
      { resources: ['*/scale'] },
      { apiGroups: ['*'], resources: ['widgets'] },
      { apiGroups: ['apps'], apiVersions: ['v1beta1'], resources: ['deployments'] },
    ];
    for (const rule of served) {
      await environment.installWebhooks([configuration(kind, service, rule)], address);
    }
  });

  test('throws WEBHOOKS_NOT_ACTIVE if the server does not call webhooks in time', async () => {
    await using environment = await createTestEnvironment({ use: 'memory' });
    await using client = createClient({ cluster: environment.admin.cluster });
    const create = client.create.bind(client);
    // As if the server called no webhooks: every dry run succeeds.
    jest.spyOn(client, 'create').mockImplementation((...args) => {
      const [, object, options] = args;
      return options?.dryRun === true ? Promise.resolve(object as never) : create(...args);
    });
    const validating = [configuration('ValidatingWebhookConfiguration', service)];
    const objects = { validating, mutating: [], definitions: [] };
    await expect(installWebhooks(client, objects, 0)).rejects.toMatchObject({
      code: 'WEBHOOKS_NOT_ACTIVE',
      facts: { kind: 'ValidatingWebhookConfiguration' },
    });
    const { items } = await client.list(builtin.ValidatingWebhookConfiguration);
    expect(items.map(({ metadata }) => metadata.name)).toEqual(['mine']);
  });
});
