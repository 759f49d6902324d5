import { expect, test } from '@jest/globals';
import { createTestEnvironment } from '@keelson/envtest';
import { builtin, createManager } from '@keelson/manager';
import { selfSignedCertificate } from '@keelson/manager/servers';
import { defineWebhook, deny, webhookConfigurations } from '@keelson/manager/webhooks';
import { silent } from './testing/fixtures.test-support.ts';

const { ConfigMap } = builtin;

const defaults = defineWebhook({
  name: 'map-defaults',
  resource: ConfigMap,
  operations: ['CREATE'],
  mutate({ object }) {
    object.data = { level: 'info', ...object.data };
  },
});

const levels = defineWebhook({
  name: 'levels',
  resource: ConfigMap,
  operations: ['CREATE', 'UPDATE'],
  validate: ({ object, warn }) => {
    if (object.data?.['level'] === 'debug') warn('debug logs may be large');
    return object.data?.['level'] === 'none' ? deny('a level is needed') : undefined;
  },
});

test('the API server of a test calls the webhooks of a manager', async () => {
  // #region test
  await using environment = await createTestEnvironment();
  const certificate = await selfSignedCertificate();
  const operator = createManager({
    cluster: environment.admin.cluster,
    servers: { host: '127.0.0.1', webhook: { port: 0, tls: { certificate }, shutdownDelay: 0 } },
    logger: silent,
    stopSignals: [],
  });
  operator.addWebhook(defaults);
  operator.addWebhook(levels);
  const running = operator.start();
  await operator.started;

  const service = { namespace: 'map-operator', name: 'map-operator-webhook' };
  await environment.installWebhooks(
    webhookConfigurations([defaults, levels], { name: 'map-operator', service }),
    { url: `https://127.0.0.1:${operator.ports.webhook}`, ca: certificate.cert },
  );
  const { client } = operator;
  const made = await client.create(ConfigMap, { metadata: { namespace: 'default', name: 'a' } });
  expect(made.data).toEqual({ level: 'info' });
  await expect(client.update(ConfigMap, { ...made, data: { level: 'none' } })).rejects.toThrow(
    'a level is needed',
  );
  // #endregion test
  await operator.stop();
  await running;
});
