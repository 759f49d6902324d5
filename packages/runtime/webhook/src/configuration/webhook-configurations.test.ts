import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { builtin, type ApiResource } from '@keelson/apimachinery';
import { createApiServer, type ApiServer } from '@keelson/apiserver';
import { createClient, type Client } from '@keelson/client';
import { issueCertificate } from '@keelson/x509';
import { endpointsOf, Job, reviewWith, send } from '../testing/reviews.test-support.ts';
import { defineWebhook, isDefinedWebhook } from './define-webhook.ts';
import { webhookConfigurations, webhookService } from './webhook-configurations.ts';

const { ConfigMap, MutatingWebhookConfiguration, Pod, ValidatingWebhookConfiguration } = builtin;
const service = { namespace: 'operator', name: 'webhook' };
const options = { name: 'jobs', service };
const jobs = defineWebhook({ name: 'jobs', resource: Job, validate: () => undefined });
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

describe('webhookConfigurations', () => {
  test('has the defaults of a webhook, and excludes kube-system and the namespace of the operator', () => {
    expect(webhookConfigurations([jobs], options)).toEqual([
      {
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: 'ValidatingWebhookConfiguration',
        metadata: { name: 'jobs' },
        webhooks: [
          {
            name: 'jobs.keelson.dev',
            admissionReviewVersions: ['v1'],
            clientConfig: { service: { ...service, path: '/validate/jobs' } },
            rules: [
              {
                apiGroups: ['batch.example.com'],
                apiVersions: ['v1'],
                resources: ['jobs'],
                operations: ['CREATE', 'UPDATE'],
                scope: 'Namespaced',
              },
            ],
            failurePolicy: 'Fail',
            matchPolicy: 'Equivalent',
            sideEffects: 'None',
            timeoutSeconds: 10,
            namespaceSelector: {
              matchExpressions: [
                {
                  key: 'kubernetes.io/metadata.name',
                  operator: 'NotIn',
                  values: ['kube-system', 'operator'],
                },
              ],
            },
          },
        ],
      },
    ]);
  });

  test('has every option of a webhook, and the API server accepts it', async () => {
    const { cert } = await issueCertificate({
      commonName: 'authority',
      notBefore: Date.now(),
      notAfter: Date.now() + 86_400_000,
    });
    const registration = {
      path: '/mutate/all',
      timeoutSeconds: 3,
      failurePolicy: 'Ignore',
      sideEffects: 'NoneOnDryRun',
      matchPolicy: 'Exact',
      matchConditions: [{ name: 'no-leases', expression: 'request.resource.resource != "leases"' }],
      namespaceSelector: { matchLabels: { team: 'shop' } },
      objectSelector: { matchExpressions: [{ key: 'skip', operator: 'DoesNotExist' }] },
      reinvocationPolicy: 'IfNeeded',
    } as const;
    const webhooks = [
      defineWebhook({
        ...registration,
        name: 'all.shop.example',
        resource: '*',
        mutate: () => undefined,
      }),
      defineWebhook({
        name: 'pods',
        resource: [Pod, ConfigMap],
        operations: ['DELETE'],
        validate: () => undefined,
      }),
      defineWebhook({
        name: 'scale',
        resource: Job,
        subresource: 'scale',
        validate: () => undefined,
      }),
    ];
    const made = webhookConfigurations(webhooks, {
      name: 'all',
      service: { ...service, port: 9443 },
      caBundle: cert,
      labels: { app: 'shop' },
      annotations: { note: 'generated' },
    });
    expect(made.map(({ kind }) => kind)).toEqual([
      'MutatingWebhookConfiguration',
      'ValidatingWebhookConfiguration',
    ]);
    const tokens: readonly ApiResource[] = [
      MutatingWebhookConfiguration,
      ValidatingWebhookConfiguration,
    ];
    for (const [index, object] of made.entries()) {
      const stored = await client.create(tokens[index] as ApiResource, object);
      expect(stored).toMatchObject(JSON.parse(JSON.stringify(object)) as object);
    }
    const [mutating, validating] = made;
    const { path, ...rest } = registration;
    expect(mutating?.metadata).toEqual({
      name: 'all',
      labels: { app: 'shop' },
      annotations: { note: 'generated' },
    });
    expect(mutating?.webhooks?.[0]).toMatchObject({
      ...rest,
      name: 'all.shop.example',
      clientConfig: {
        service: { ...service, path, port: 9443 },
        caBundle: Buffer.from(cert).toString('base64'),
      },
      rules: [{ apiGroups: ['*'], apiVersions: ['*'], resources: ['*'], scope: '*' }],
    });
    expect(
      validating?.webhooks?.map(({ rules }) => rules?.map(({ resources }) => resources)),
    ).toEqual([[['pods'], ['configmaps']], [['jobs/scale']]]);
  });

  test('a declaration is served by the options that its configuration has', async () => {
    const { endpoints } = endpointsOf();
    endpoints.add(jobs);
    const [configuration] = webhookConfigurations([jobs], options);
    const url = configuration?.webhooks?.[0]?.clientConfig.service?.path ?? '';
    expect((await send(endpoints, reviewWith(), { url })).status).toBe(200);
    expect([
      isDefinedWebhook(jobs),
      isDefinedWebhook({ ...options }),
      isDefinedWebhook(null),
    ]).toEqual([true, false, false]);
  });

  test.each([
    ['name', { name: 'Jobs' }],
    ['service', { service: undefined }],
    ['service.namespace', { service: { name: 'webhook' } }],
    ['service.name', { service: { namespace: 'operator' } }],
    ['service.port', { service: { ...service, port: 0 } }],
    ['caBundle', { caBundle: 'LS0tLS1' }],
    ['url', { url: 'https://example.com' }],
  ])('refuses an invalid %s', (option, given) => {
    const facts = expect.objectContaining({ option: `webhookConfigurations.${option}` });
    expect(() => webhookConfigurations([jobs], { ...options, ...given } as never)).toThrow(
      expect.objectContaining({ code: 'INVALID_OPTION', facts }),
    );
  });

  test('refuses a name that another webhook has in the configuration', () => {
    const qualified = { ...jobs, name: 'jobs.keelson.dev', path: '/validate/other' };
    expect(() => webhookConfigurations([jobs, qualified], options)).toThrow(
      expect.objectContaining({ code: 'DUPLICATE_WEBHOOK' }),
    );
  });

  test('refuses two webhooks of one name, and an invalid one by its place', () => {
    expect(() => webhookConfigurations([jobs, jobs], options)).toThrow(
      expect.objectContaining({ code: 'DUPLICATE_WEBHOOK' }),
    );
    const invalid = { name: 'jobs', resource: Job };
    expect(() => webhookConfigurations([jobs, invalid], options)).toThrow(
      'option=webhookConfigurations.webhooks[1]',
    );
    expect(() => defineWebhook({ name: 'jobs', resource: Job })).toThrow('option=defineWebhook');
    expect(webhookConfigurations([], options)).toEqual([]);
  });
});

describe('webhookService', () => {
  test('sends the requests for port 443 to the Pods, and the API server accepts it', async () => {
    const made = webhookService({
      namespace: 'default',
      name: 'webhook',
      selector: { app: 'operator' },
      targetPort: 9443,
      labels: { app: 'operator' },
    });
    const stored = await client.create(builtin.Service, made);
    expect(stored.spec).toMatchObject({
      selector: { app: 'operator' },
      ports: [{ name: 'https', port: 443, targetPort: 9443, protocol: 'TCP' }],
    });
    const wrong = { namespace: 'default', name: 'A', selector: {}, targetPort: 1 };
    expect(() => webhookService(wrong)).toThrow('option=webhookService.name');
  });
});
