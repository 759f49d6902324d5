import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createTestEnvironment, type TestEnvironment } from '@keelson/envtest';
import { createClient, type Cluster } from '@keelson/client';
import {
  builtin,
  createManager,
  isDeleting,
  type DaemonContext,
  type Manager,
  type ManagerOptions,
} from '@keelson/manager';
import { silent } from './testing/fixtures.test-support.ts';

const { ClusterRoleBinding, ConfigMap, Lease } = builtin;
const metadata = { namespace: 'default', name: 'a' };

let environment: TestEnvironment;
const managers: Manager[] = [];

beforeEach(async () => {
  environment = await createTestEnvironment({ time: 'virtual' });
});

afterEach(async () => {
  await Promise.all(managers.splice(0).map((manager) => manager.stop()));
  await environment.stop();
});

function manage(options: ManagerOptions = {}): Manager {
  const { cluster } = environment.admin;
  const manager = createManager({ cluster, logger: silent, stopSignals: [], ...options });
  managers.push(manager);
  return manager;
}

/** The minutes of virtual time since the start of the test. */
function minutes(): () => number {
  const start = environment.clock.now();
  return () => (environment.clock.now() - start) / 60_000;
}

describe('a manager in virtual time', () => {
  test('runs a request of requeueAfter 5 minutes exactly 12 times in an hour', async () => {
    const manager = manage();
    const runs: number[] = [];
    const now = minutes();
    manager.addController({
      name: 'five',
      for: ConfigMap,
      reconcile: () => {
        runs.push(now());
        return { requeueAfter: '5m' };
      },
    });
    await manager.client.create(ConfigMap, { metadata });
    void manager.start();
    await environment.settled();
    expect(runs).toEqual([0]);
    await environment.advance('1h');
    expect(runs.slice(1)).toEqual([5, 10, 15, 20, 25, 30, 35, 40, 45, 50, 55, 60]);
  });

  test('runs the daemons of an object until it is deleted', async () => {
    const manager = manage();
    const now = minutes();
    const probes: number[] = [];
    const life: string[] = [];
    const pressureOf = async (name: string): Promise<number> => {
      probes.push(now());
      return name.length;
    };
    const connect = async (_address: string | undefined): Promise<{ close(): void }> => {
      life.push('connected');
      return { close: () => life.push('closed') };
    };
    addPumps(manager, { pressureOf, connect });
    await manager.client.create(ConfigMap, { metadata, data: { address: 'one' } });
    void manager.start();
    await environment.advance('3m');
    expect(probes).toEqual([0, 1, 2, 3]);
    const body = { data: { address: 'two' } };
    await manager.client.patch(ConfigMap, metadata, { type: 'merge', body });
    await environment.settled();
    expect(life).toEqual(['connected', 'closed', 'connected']);
    await manager.client.delete(ConfigMap, metadata);
    await environment.advance('1h');
    expect(probes).toEqual([0, 1, 2, 3]);
    expect(life).toEqual(['connected', 'closed', 'connected', 'closed']);
  });

  test('reads the time of the test where code waits by itself', async () => {
    const manager = manage();
    const times: number[] = [];
    // #region poller
    manager.addRunnable({
      name: 'poller',
      run: async ({ clock, sleep, signal }) => {
        while (!signal.aborted) {
          times.push(clock.now());
          await sleep('1m');
        }
      },
    });
    // #endregion
    void manager.start();
    const start = environment.clock.now();
    await environment.advance('2m');
    expect(times).toEqual([start, start + 60_000, start + 120_000]);
  });

  test('retries a failing request after the delays of its backoff', async () => {
    const manager = manage();
    const runs: number[] = [];
    const start = environment.clock.now();
    manager.addController({
      name: 'failing',
      for: ConfigMap,
      backoff: { base: '1s', max: '5s' },
      reconcile: () => {
        runs.push((environment.clock.now() - start) / 1000);
        throw new Error('not yet');
      },
    });
    await manager.client.create(ConfigMap, { metadata });
    void manager.start();
    await environment.advance('20s');
    expect(runs).toEqual([0, 1, 3, 7, 12, 17]);
  });

  test('passes the leadership to the standby when the Lease of a leader that is gone expires', async () => {
    // #region replicas
    const leaders: string[] = [];
    const replica = (identity: string, cluster: Cluster): Manager => {
      const manager = manage({
        cluster,
        leaderElection: { lease: 'app', namespace: 'default', identity },
        gracePeriod: 0,
      });
      manager.addRunnable({ name: 'lead', run: () => void leaders.push(identity) });
      return manager;
    };
    // #endregion
    const { admin } = environment;
    await using client = createClient({ cluster: admin.cluster });
    const gone = await environment.addUser({ name: 'gone' });
    const subjects = [{ kind: 'User', name: 'gone', apiGroup: 'rbac.authorization.k8s.io' }];
    const roleRef = {
      kind: 'ClusterRole',
      name: 'cluster-admin',
      apiGroup: 'rbac.authorization.k8s.io',
    };
    const binding = { metadata: { name: 'gone' }, roleRef, subjects };
    await client.create(ClusterRoleBinding, binding);
    // #region start
    const first = replica('first', gone.cluster);
    const failed = first.start().catch((error: unknown) => error);
    await environment.settled();
    void replica('second', admin.cluster).start();
    await environment.advance('5m');
    // #endregion
    expect(leaders).toEqual(['first']);
    // Without the permission the leader cannot renew its Lease, and gives up before the Lease expires.
    // #region takeover
    await client.delete(ClusterRoleBinding, { name: 'gone' });
    await environment.advance('10s');
    expect(leaders).toEqual(['first']);
    await environment.advance('10s');
    expect(leaders).toEqual(['first', 'second']);
    // #endregion
    expect(await failed).toMatchObject({ code: 'LEADERSHIP_LOST' });
    const lease = await client.get(Lease, { namespace: 'default', name: 'app' });
    expect(lease.spec?.holderIdentity).toBe('second');
  });
});

interface Pumps {
  readonly pressureOf: (name: string) => Promise<number>;
  readonly connect: (address: string | undefined) => Promise<{ close(): void }>;
}

// #region daemons
function addPumps(manager: Manager, { pressureOf, connect }: Pumps): void {
  manager.addController({
    name: 'pump',
    for: ConfigMap,
    async reconcile({ namespace, name }, { cache, daemons }) {
      const pump = cache.get(ConfigMap, { namespace, name });
      if (pump === undefined || isDeleting(pump)) return daemons.end();
      const { address } = pump.data ?? {};
      // A timer: once a minute.
      const measure = async ({ log }: DaemonContext): Promise<void> => {
        log.info({ pressure: await pressureOf(name) }, 'measured');
      };
      daemons.run('pressure', measure, { every: '1m' });
      // A connection, which is opened again if it fails, or if the address changes.
      const listen = async ({ signal }: DaemonContext): Promise<void> => {
        const connection = await connect(address);
        if (!signal.aborted) await once(signal, 'abort');
        connection.close();
      };
      daemons.run('connection', listen, { version: address });
    },
  });
}
// #endregion
