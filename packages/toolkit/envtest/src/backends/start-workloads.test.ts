import { expect, jest, test } from '@jest/globals';
import { builtin } from '@keelson/apimachinery';
import { createApiServer } from '@keelson/apiserver';
import { createClient } from '@keelson/client';
import { startWorkloads } from './start-workloads.ts';

const { Deployment } = builtin;

const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

test('the controllers of workloads may need seconds to end a reconcile when they stop', async () => {
  await using server = await createApiServer();
  await using client = createClient({ cluster: server.cluster });
  const user = { name: 'workloads', cluster: server.cluster, kubeconfig: '' };
  const running = await startWorkloads(async () => user, {}, server);
  const hang = server.faults.hang({ resource: builtin.ReplicaSet, verb: 'create' });
  const labels = { app: 'web' };
  await client.create(Deployment, {
    metadata: { namespace: 'default', name: 'web' },
    spec: {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'web' }] } },
    },
  });
  while (hang.hits === 0) await turn();
  jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
  const stopped = running.stop();
  for (let turns = 0; turns < 10; turns += 1) await turn();
  jest.advanceTimersByTime(2_000);
  jest.useRealTimers();
  hang.end();
  await expect(stopped).resolves.toBeUndefined();
});
