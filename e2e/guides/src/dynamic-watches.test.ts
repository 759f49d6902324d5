import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createApiServer, type ApiServer } from '@keelson/apiserver';
import { createClient, type Client } from '@keelson/client';
import { crdOf, eventually, running, silent, WebApp } from './testing/fixtures.test-support.ts';
import type { ControllerOptions } from '@keelson/manager';

let server: ApiServer;
let client: Client;
let manager: Manager;
let seen: string[];

beforeEach(async () => {
  server = await createApiServer({});
  client = createClient({ cluster: server.cluster });
  manager = createManager({ cluster: server.cluster, logger: silent, stopSignals: [] });
  seen = [];
  for (const name of ['team-a', 'team-b', 'team-c']) {
    await client.create(builtin.Namespace, { metadata: { name } });
  }
});

afterEach(async () => {
  await manager.stop();
  await client.close();
  await server.close();
});

/** Adds a controller that records its requests, and starts the manager. */
async function recording(options: Partial<ControllerOptions> = {}): Promise<Controller> {
  const controller = manager.addController({
    name: 'recording',
    ...options,
    reconcile: ({ namespace, name }) => void seen.push(`${namespace}/${name}`),
  });
  await running(manager);
  await controller.synced;
  return controller;
}

async function configMap(namespace: string, name: string): Promise<void> {
  await client.create(builtin.ConfigMap, { metadata: { namespace, name } });
}

const lists = (namespace?: string): number =>
  server.stats.requests({
    resource: builtin.ConfigMap,
    verb: ['list', 'watch'],
    ...(namespace === undefined ? {} : { namespace }),
  });

describe('the guide to dynamic watches', () => {
  test('adds and removes a watch', async () => {
    const controller = await recording();
    await configMap('team-a', 'app');
    await watchForAWhile(controller, async () => {
      await eventually(() => seen.length === 1);
      expect(seen).toEqual(['team-a/app']);
    });
    expect(manager.cache.plan()).toEqual([]);
  });

  test('replaces the watches of a set', async () => {
    const controller = await recording();
    const { ConfigMap, Secret, Service } = builtin;
    const [first] = await watchKinds(controller, [ConfigMap, Secret]);
    await first?.synced;
    const [kept, added] = await watchKinds(controller, [ConfigMap, Service]);
    await added?.synced;
    expect(kept).toBe(first);
    expect(lists()).toBe(1);
    await configMap('team-a', 'app');
    await eventually(() => seen.includes('team-a/app'));
  });

  test('reads a queue of messages while it is needed', async () => {
    const controller = await recording();
    const source = consume(controller, async function* () {
      yield { namespace: 'team-a', name: 'one' };
    });
    await eventually(() => seen.length === 1);
    expect(seen).toEqual(['team-a/one']);
    await source.remove();
  });

  test('changes the namespaces of a running manager', async () => {
    await manager.stop();
    manager = createTenantManager({ cluster: server.cluster, logger: silent, stopSignals: [] });
    await configMap('team-a', 'app');
    await configMap('team-b', 'app');
    await configMap('team-c', 'app');
    const controller = manager.addController({
      name: 'recording',
      for: builtin.ConfigMap,
      reads: [builtin.Node],
      reconcile({ namespace, name }, { cache }) {
        const all = cache.list(builtin.ConfigMap).map(({ metadata }) => metadata.namespace);
        seen.push(`${namespace}/${name} of ${all.toSorted().join(' ')}`);
        if (namespace === 'team-a') return;
        try {
          cache.list(builtin.ConfigMap, { namespace: 'team-a' });
        } catch (error) {
          seen.push(String((error as { facts?: { declare?: string } }).facts?.declare));
        }
      },
    });
    await running(manager);
    await controller.synced;
    await eventually(() => seen.length === 2);
    expect(seen.toSorted()).toEqual(['team-a/app of team-a team-b', 'team-b/app of team-a team-b']);
    seen.length = 0;
    await replaceTenant(manager);
    await eventually(() => seen.length === 2);
    expect(seen).toEqual([
      expect.stringMatching(/^team-c\/app of team-b( team-c)?$/),
      'reads: [{ resource: ConfigMap, namespace: "team-a" }]',
    ]);
    // The watch of the namespace that stays continues.
    expect(lists('team-b')).toBe(1);
    expect(lists('team-c')).toBe(1);
  });

  test('changes the namespaces of one watch', async () => {
    const controller = await recording();
    await configMap('team-c', 'app');
    const watch = await watchTenants(controller);
    await eventually(() => seen.length === 1);
    expect([seen, watch.namespaces]).toEqual([['team-c/app'], ['team-b', 'team-c']]);
  });

  test('changes the options of a live controller', async () => {
    const controller = await recording({
      for: builtin.ConfigMap,
      namespaces: ['team-a', 'team-b'],
    });
    await configMap('team-a', 'leaves');
    await eventually(() => seen.includes('team-a/leaves'));
    const before = lists('team-b');
    const { stopped } = await changeOptions(controller);
    expect(stopped).toEqual(['for ConfigMap in team-a', 'for ConfigMap in team-b']);
    expect(lists('team-b')).toBe(before);
    await client.create(builtin.ConfigMap, {
      metadata: { namespace: 'team-c', name: 'enters', labels: { app: 'web' } },
    });
    await eventually(() => seen.includes('team-c/enters'));
    await expect(changeOrGiveUp(controller)).resolves.toMatchObject({ changed: ['for'] });
  });

  test('watches a kind that does not exist yet', async () => {
    const controller = await recording();
    const watch = watchOptional(controller);
    await eventually(() => watch.health?.state === 'parked');
    await client.create(builtin.CustomResourceDefinition, crdOf(WebApp));
    await client.create(WebApp, { metadata: { namespace: 'team-a', name: 'late' } });
    manager.cache.served(WebApp);
    await watch.synced;
    await eventually(() => seen.length === 1);
    expect([seen, watch.health?.state]).toEqual([['team-a/late'], 'live']);
  });
});

