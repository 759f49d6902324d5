import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { builtin, type ObjectOf } from '@keelson/apimachinery';
import { createApiServer, type ApiServer } from '@keelson/apiserver';
import { createClient, type Client } from '@keelson/client';
import { createManager } from './controller-manager.ts';
import {
  crdOf,
  eventually,
  objectOf,
  running,
  silent,
  valueOf,
  WebApp,
} from '../testing/fixtures.test-support.ts';
import type { ManagerOptions } from './manager-options.ts';
import type { Manager } from './manager.ts';
import { generationChanged } from '../sources/event-rules/predicate.ts';

const { ConfigMap, Deployment, Secret } = builtin;

let server: ApiServer;
let client: Client;
const managers: Manager[] = [];

beforeEach(async () => {
  server = await createApiServer({});
  client = createClient({ cluster: server.cluster });
  await client.create(builtin.CustomResourceDefinition, crdOf(WebApp));
});

afterEach(async () => {
  await Promise.all(managers.splice(0).map((manager) => manager.stop()));
  await client.close();
  await server.close();
});

function managerOf(options: ManagerOptions = {}): Manager {
  const manager = createManager({
    cluster: server.cluster,
    logger: silent,
    stopSignals: [],
    gracePeriod: 0,
    ...options,
  });
  managers.push(manager);
  return manager;
}

function webApp(name: string, spec: WebApp['spec'] = { image: 'nginx' }): WebApp {
  return objectOf(WebApp, name, { spec });
}

function configMapFor(
  app: { readonly metadata?: { readonly name?: string; readonly uid?: string } },
  image: string,
): ObjectOf<typeof ConfigMap> {
  const { name = '', uid = '' } = app.metadata ?? {};
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name: `${name}-config`,
      namespace: 'default',
      ownerReferences: [
        { apiVersion: 'apps.example.com/v1', kind: 'WebApp', name, uid, controller: true },
      ],
    },
    data: { image },
  };
}

