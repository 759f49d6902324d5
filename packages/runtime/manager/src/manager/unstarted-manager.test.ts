import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { builtin } from '@keelson/apimachinery';
import { createApiServer } from '@keelson/apiserver';
import { defineIndex } from '@keelson/informer';
import { createManager } from './controller-manager.ts';
import type { Manager } from './manager.ts';
import type { ManagerOptions } from './manager-options.ts';
import { collectGarbage } from '../testing/collect-garbage.test-support.ts';
import {
  nothing,
  recordingLogger,
  running,
  toSelf,
  WebApp,
  watchOf,
} from '../testing/fixtures.test-support.ts';

const { ConfigMap, Deployment, Secret, Service } = builtin;
const secretsByType = defineIndex(Secret, 'type', ({ type }) => [type ?? '']);
const WARNING = 'handle was never released';

let connections: number;
let server: Server;

beforeEach(async () => {
  connections = 0;
  server = createServer((_request, response) => void response.writeHead(404).end());
  server.on('connection', () => (connections += 1));
  await once(server.listen(0, '127.0.0.1'), 'listening');
});

afterEach(async () => {
  await new Promise((resolve) => server.close(resolve));
});

/** A manager with sources of every kind. */
function managerOf(options: ManagerOptions): Manager {
  const manager = createManager({ stopSignals: [], gracePeriod: 0, ...options });
  const controller = manager.addController({
    name: 'config',
    for: ConfigMap,
    owns: [Deployment],
    watches: [{ resource: Secret, indexers: [secretsByType], map: toSelf }],
    reads: [Service],
    reconcile: nothing,
  });
  controller.watch(watchOf(WebApp));
  return manager;
}

function address(): { server: string } {
  return { server: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) {
    await new Promise((resolve) => setImmediate(resolve));
  }
}

describe('a manager that is not started', () => {
  test('opens no connection before the start, and none if it is stopped instead', async () => {
    const { logger, lines } = recordingLogger();
    const manager = managerOf({
      cluster: address(),
      logger,
      leaderElection: { lease: 'a', namespace: 'b' },
    });
    await turns(50);
    expect(manager.cache.inventory()).toEqual([]);
    await manager.stop();
    await turns(50);
    expect(connections).toBe(0);
    expect(lines.filter(({ message }) => message === WARNING)).toEqual([]);
  });

  test('is collected when it is dropped, without a warning about its handles', async () => {
    const { logger, lines } = recordingLogger();
    const drop = (): WeakRef<Manager> => new WeakRef(managerOf({ cluster: address(), logger }));
    const dropped = drop();
    await collectGarbage(() => dropped.deref() === undefined);
    await turns(50);
    expect(dropped.deref()).toBeUndefined();
    expect(connections).toBe(0);
    expect(lines).toEqual([]);
  });
});

describe('a manager that runs', () => {
  test('keeps its handles until the stop, without a warning; a handle that user code drops leads to one', async () => {
    await using api = await createApiServer({});
    const { logger, lines } = recordingLogger();
    const manager = managerOf({ cluster: api.cluster, logger, cache: { linger: 0 } });
    await running(manager);
    const warned = (): unknown[] =>
      lines.filter(({ message }) => message === WARNING).map(({ owner }) => owner);
    await (async () =>
      manager.cache.acquire({ resource: ConfigMap }, { owner: 'dropped' }).synced)();
    // The collection that finds the dropped handle would find those of the manager too.
    await collectGarbage(() => warned().length > 0);
    await manager.stop();
    expect(warned()).toEqual(['dropped']);
  });
});
