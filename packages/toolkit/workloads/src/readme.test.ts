import { expect, test } from '@jest/globals';
import { createApiServer } from '@keelson/apiserver';
import { builtin, createLogger, createManager } from '@keelson/manager';
import { addWorkloads } from './index.ts';
import { until } from './testing/cluster.test-support.ts';

test('the example of the README', async () => {
  await using server = await createApiServer();
  const { cluster } = server;
  const logger = createLogger({ level: 'error' });
  // #region readme
  await using manager = createManager({ cluster, logger, stopSignals: [] });
  const { pods, nodes } = addWorkloads(manager, { nodes: 3 });
  const running = manager.start();
  await manager.started;

  pods.when('app=web', { crash: 'after 3s', exitCode: 1 });
  nodes.fail('node-1');
  // #endregion
  nodes.recover('node-1');
  const metadata = { namespace: 'default', name: 'sleeper' };
  const spec = { containers: [{ name: 'app', image: 'sleep' }] };
  await manager.client.create(builtin.Pod, { metadata, spec });
  await until(manager.client, builtin.Pod, metadata, ({ status }) => status?.phase === 'Running');
  const pod = await manager.client.get(builtin.Pod, metadata);
  expect(pod.spec?.nodeName).toMatch(/^node-[123]$/);
  await manager.stop();
  await running;
});
