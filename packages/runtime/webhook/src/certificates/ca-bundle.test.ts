import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { builtin } from '@keelson/apimachinery';
import { createApiServer, type ApiServer } from '@keelson/apiserver';
import { createClient, type Client } from '@keelson/client';
import { publishCaBundle, type Authorities, type CaBundleTargets } from './ca-bundle.ts';
import { issueCertificate } from '@keelson/x509';

const { CustomResourceDefinition, MutatingWebhookConfiguration, ValidatingWebhookConfiguration } =
  builtin;
const service = { namespace: 'operator', name: 'webhook' };
const targets: CaBundleTargets = {
  service,
  configurations: ['operator', 'missing'],
  definitions: ['apps.example.com', 'missing.example.com'],
};
let server: ApiServer;
let client: Client;
let bundle: string;
let encoded: string;

/** Returns the certificate of a new authority. */
async function authority(commonName: string): Promise<string> {
  const now = Date.now();
  const validity = { notBefore: now - 1000, notAfter: now + 86_400_000 };
  return (await issueCertificate({ commonName, ...validity })).cert;
}

function encode(text: string): string {
  return Buffer.from(text).toString('base64');
}

/** Authorities that no replica renews. */
function fixed(text: string | undefined): Authorities {
  return { bundle: text, refresh: () => Promise.resolve() };
}

/** A webhook that calls a Service. */
function webhookOf(name: string, of: object): never {
  return {
    name: `${name}.operator.example`,
    admissionReviewVersions: ['v1'],
    sideEffects: 'None',
    clientConfig: { service: of },
    rules: [
      { apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], operations: ['CREATE'] },
    ],
    failurePolicy: 'Ignore',
    namespaceSelector: { matchLabels: { none: 'at-all' } },
  } as never;
}

beforeAll(async () => {
  server = await createApiServer({});
  client = createClient({ cluster: server.cluster });
  bundle = await authority('ca');
  encoded = encode(bundle);
  const metadata = { name: 'operator' };
  const webhooks = [webhookOf('ours', service), webhookOf('theirs', { ...service, name: 'other' })];
  await client.create(ValidatingWebhookConfiguration, { metadata, webhooks });
  await client.create(MutatingWebhookConfiguration, {
    metadata,
    webhooks: [webhookOf('ours', service)],
  });
  const schema = { openAPIV3Schema: { type: 'object' } };
  await client.create(CustomResourceDefinition, {
    metadata: { name: 'apps.example.com' },
    spec: {
      group: 'example.com',
      names: { kind: 'App', plural: 'apps' },
      scope: 'Namespaced',
      versions: [
        { name: 'v1', served: true, storage: true, schema },
        { name: 'v2', served: true, storage: false, schema },
      ],
      conversion: {
        strategy: 'Webhook',
        webhook: { conversionReviewVersions: ['v1'], clientConfig: { service } },
      },
    },
  });
});

afterAll(async () => {
  await client.close();
  await server.close();
});

async function bundles(): Promise<(string | undefined)[]> {
  const validating = await client.get(ValidatingWebhookConfiguration, { name: 'operator' });
  const mutating = await client.get(MutatingWebhookConfiguration, { name: 'operator' });
  const definition = await client.get(CustomResourceDefinition, { name: 'apps.example.com' });
  const webhooks = [...(validating.webhooks ?? []), ...(mutating.webhooks ?? [])];
  return [
    ...webhooks.map(({ clientConfig }) => clientConfig.caBundle),
    definition.spec.conversion?.webhook?.clientConfig?.caBundle,
  ];
}

describe('publishCaBundle', () => {
  test('writes the bundle where the Service is called, and nothing where it is', async () => {
    expect(await publishCaBundle(client, fixed(bundle), targets)).toEqual([
      'ValidatingWebhookConfiguration operator',
      'MutatingWebhookConfiguration operator',
      'CustomResourceDefinition apps.example.com',
    ]);
    expect(await bundles()).toEqual([encoded, undefined, encoded, encoded]);
    expect(await publishCaBundle(client, fixed(bundle), targets)).toEqual([]);
  });

  test('writes again after the write of another client', async () => {
    await publishCaBundle(client, fixed(bundle), targets);
    let races = 3;
    let changes = 0;
    const racing = {
      get: client.get.bind(client),
      update: (async (...given: Parameters<Client['update']>) => {
        if (races > 0) {
          races -= 1;
          changes += 1;
          const body = { metadata: { annotations: { race: String(changes) } } };
          await client.patch(
            ValidatingWebhookConfiguration,
            { name: 'operator' },
            { type: 'merge', body },
          );
        }
        return client.update(...given);
      }) as Client['update'],
    };
    await client.patch(
      ValidatingWebhookConfiguration,
      { name: 'operator' },
      { type: 'json', body: [{ op: 'remove', path: '/webhooks/0/clientConfig/caBundle' }] },
    );
    expect(await publishCaBundle(racing, fixed(bundle), targets)).toEqual([
      'ValidatingWebhookConfiguration operator',
    ]);
    races = Infinity;
    const other = await authority('ca2');
    await expect(publishCaBundle(racing, fixed(other), targets)).rejects.toMatchObject({
      code: 'CA_BUNDLE_CONFLICT',
    });
  });

  test('writes nothing before the start', async () => {
    const before = await bundles();
    expect(await publishCaBundle(client, fixed(undefined), targets)).toEqual([]);
    expect(await bundles()).toEqual(before);
  });

  test('refreshes the authorities before a write, and not if an object has them', async () => {
    const newest = await authority('newest');
    await publishCaBundle(client, fixed(newest), targets);
    let refreshes = 0;
    const late = {
      bundle,
      refresh: async (): Promise<void> => {
        refreshes += 1;
        late.bundle = newest;
      },
    };
    expect(await publishCaBundle(client, late, targets)).toEqual([]);
    expect([refreshes, (await bundles())[0]]).toEqual([1, encode(newest)]);
  });

  test('never replaces authorities that another replica publishes between its read and its write', async () => {
    await publishCaBundle(client, fixed(await authority('former')), targets);
    const newest = await authority('newest');
    const late = { bundle, refresh: (): Promise<void> => Promise.resolve() };
    const racing: Pick<Client, 'get' | 'update'> = {
      get: client.get.bind(client),
      update: (async (...given: Parameters<Client['update']>) => {
        if (late.bundle !== newest) {
          late.refresh = async () => void (late.bundle = newest);
          await publishCaBundle(client, fixed(newest), targets);
        }
        return client.update(...given);
      }) as Client['update'],
    };
    expect(await publishCaBundle(racing, late, targets)).toEqual([]);
    expect((await bundles())[0]).toBe(encode(newest));
  });
});
