import { beforeAll, describe, expect, test } from '@jest/globals';
import { builtin, isConditionTrue } from '@keelson/apimachinery';
import { until } from '@keelson/example-support';
import { Instance } from '@keelson/example-plan-operator/custom-resource';
import { instanceDefinition } from '@keelson/example-plan-operator/custom-resource-definition';
import { ImageRegistry } from '@keelson/example-plan-operator/image-registry';
import { createOperator as createPlanner } from '@keelson/example-plan-operator/operator';
import { createPlans } from '@keelson/example-plan-operator/plans';
import { runManager } from './running-manager.ts';
import { openSharedSuite } from './suite.ts';

const suite = openSharedSuite();

describe('the example plan-operator', () => {
  beforeAll(() => suite.install(instanceDefinition));

  test('R3-01 R3-05 R3-07 R3-08 applies a change during an outage and a restart, in the order of the changes', async () => {
    const registry = new ImageRegistry();
    const namespace = await suite.namespace();
    const key = { namespace, name: 'shop' };
    const run = (): Promise<AsyncDisposable> =>
      runManager(suite.cluster, (options) =>
        createPlanner(options, { plans: createPlans(registry) }),
      );
    const change = (spec: Partial<Instance['spec']>): Promise<Instance> =>
      suite.client.patch(Instance, key, { type: 'merge', body: { spec } });
    const idle = (generation: number): Promise<Instance | undefined> =>
      until(suite.client, Instance, key, (found) => {
        return found?.status?.activePlan === null && found.status.observedGeneration === generation;
      });
    {
      await using _ = await run();
      const spec = { version: '1', replicas: 1 };
      await suite.client.create(Instance, { metadata: key, spec });
      expect(isConditionTrue((await idle(1))?.status?.conditions, 'Ready')).toBe(true);
      registry.outage = new Error('the registry is down');
      await change({ version: '2' });
      await until(suite.client, Instance, key, (found) => {
        return found?.status?.activePlan?.status === 'Error';
      });
    }
    await change({ version: '3', replicas: 2 });
    registry.outage = undefined;
    await using _ = await run();
    const { metadata, status } = (await idle(3)) ?? {};
    expect(isConditionTrue(status?.conditions, 'Ready')).toBe(true);
    expect(metadata?.annotations?.['examples.keelson.dev/last-applied']).toContain(
      '"generation":3',
    );
    const servers = await suite.client.get(builtin.ConfigMap, { namespace, name: 'shop-servers' });
    expect(servers.data).toEqual({ version: '3', replicas: '2' });
    const backup = await suite.client.get(builtin.ConfigMap, { namespace, name: 'shop-backup' });
    expect(backup.data).toEqual({ version: '3', replicas: '2' });
  });
});
