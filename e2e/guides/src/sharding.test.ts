import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { createApiServer, type ApiServer } from '@keelson/apiserver';
import {
  builtin,
  createClient,
  createManager,
  type Client,
  type Manager,
  type ManagerOptions,
} from '@keelson/manager';
import { eventually, silent } from './testing/fixtures.test-support.ts';

let server: ApiServer;
let client: Client;
const replicas: Manager[] = [];
let handledBy: Map<string, string>;

beforeEach(async () => {
  server = await createApiServer();
  client = createClient({ cluster: { server: server.url } });
  handledBy = new Map();
});

afterEach(async () => {
  await Promise.all(replicas.splice(0).map((manager) => manager.stop()));
  await client.close();
  await server.close();
});

let replicaName = '';

function addControllers(manager: Manager): void {
  const replica = replicaName;
  manager.addController({
    name: 'config-map',
    for: builtin.ConfigMap,
    reconcile: ({ name }) => void handledBy.set(name, replica),
  });
}

// #region replica
/** One replica; the Leases are in the namespace of its Pod. `await createReplica({}).start()` runs it until SIGTERM. */
function createReplica(options: ManagerOptions): Manager {
  const manager = createManager({ sharding: { name: 'web-app', by: 'name' }, ...options });
  addControllers(manager);
  return manager;
}
// #endregion

function start(name: string): Promise<void> {
  replicaName = name;
  const manager = createReplica({
    cluster: { server: server.url, namespace: 'default' },
    logger: silent,
    stopSignals: [],
  });
  replicas.push(manager);
  manager.start().catch(() => undefined);
  return manager.started;
}

test('two replicas share the objects, and the rest moves when one stops', async () => {
  for (let at = 0; at < 30; at += 1) {
    const metadata = { namespace: 'default', name: `object-${at}` };
    await client.create(builtin.ConfigMap, { metadata });
  }
  await start('a');
  await start('b');
  await eventually(() => new Set(handledBy.values()).size === 2);
  const [first] = replicas;
  handledBy.clear();
  await first?.stop();
  await eventually(() => handledBy.size > 0);
  expect(new Set(handledBy.values())).toEqual(new Set(['b']));
});
