import { expect, test } from '@jest/globals';
import { builtin, createManager, type Manager } from '@keelson/manager';
import {
  defineWebhook,
  deny,
  webhookConfigurations,
  webhookService,
} from '@keelson/manager/webhooks';
import { silent } from './testing/fixtures.test-support.ts';

const { ConfigMap } = builtin;

// #region register
const protectedMaps = defineWebhook({
  name: 'protected-maps',
  resource: ConfigMap,
  operations: ['DELETE'],
  objectSelector: { matchLabels: { protected: 'true' } },
  failurePolicy: 'Ignore',
  validate: () => deny('remove the label "protected" first'),
});

function addWebhooks(operator: Manager): void {
  operator.addWebhook(protectedMaps);
}

const service = { namespace: 'map-operator', name: 'map-operator-webhook' };
const objects = [
  webhookService({ ...service, selector: { app: 'map-operator' }, targetPort: 9443 }),
  ...webhookConfigurations([protectedMaps], { name: 'map-operator', service }),
];
// #endregion register

test('the declaration of the guide is served and registered', async () => {
  await using operator = createManager({
    logger: silent,
    stopSignals: [],
    servers: { webhook: { port: 0, tls: 'self-signed' } },
  });
  addWebhooks(operator);
  expect(() => addWebhooks(operator)).toThrow('webhook=protected-maps');
  expect(objects.map(({ kind }) => kind)).toEqual(['Service', 'ValidatingWebhookConfiguration']);
});
