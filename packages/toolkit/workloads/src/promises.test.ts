import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { builtin } from '@keelson/apimachinery';
import { createLogger, createManager } from '@keelson/manager';
import { addWorkloads } from './index.ts';
import { startCluster, until, type WorkloadCluster } from './testing/cluster.test-support.ts';

const { Deployment, Event, Pod } = builtin;
const web = { namespace: 'default', name: 'web' };

describe('workloads', () => {
  let cluster: WorkloadCluster;

  beforeEach(async () => {
    cluster = await startCluster({ nodes: 2 });
  });

  afterEach(async () => {
    await cluster[Symbol.asyncDispose]();
  });

  const deploy = async (): Promise<void> => {
    const labels = { app: 'web' };
    const containers = [{ name: 'app', image: 'web:1' }];
    const template = { metadata: { labels }, spec: { containers } };
    const spec = { replicas: 2, selector: { matchLabels: labels }, template };
    await cluster.client.create(Deployment, { metadata: web, spec });
  };
  const untilAvailable = (count: number): Promise<void> =>
    until(
      cluster.client,
      Deployment,
      web,
      ({ status }) => (status?.availableReplicas ?? 0) === count,
    );

  test('A Deployment becomes available as in a cluster, through ReplicaSets and Pods.', async () => {
    await deploy();
    await untilAvailable(2);
    const { items } = await cluster.client.list(Pod);
    expect(items.map(({ metadata }) => metadata.ownerReferences?.[0]?.kind)).toEqual([
      'ReplicaSet',
      'ReplicaSet',
    ]);
  });

  test('The Pods that a rule selects behave as it says, those that exist and those to come.', async () => {
    await deploy();
    await untilAvailable(2);
    const rule = cluster.workloads.pods.when('app=web', { ready: false });
    await untilAvailable(0);
    const body = { spec: { replicas: 3 } };
    await cluster.client.patch(Deployment, web, { type: 'merge', body });
    await until(cluster.client, Deployment, web, ({ status }) => status?.replicas === 3);
    rule[Symbol.dispose]();
    await untilAvailable(3);
  });

  test('Events have the reasons and messages of a cluster.', async () => {
    await deploy();
    await untilAvailable(2);
    const { items } = await cluster.client.list(Event);
    const texts = items.map(({ source, reason, message }) =>
      [source?.component, reason, message].join(' '),
    );
    expect(texts).toContainEqual(
      expect.stringMatching(
        /^deployment-controller ScalingReplicaSet Scaled up replica set web-\S+ from 0 to 2$/,
      ),
    );
    expect(texts).toContainEqual(
      expect.stringMatching(
        /^default-scheduler Scheduled Successfully assigned default\/web-\S+ to node-1$/,
      ),
    );
  });

  test('An invalid option is refused by its name.', async () => {
    await using manager = createManager({
      cluster: { server: 'http://127.0.0.1:1' },
      logger: createLogger({ level: 'silent' }),
      stopSignals: [],
    });
    expect(() => addWorkloads(manager, { nodes: 1.5 })).toThrow(
      expect.objectContaining({ facts: expect.objectContaining({ option: 'addWorkloads.nodes' }) }),
    );
  });
});
