import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { builtin } from '@keelson/apimachinery';
import { createApiServer, type ApiServer } from '@keelson/apiserver';
import { createClient, type Client } from '@keelson/client';
import { publishCaBundle, type CaBundleTargets } from './ca-bundle.ts';
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
  const notAfter = Date.now() + 86_400_000;
  const { cert } = await issueCertificate({
    commonName: 'ca',
    notBefore: Date.now() - 1000,
    notAfter,
  });
  bundle = cert;
  encoded = Buffer.from(cert).toString('base64');
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
    expect(await publishCaBundle(client, bundle, targets)).toEqual([
      'ValidatingWebhookConfiguration operator',
      'MutatingWebhookConfiguration operator',
      'CustomResourceDefinition apps.example.com',
    ]);
    expect(await bundles()).toEqual([encoded, undefined, encoded, encoded]);
    expect(await publishCaBundle(client, bundle, targets)).toEqual([]);
  });

  test('writes again after the write of another client', async () => {
    await publishCaBundle(client, bundle, targets);
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
    expect(await publishCaBundle(racing, bundle, targets)).toEqual([
      'ValidatingWebhookConfiguration operator',
    ]);
    races = Infinity;
    const other = await issueCertificate({
      commonName: 'ca2',
      notBefore: Date.now() - 1000,
      notAfter: Date.now() + 86_400_000,
    });
    await expect(publishCaBundle(racing, other.cert, targets)).rejects.toMatchObject({
      code: 'CA_BUNDLE_CONFLICT',
    });
  });
});
