import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { builtin, systemClock } from '@keelson/apimachinery';
import { createApiServer, type ApiServer } from '@keelson/apiserver';
import { createManager } from '../manager/controller-manager.ts';
import type { Manager } from '../manager/manager.ts';
import type { ReconcileContext } from '../reconcile/reconcile.ts';
import {
  eventually,
  gate,
  nothing,
  running,
  silent,
  toSelf,
} from '../testing/fixtures.test-support.ts';

const { ConfigMap, Secret } = builtin;
const workload = 'workload';
const secret = { namespace: 'default', name: 'there' };
const watchOther = { cluster: workload, resource: Secret, map: toSelf } as const;

let main: ApiServer;
let other: ApiServer;
let manager: Manager;

beforeEach(async () => {
  [main, other] = await Promise.all([createApiServer({}), createApiServer({})]);
  other.seed([{ apiVersion: 'v1', kind: 'Secret', metadata: secret }]);
  manager = createManager({
    cluster: main.cluster,
    logger: silent,
    stopSignals: [],
    gracePeriod: 0,
  });
});

afterEach(async () => {
  await manager.stop();
  await Promise.all([main.close(), other.close()]);
});

/** Looks the cluster up as a run, reads its cache, and sends a request. */
async function useOf({ clusters }: ReconcileContext): Promise<unknown> {
  try {
    const { cache, client } = clusters.get(workload);
    const cached = cache.get(Secret, secret)?.metadata.name;
    return [cached, (await client.get(Secret, secret)).metadata.name];
  } catch (error) {
    return (error as { code: string }).code;
  }
}

describe('the removal of a cluster', () => {
  test('leaves the cluster to the reconciles that it caused until they have ended', async () => {
    const cluster = manager.addCluster(workload, other.cluster);
    const started = gate();
    const goOn = gate();
    const used: Record<string, unknown> = {};
    const contexts: ReconcileContext[] = [];
    const controller = manager.addController({
      name: 'a',
      concurrency: 2,
      for: ConfigMap,
      watches: [watchOther],
      async reconcile(request, context) {
        if (request.name === 'there') {
          contexts.push(context);
          started.open();
        }
        await goOn.opened;
        used[request.name] = await useOf(context);
      },
    });
    await running(manager);
    await started.opened;
    controller.enqueue({ name: 'here' });
    await eventually(() => controller.running === 2);
    const removal = cluster.remove();
    goOn.open();
    await removal;
    await eventually(() => Object.keys(used).length === 2);
    expect(used).toEqual({ there: ['there', 'there'], here: 'UNKNOWN_CLUSTER' });
    expect(() => contexts[0]?.clusters.get(workload)).toThrow(
      expect.objectContaining({ code: 'UNKNOWN_CLUSTER' }),
    );
  });

  test('aborts the requests to the cluster, and neither those of later calls nor of other clusters', async () => {
    const cluster = manager.addCluster(workload, other.cluster);
    const sent = gate();
    const results: unknown[] = [];
    manager.addController({
      name: 'a',
      watches: [watchOther],
      async reconcile(_, { client, clusters }) {
        const access = clusters.get(workload);
        other.faults.hang({ resource: ConfigMap, verb: 'list' });
        const held = main.faults.hang({ resource: ConfigMap, verb: 'list' });
        const there = access.client.list(ConfigMap).catch((error: unknown) => error);
        const here = client.list(ConfigMap).catch((error: unknown) => error);
        const lists = (server: ApiServer): number =>
          server.stats.requests({ resource: ConfigMap, verb: 'list' });
        await eventually(() => lists(other) === 1 && lists(main) === 1);
        sent.open();
        results.push(await there, (await access.client.get(Secret, secret)).metadata.name);
        held.end();
        results.push(await here);
      },
    });
    await running(manager);
    await sent.opened;
    await cluster.remove();
    expect(results).toMatchObject([
      { code: 'CLUSTER_REMOVED', facts: { cluster: workload } },
      'there',
      { items: expect.anything() },
    ]);
  });

  test('limits each further request to the cluster, so that it never waits for one without a response', async () => {
    await manager.stop();
    const limits: number[] = [];
    const startTimer = (milliseconds: number, fire: () => void): (() => void) => {
      if (milliseconds === 5_000) limits.push(milliseconds);
      return systemClock.startTimer(milliseconds === 5_000 ? 1 : milliseconds, fire);
    };
    const clock = { ...systemClock, startTimer };
    const base = { cluster: main.cluster, logger: silent, stopSignals: [], gracePeriod: 0, clock };
    manager = createManager(base);
    const cluster = manager.addCluster(workload, other.cluster);
    const codes: string[] = [];
    manager.addController({
      name: 'a',
      watches: [watchOther],
      async reconcile(_, { clusters }) {
        const { client } = clusters.get(workload);
        other.faults.hang({ resource: Secret, verb: 'get' });
        for (let requests = 0; requests < 3; requests += 1) {
          await client.get(Secret, secret).catch(({ code }: { code: string }) => codes.push(code));
        }
      },
    });
    await running(manager);
    await eventually(() => other.stats.requests({ resource: Secret, verb: 'get' }) === 1);
    await cluster.remove();
    expect(codes).toEqual(Array.from({ length: 3 }, () => 'CLUSTER_REMOVED'));
    expect(limits).toHaveLength(2);
  });
});

describe('the health of a cluster', () => {
  test('is unknown without watches, and that of its watches with some', async () => {
    const dead = manager.addCluster('dead', { server: 'http://127.0.0.1:1' });
    const cluster = manager.addCluster(workload, other.cluster);
    const unknown = { state: 'unknown', isLive: false, watches: 0, notLive: 0 };
    expect([dead.health, cluster.health]).toMatchObject([unknown, unknown]);
    const controller = manager.addController({
      name: 'a',
      watches: [watchOther, { ...watchOther, cluster: 'dead', required: false }],
      reconcile: nothing,
    });
    await running(manager);
    await controller.synced;
    expect(cluster.health).toMatchObject({ state: 'live', isLive: true, watches: 1 });
    expect(dead.health).toMatchObject({ state: 'not-live', isLive: false, notLive: 1 });
  });
});

describe('a required cluster that does not respond', () => {
  test.each(['refuses connections', 'never responds'])(
    'and %s is waited for without an end, and delays no other controller',
    async (how) => {
      await manager.stop();
      manager = createManager({
        cluster: main.cluster,
        logger: silent,
        stopSignals: [],
        gracePeriod: 0,
        servers: { health: { port: 0, host: '127.0.0.1' } },
        controllers: { cacheSyncTimeout: 1 },
      });
      const away = Promise.withResolvers<void>();
      let isAway = true;
      manager.addCluster(workload, async () => {
        if (how === 'never responds') await away.promise;
        if (isAway) throw new Error('away');
        return other.cluster;
      });
      const reconciled: string[] = [];
      const reconcile = ({ name }: { name: string }): void => void reconciled.push(name);
      manager.addController({ name: 'here', for: ConfigMap, cacheSyncTimeout: '2m', reconcile });
      const there = manager.addController({ name: 'there', watches: [watchOther], reconcile });
      main.seed([{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { ...secret, name: 'here' } }]);
      const ended = manager.start();
      ended.catch(nothing);
      await eventually(() => reconciled.includes('here'));
      const ready = async (): Promise<number> =>
        (await fetch(`http://127.0.0.1:${manager.ports.health}/readyz`)).status;
      expect(await ready()).toBe(503);
      isAway = false;
      away.resolve();
      await there.synced;
      await eventually(() => reconciled.includes('there'));
      expect(await ready()).toBe(200);
    },
  );
});
