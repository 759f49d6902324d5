import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { builtin, type KubernetesObject } from '@keelson/apimachinery';
import { createApiServer, type ApiServer } from '@keelson/apiserver';
import { createManager } from '../manager/controller-manager.ts';
import type { Manager } from '../manager/manager.ts';
import { eventually, gate, nothing, silent } from '../testing/fixtures.test-support.ts';
import type { WatchOptions } from '../sources/source-options.ts';
import type { ClusterRequest } from '../reconcile/request.ts';
import type { ManagerCluster } from './manager-cluster.ts';

const { ConfigMap, Secret } = builtin;
/** So many that the random ring gives each of two replicas some. */
const names = Array.from({ length: 20 }, (_, at) => `fleet/${at}`);
/** Replicas that never renew during a test, so that only the events of the test matter. */
const longest = { leaseDuration: '3600s', renewDeadline: '3000s', retryPeriod: '2000s' } as const;

type HubWatch = WatchOptions<KubernetesObject, ClusterRequest>;

let hub: ApiServer;
let member: ApiServer;
const replicas: Replica[] = [];

beforeEach(async () => {
  [hub, member] = await Promise.all([createApiServer({}), createApiServer({})]);
  const metadata = { namespace: 'default', name: 'app', labels: { app: '' } };
  member.seed([{ apiVersion: 'v1', kind: 'ConfigMap', metadata }]);
});

afterEach(async () => {
  await Promise.all(replicas.splice(0).map(({ manager }) => manager.stop()));
  await Promise.all([hub.close(), member.close()]);
});

/** A replica with all clusters of the fleet, whose controller records the clusters of its runs. */
class Replica {
  readonly manager: Manager;
  readonly clusters: readonly ManagerCluster[];
  readonly runs: string[] = [];

  constructor(reconcile: () => unknown = nothing, watches: readonly HubWatch[] = []) {
    this.manager = createManager({
      cluster: hub.cluster,
      logger: silent,
      stopSignals: [],
      gracePeriod: '20s',
      clusters: { cache: { linger: 0 } },
      sharding: { name: 'fleet', by: 'cluster', namespace: 'default', ...longest },
    });
    this.clusters = names.map((name) => this.manager.addCluster(name, member.cluster));
    this.manager.addController({
      name: 'recorder',
      concurrency: names.length,
      for: { resource: ConfigMap, labelSelector: 'app', clusters: 'all' },
      watches,
      reconcile: (request, { cluster }) => {
        expect(cluster.cache.get(ConfigMap, request)).toBeDefined();
        this.runs.push(request.cluster);
        return reconcile() as undefined;
      },
    });
    replicas.push(this);
  }

  async start(): Promise<void> {
    this.manager.start().catch(nothing);
    await this.manager.started;
  }

  /** The clusters that its caches watch. */
  get watched(): readonly string[] {
    const watched = this.clusters.filter(({ cache }) => cache.inventory().length > 0);
    return watched.map(({ name }) => name).toSorted();
  }
}

test('with shards by cluster each replica runs and watches its clusters alone', async () => {
  const one = new Replica();
  await one.start();
  await eventually(() => new Set(one.runs).size === names.length);
  expect(one.watched).toEqual(names.toSorted());
  const two = new Replica();
  await two.start();
  await eventually(
    () => two.watched.length > 0 && one.watched.length + two.watched.length === names.length,
  );
  await eventually(() => new Set(two.runs).size === two.watched.length);
  const together = [...one.watched, ...two.watched];
  expect(together.toSorted()).toEqual(names.toSorted());
  expect([...new Set(two.runs)].toSorted()).toEqual(two.watched);
  one.runs.length = 0;
  const added = { namespace: 'default', name: 'later', labels: { app: '' } };
  member.seed([{ apiVersion: 'v1', kind: 'ConfigMap', metadata: added }]);
  await eventually(() => new Set(one.runs).size === one.watched.length);
  expect([...new Set(one.runs)].toSorted()).toEqual(one.watched);
  await two.manager.stop();
  await eventually(() => new Set(one.runs).size === names.length);
  expect(one.watched).toEqual(names.toSorted());
});

test('a replica lists a cluster before its former owner has ended its runs', async () => {
  const hold = gate();
  const one = new Replica(() => hold.opened);
  await one.start();
  await eventually(() => one.runs.length === names.length);
  const two = new Replica();
  await two.start();
  await eventually(() => two.watched.length > 0);
  const listed = (): string[] =>
    two.clusters
      .filter(({ cache }) => cache.inventory().some(({ objects }) => objects === 1))
      .map(({ name }) => name)
      .toSorted();
  await eventually(() => listed().length === two.watched.length);
  const taken = listed();
  expect(two.runs).toEqual([]);
  expect(taken.length).toBeLessThan(names.length);
  member.stats.reset();
  hold.open();
  await eventually(() => new Set(two.runs).size === taken.length);
  expect([...new Set(two.runs)].toSorted()).toEqual(taken);
  expect(member.stats.requests({ resource: ConfigMap })).toBe(0);
});

test('a replica that joins lists its clusters before, while the kinds of the hub are listed', async () => {
  const hubList = hub.faults.hang({ resource: Secret, verb: 'list' });
  const hubWatch = hub.faults.hang({ resource: Secret, verb: 'watch' });
  const one = new Replica(nothing, [{ resource: Secret, map: () => [] }]);
  const started = one.start();
  await eventually(() => one.watched.length === names.length);
  await eventually(() => one.clusters.every(({ cache }) => cache.inventory()[0]?.objects === 1));
  expect(one.runs).toEqual([]);
  member.stats.reset();
  hubList.end();
  hubWatch.end();
  await started;
  await eventually(() => one.runs.length >= names.length);
  expect(one.runs.toSorted()).toEqual(names.toSorted());
  expect(member.stats.requests({ resource: ConfigMap })).toBe(0);
});