import {
  builtin,
  createManager,
  type ApiResource,
  type Controller,
  type DynamicWatch,
  type Manager,
  type ManagerOptions,
  type Request,
} from '@keelson/manager';
import type { DynamicSource, ReconfigureResult } from '@keelson/manager/sources';

// #region watch
async function watchForAWhile(controller: Controller, until: () => Promise<void>): Promise<void> {
  const watch = controller.watch({
    resource: builtin.ConfigMap,
    map: ({ namespace, name }) => ({ namespace, name }),
  }); // returns at once
  await watch.synced; // every existing object is in the queue
  await until();
  await watch.remove(); // no handler, request or reconcile of the watch is left
}
// #endregion

// #region replace
async function watchKinds(
  controller: Controller,
  kinds: readonly ApiResource[],
): Promise<readonly DynamicWatch[]> {
  return controller.replaceWatches(
    'kinds',
    kinds.map((resource) => ({
      resource,
      map: ({ namespace = '', name }) => ({ namespace, name }),
    })),
  );
}
// #endregion

// #region source
function consume(
  controller: Controller,
  messages: (signal: AbortSignal) => AsyncIterable<Request>,
): DynamicSource {
  return controller.addSource({ name: 'messages', requests: messages, maxPending: 100 });
}
// #endregion

// #region manager
function createTenantManager(options: ManagerOptions): Manager {
  return createManager({
    ...options,
    namespaces: ['team-a', 'team-b'],
    kinds: [{ resource: builtin.Secret, labelSelector: 'app=web' }],
  });
}
// #endregion

// #region set
async function replaceTenant(tenants: Manager): Promise<void> {
  await tenants.setNamespaces(['team-b', 'team-c']);
}
// #endregion

// #region namespaces
async function watchTenants(controller: Controller): Promise<DynamicWatch> {
  const watch = controller.watch({
    resource: builtin.ConfigMap,
    namespaces: ['team-a', 'team-b'],
    map: ({ namespace, name }) => ({ namespace, name }),
  });
  await watch.setNamespaces(['team-b', 'team-c']);
  await watch.synced; // waits for team-c too
  return watch;
}
// #endregion

// #region reconfigure
async function changeOptions(controller: Controller): Promise<ReconfigureResult> {
  return controller.reconfigure({
    concurrency: 8,
    timeout: '2m',
    namespaces: ['team-b', 'team-c'],
    for: { resource: builtin.ConfigMap, labelSelector: 'app=web' },
  });
}
// #endregion

// #region give-up
async function changeOrGiveUp(controller: Controller): Promise<ReconfigureResult> {
  return controller.reconfigure(
    { for: builtin.ConfigMap },
    { signal: AbortSignal.timeout(60_000) },
  );
}
// #endregion

// #region optional
function watchOptional(controller: Controller): DynamicWatch {
  return controller.watch({
    resource: WebApp,
    map: ({ namespace, name }) => ({ namespace, name }),
  });
}
// #endregion
