import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { createApiServer, type ApiServer } from '@keelson/apiserver';
import {
  builtin,
  createManager,
  type Manager,
  type ManagerOptions,
  type Reconcile,
  type Request,
} from '@keelson/manager';
import { eventually, gate, silent, type Gate } from './testing/fixtures.test-support.ts';

const object = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { namespace: 'default', name: 'a' },
};

let server: ApiServer;
let reconciled: Gate;
const replicas: Manager[] = [];

beforeEach(async () => {
  server = await createApiServer();
  reconciled = gate();
});

afterEach(async () => {
  await Promise.all(replicas.splice(0).map((manager) => manager.stop()));
  await server.close();
});

function addControllers(manager: Manager): void {
  manager.addController({
    name: 'config-map',
    for: builtin.ConfigMap,
    reconcile: () => reconciled.open(),
  });
}

// #region replica
/** One replica; the Lease is in the namespace of its Pod. `await createReplica({}).start()` runs it until SIGTERM. */
function createReplica(options: ManagerOptions): Manager {
  const manager = createManager({ leaderElection: { lease: 'web-app' }, ...options });
  addControllers(manager);
  return manager;
}
// #endregion

// #region readiness
function addPolicies(manager: Manager, reconcile: Reconcile<Request>): void {
  manager.addController({
    name: 'policies',
    for: builtin.ConfigMap,
    phase: 'always',
    readiness: 'reconciled',
    reconcile,
  });
}
// #endregion

test('the policies of the guide keep their replica from being ready until they have run', async () => {
  const manager = createManager({
    cluster: server.cluster,
    logger: silent,
    stopSignals: [],
    servers: { health: { port: 0, host: '127.0.0.1' } },
  });
  replicas.push(manager);
  server.seed([object]);
  const end = gate();
  let isDone = false;
  addPolicies(manager, async () => {
    await end.opened;
    isDone = true;
  });
  const stopped = manager.start();
  await manager.started;
  const ready = async (): Promise<number> =>
    (await fetch(`http://127.0.0.1:${manager.ports.health}/readyz`)).status;
  expect(await ready()).toBe(503);
  end.open();
  await eventually(async () => isDone && (await ready()) === 200);
  await manager.stop();
  await stopped;
});

test('of two replicas of the guide one leads, and the other one after its stop', async () => {
  const cluster = { ...server.cluster, namespace: 'default' };
  const [one, two] = ['one', 'two'].map(() => {
    const manager = createReplica({ cluster, logger: silent, stopSignals: [] });
    replicas.push(manager);
    return manager;
  }) as [Manager, Manager];
  const ended = one.start();
  await one.started;
  const stopped = two.start();
  expect([one.isLeader, two.isLeader]).toEqual([true, false]);
  await one.stop();
  await ended;
  await two.started;
  expect([one.isLeader, two.isLeader]).toEqual([false, true]);
  server.seed([object]);
  await reconciled.opened;
  await two.stop();
  await stopped;
});