describe('a manager on a real socket', () => {
  test('creates owned objects, repairs drift, and writes as the controller', async () => {
    const manager = managerOf();
    manager.addController({
      name: 'web-app',
      for: WebApp,
      owns: [ConfigMap],
      async reconcile({ namespace, name }, { cache, client: writer, signal }) {
        const app = cache.get(WebApp, { namespace, name });
        if (app === undefined) return;
        await writer.apply(ConfigMap, configMapFor(app, app.spec?.image ?? ''), { signal });
      },
    });
    await running(manager);
    await client.create(WebApp, webApp('a'));
    const name = { namespace: 'default', name: 'a-config' };
    const stored = (): ObjectOf<typeof ConfigMap> | undefined => server.object(ConfigMap, name);
    await eventually(() => stored()?.data?.['image'] === 'nginx');
    expect(stored()?.metadata?.managedFields?.map((entry) => entry.manager)).toEqual(['web-app']);
    await client.patch(ConfigMap, name, { type: 'merge', body: { data: { image: 'drifted' } } });
    await eventually(() => stored()?.data?.['image'] === 'nginx');
    await client.delete(ConfigMap, name);
    await eventually(() => stored() !== undefined);
  });

  test('RC01 ten controllers on one kind send one LIST (or WatchList) and one WATCH', async () => {
    const manager = managerOf();
    const seen = new Set<string>();
    for (let at = 0; at < 10; at += 1) {
      manager.addController({
        name: `c${at}`,
        for: ConfigMap,
        reconcile: () => void seen.add(`c${at}`),
      });
    }
    await running(manager);
    await client.create(ConfigMap, objectOf(ConfigMap, 'x'));
    await eventually(() => seen.size === 10);
    expect(server.stats.openWatches(ConfigMap)).toBe(1);
    expect(server.stats.watches(ConfigMap)).toBe(1);
    expect(server.stats.lists(ConfigMap)).toBe(0);
  });

  test('CT40 with generationChanged a status write of the controller leads to no run, and a concurrent spec change does', async () => {
    const manager = managerOf();
    const seen: string[] = [];
    let foreign: Promise<unknown> = Promise.resolve();
    manager.addController({
      name: 'status-writer',
      for: { resource: WebApp, predicates: [generationChanged] },
      async reconcile(request, { cache, client: writer }) {
        const app = cache.get(WebApp, request);
        seen.push(app?.spec?.image ?? '');
        const body = { status: { ready: true } };
        await writer.status(WebApp).patch(request, { type: 'merge', body });
        if (seen.length === 1) {
          foreign = client.patch(WebApp, request, {
            type: 'merge',
            body: { spec: { image: 'two' } },
          });
          await foreign;
        }
      },
    });
    await running(manager);
    await client.create(WebApp, webApp('a', { image: 'one' }));
    await eventually(() => seen.length === 2);
    // The event of the last status write has arrived when a later event has.
    await client.create(WebApp, webApp('b', { image: 'other' }));
    await eventually(() => seen.includes('other'));
    expect(seen).toEqual(['one', 'two', 'other']);
  });

  test('CT43 two controllers that watch the kinds of each other come to rest', async () => {
    const manager = managerOf();
    let runs = 0;
    const labels = { pair: 'yes' };
    manager.addController({
      name: 'claims',
      for: ConfigMap,
      watches: [{ resource: Secret, map: ({ namespace, name }) => ({ namespace, name }) }],
      async reconcile(request, { client: writer }) {
        runs += 1;
        await writer.apply(Secret, objectOf(Secret, request.name, { metadata: { labels } }));
      },
    });
    manager.addController({
      name: 'things',
      for: Secret,
      watches: [{ resource: ConfigMap, map: ({ namespace, name }) => ({ namespace, name }) }],
      async reconcile(request, { client: writer }) {
        runs += 1;
        await writer.apply(ConfigMap, objectOf(ConfigMap, request.name, { metadata: { labels } }));
      },
    });
    await running(manager);
    await client.create(ConfigMap, objectOf(ConfigMap, 'pair', { metadata: { labels } }));
    await eventually(
      () => server.object(Secret, { namespace: 'default', name: 'pair' }) !== undefined,
    );
    const busy = async (): Promise<boolean> =>
      (await valueOf(manager, 'controller_runtime_active_workers', { controller: 'claims' })) !==
        0 ||
      (await valueOf(manager, 'controller_runtime_active_workers', { controller: 'things' })) !== 0;
    let quiet = 0;
    for (let last = -1; quiet < 50;) {
      quiet = last === runs && !(await busy()) ? quiet + 1 : 0;
      last = runs;
      await server.idle();
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(runs).toBeLessThanOrEqual(12);
  });

  test('CT37 the owner is matched by group and kind, in any version', async () => {
    const manager = managerOf();
    const seen: string[] = [];
    const add = (name: string, owners: 'controller' | 'any'): void => {
      manager.addController({
        name,
        for: WebApp,
        owns: [{ resource: Secret, owners }],
        reconcile: (request) => void seen.push(`${name} ${request.namespace}/${request.name}`),
      });
    };
    add('controllers', 'controller');
    add('any', 'any');
    await running(manager);
    // The server does not serve the version of the owner. Otherwise its garbage collector would delete the Secrets.
    const owner = { apiVersion: 'apps.example.com/v1beta9', kind: 'WebApp', uid: 'u' };
    const owned = (name: string, reference: object): Promise<unknown> =>
      client.create(
        Secret,
        objectOf(Secret, name, {
          metadata: { ownerReferences: [{ ...owner, name, ...reference }] },
        }),
      );
    await owned('other-version', { controller: true });
    await owned('other-group', { apiVersion: 'example.com/v1', controller: true });
    await owned('other-kind', { kind: 'WebApps', controller: true });
    await owned('no-controller', {});
    await eventually(() => seen.length === 3);
    expect(seen.toSorted()).toEqual([
      'any default/no-controller',
      'any default/other-version',
      'controllers default/other-version',
    ]);
  });

  test('RC17 the watch of a kind that is not served is parked, and goes live when the kind is served', async () => {
    const Later = { ...WebApp, kind: 'Later', plural: 'laters' };
    const manager = managerOf();
    const seen: string[] = [];
    const controller = manager.addController({
      name: 'hopeful',
      watches: [{ resource: Later, required: false, map: ({ name }) => ({ name }) }],
      reconcile: ({ name }) => void seen.push(name),
    });
    await running(manager);
    const watch = controller.watch({ resource: Later, map: ({ name }) => ({ name }) });
    await eventually(() => watch.health?.state === 'parked');
    await client.create(builtin.CustomResourceDefinition, crdOf(Later));
    await client.create(Later, objectOf(Later, 'x'));
    manager.cache.served(Later);
    await watch.synced;
    await eventually(() => seen.length > 0);
    expect(seen).toContain('x');
  });

  test('MG17, MG18 the manager serves metrics, healthz and readyz until it stops', async () => {
    const at = { port: 0, host: '127.0.0.1' };
    const manager = managerOf({ servers: { metrics: at, health: at } });
    manager.addController({ name: 'measured', for: ConfigMap, reconcile: () => undefined });
    await running(manager);
    await client.create(ConfigMap, objectOf(ConfigMap, 'x'));
    const total = { controller: 'measured', result: 'success' };
    const reconciles = (): Promise<number | undefined> =>
      valueOf(manager, 'controller_runtime_reconcile_total', total);
    await eventually(async () => (await reconciles()) === 1);
    const { metrics, health } = manager.ports;
    const response = await fetch(`http://127.0.0.1:${metrics}/metrics`);
    const text = await response.text();
    const host = new URL(server.url).host;
    for (const line of [
      'controller_runtime_reconcile_total{controller="measured",result="success"} 1',
      'controller_runtime_reconcile_total{controller="measured",result="error"} 0',
      'controller_runtime_max_concurrent_reconciles{controller="measured"} 1',
      'workqueue_adds_total{name="measured",controller="measured"} 1',
      'workqueue_depth{name="measured",controller="measured",priority="0"} 0',
      // Of the server's version, and of the watch.
      `rest_client_requests_total{code="200",method="GET",host="${host}"} 2`,
      'keelson_watches{group="",version="v1",resource="configmaps",state="live"} 1',
      'keelson_watches_intended{group="",version="v1",resource="configmaps"} 1',
      'keelson_watch_handles{group="",version="v1",resource="configmaps"} 1',
      'keelson_store_objects{group="",version="v1",resource="configmaps"} 1',
      'keelson_lists_total{group="",version="v1",resource="configmaps",cause="initial"} 1',
      'keelson_events_total{group="",version="v1",resource="configmaps",type="added"} 1',
      'keelson_api_to_reconcile_seconds_count{controller="measured"} 1',
      'keelson_event_loop_delay_seconds_count ',
      'process_cpu_seconds_total ',
      'nodejs_version_info{',
    ]) {
      expect(text).toContain(line);
    }
    expect((await fetch(`http://127.0.0.1:${health}/readyz`)).status).toBe(200);
    await manager.stop();
    await expect(fetch(`http://127.0.0.1:${metrics}/metrics`)).rejects.toThrow('fetch failed');
    await expect(fetch(`http://127.0.0.1:${health}/healthz`)).rejects.toThrow('fetch failed');
  });

  test('RC23 of two managers on one cache, the stop of one keeps the watches of the other', async () => {
    const first = managerOf();
    const second = managerOf({ cache: first.cache });
    const seen: string[] = [];
    first.addController({
      name: 'same',
      for: ConfigMap,
      reconcile: ({ name }) => void seen.push(name),
    });
    second.addController({ name: 'same', for: ConfigMap, reconcile: () => undefined });
    await running(first);
    await running(second);
    expect(server.stats.watches(ConfigMap)).toBe(1);
    await second.stop();
    await client.create(ConfigMap, objectOf(ConfigMap, 'x'));
    await eventually(() => seen.length === 1);
    expect(server.stats.watches(ConfigMap)).toBe(1);
  });

  test('a forbidden kind is a health state with verb and resource, and does not stop the manager', async () => {
    server.faults.forbid({ resource: Secret });
    const manager = managerOf();
    const seen: string[] = [];
    const blocked = manager.addController({
      name: 'blocked',
      for: Secret,
      reconcile: () => undefined,
    });
    const watch = blocked.watch({ resource: Secret, map: () => undefined });
    manager.addController({
      name: 'good',
      for: ConfigMap,
      reconcile: ({ name }) => void seen.push(name),
    });
    manager.start().catch(() => undefined);
    await client.create(ConfigMap, objectOf(ConfigMap, 'x'));
    await eventually(() => seen.length === 1);
    expect(watch.health).toMatchObject({ state: 'forbidden', verb: expect.any(String) as unknown });
    expect(watch.health?.reason).toContain('secrets');
  });

  test('a Deployment of a reconcile is applied once and not changed again', async () => {
    const manager = managerOf();
    let runs = 0;
    manager.addController({
      name: 'deployer',
      for: WebApp,
      owns: [Deployment],
      async reconcile(request, { cache, client: writer }) {
        runs += 1;
        const app = cache.get(WebApp, request);
        if (app === undefined) return;
        const labels = { app: request.name };
        await writer.apply(Deployment, {
          apiVersion: 'apps/v1',
          kind: 'Deployment',
          metadata: {
            ...request,
            ownerReferences: [
              {
                apiVersion: 'apps.example.com/v1',
                kind: 'WebApp',
                name: request.name,
                uid: app.metadata.uid,
                controller: true,
              },
            ],
          },
          spec: {
            selector: { matchLabels: labels },
            template: {
              metadata: { labels },
              spec: { containers: [{ name: 'app', image: 'nginx' }] },
            },
          },
        });
      },
    });
    await running(manager);
    await client.create(WebApp, webApp('a'));
    await eventually(() => runs === 2);
    await client.create(WebApp, webApp('b'));
    await eventually(() => runs >= 4);
    expect(server.stats.changes(Deployment)).toBe(2);
  });
});
