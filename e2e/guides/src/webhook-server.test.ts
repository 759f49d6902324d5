import { expect, test } from '@jest/globals';
import { createManager } from '@keelson/manager';

test('accepts the options of the guide', async () => {
  // #region server
  const folder = '/tmp/k8s-webhook-server/serving-certs';
  const operator = createManager({
    leaderElection: { lease: 'app-operator' },
    servers: {
      health: 8081,
      webhook: {
        port: 9443,
        tls: { cert: `${folder}/tls.crt`, key: `${folder}/tls.key` },
      },
    },
  });
  // #endregion server
  expect(operator.ports.webhook).toBeUndefined();
  await operator.stop();
});
