import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { builtin } from '@keelson/apimachinery';
import { createApiServer, type ApiServer } from '@keelson/apiserver';
import { createManager } from '../manager/controller-manager.ts';
import type { Manager } from '../manager/manager.ts';
import { eventually, nothing, running, silent, toSelf } from '../testing/fixtures.test-support.ts';

const { ConfigMap, Secret } = builtin;
const workload = 'workload';
const watchSecrets = { cluster: workload, resource: Secret, map: toSelf } as const;
const readConfigMaps = { cluster: workload, resource: ConfigMap } as const;
const unknown = { code: 'UNKNOWN_CLUSTER', facts: { cluster: workload } };

let main: ApiServer;
let other: ApiServer;
let manager: Manager;

beforeEach(async () => {
  [main, other] = await Promise.all([createApiServer({}), createApiServer({})]);
  const options = { logger: silent, stopSignals: [], gracePeriod: 0 };
  manager = createManager({ cluster: main.cluster, ...options });
});

afterEach(async () => {
  await manager.stop();
  await Promise.all([main.close(), other.close()]);
});

describe('the changes of a controller after the removal of a cluster', () => {
  test('leave its watches and reads out, also when the name is added again', async () => {
    const cluster = manager.addCluster(workload, other.cluster);
    const controller = manager.addController({
      name: 'mirror',
      for: ConfigMap,
      watches: [watchSecrets, { resource: Secret, map: toSelf }],
      reads: [readConfigMaps],
      reconcile: nothing,
    });
    await running(manager);
    await cluster.remove();
    const kept = ['for ConfigMap', 'watch Secret'];
    const difference = { started: [], kept, stopped: [] };
    await expect(controller.reconfigure({ concurrency: 2 })).resolves.toMatchObject(difference);
    manager.addCluster(workload, other.cluster);
    await expect(controller.reconfigure({ timeout: '1s' })).resolves.toMatchObject(difference);
    await eventually(() => other.stats.openWatches() === 0);
    const named = await controller.reconfigure({ reads: [readConfigMaps] });
    expect(named.started).toEqual(['reads ConfigMap of workload']);
  });

  test('are refused if they name it, those that wait too, and the others continue', async () => {
    const silentServer = { server: 'http://127.0.0.1:1' };
    const cluster = manager.addCluster(workload, silentServer);
    const controller = manager.addController({
      name: 'mirror',
      for: ConfigMap,
      reconcile: nothing,
    });
    await running(manager);
    const waits = [
      controller.reconfigure({ watches: [watchSecrets] }),
      controller.reconfigure({ reads: [readConfigMaps] }),
      controller.reconfigure({ concurrency: 2 }),
    ];
    const results = Promise.allSettled(waits);
    await cluster.remove();
    expect(await results).toMatchObject([
      { status: 'rejected', reason: unknown },
      { status: 'rejected', reason: unknown },
      { status: 'fulfilled', value: { changed: ['concurrency'], kept: ['for ConfigMap'] } },
    ]);
    await expect(controller.reconfigure({ watches: [watchSecrets] })).rejects.toMatchObject(
      unknown,
    );
  });
});
