import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { builtin, type ObjectOf } from '@keelson/apimachinery';
import { createApiServer, type ApiServer } from '@keelson/apiserver';
import { createClient, type Client } from '@keelson/client';
import { Gauge } from 'prom-client';
import { createManager } from '../manager/controller-manager.ts';
import type { ManagerOptions } from '../manager/manager-options.ts';
import type { Manager } from '../manager/manager.ts';
import { and, not, or, type EventContext } from '../sources/event-rules/predicate.ts';
import { byType } from '../sources/event-rules/event-predicates.ts';
import {
  crdOf,
  eventually,
  recordingLogger,
  running,
  silent,
  WebApp,
} from '../testing/fixtures.test-support.ts';

const { ConfigMap, Secret } = builtin;
const namespace = 'default';

let server: ApiServer;
let client: Client;
const managers: Manager[] = [];

beforeEach(async () => {
  server = await createApiServer({});
  client = createClient({ cluster: server.cluster });
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

function configMap(name: string, app: string, space = namespace): ObjectOf<typeof ConfigMap> {
  const metadata = { name, namespace: space, labels: { app } };
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata };
}

const secret = (name: string, space = namespace): ObjectOf<typeof Secret> => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name, namespace: space },
});

const namesOf = (objects: readonly { readonly metadata: { readonly name: string } }[]): string[] =>
  objects.map(({ metadata }) => metadata.name).toSorted();

describe('the context of a mapper and a predicate', () => {
  test('reads the watches of its controller, whatever other controllers watch', async () => {
    const manager = managerOf();
    await client.create(ConfigMap, configMap('a', 'x'));
    await client.create(ConfigMap, configMap('b', 'y'));
    manager.addController({ name: 'other', for: ConfigMap, reconcile: () => undefined });
    const seen: unknown[] = [];
    const look = ({ cache }: EventContext): true => {
      seen.push(namesOf(cache.list(ConfigMap)));
      return true;
    };
    const added = and(not(not(or((_event, context) => look(context)))));
    manager.addController({
      name: 'own',
      for: { resource: ConfigMap, labelSelector: 'app=x' },
      watches: [
        {
          resource: Secret,
          predicates: [
            (_event, context) => look(context),
            added,
            byType({ added: (_event, context) => look(context) }),
          ],
          map: ({ name }, context) => look(context) && { name },
        },
      ],
      reconcile: () => undefined,
    });
    await running(manager);
    seen.length = 0;
    await client.create(Secret, secret('s'));
    await eventually(() => seen.length === 4);
    expect(seen).toEqual([['a'], ['a'], ['a'], ['a']]);
  });

  test('names the option reads for a kind that the controller does not watch', async () => {
    const { logger, lines } = recordingLogger();
    const manager = managerOf({ logger });
    manager.addController({
      name: 'own',
      watches: [
        {
          resource: Secret,
          map: (_secret, { cache }) =>
            cache.list(ConfigMap).map(({ metadata }) => ({ name: metadata.name })),
        },
      ],
      reconcile: () => undefined,
    });
    await running(manager);
    await client.create(Secret, secret('s'));
    const failure = (): Record<string, unknown> | undefined =>
      lines.find(({ message }) => message === 'source failed');
    await eventually(() => failure() !== undefined);
    expect(failure()?.['err']).toMatchObject({
      code: 'NOT_WATCHED',
      message: expect.stringContaining('reads: [{ resource: ConfigMap }]'),
    });
  });

  test('of several clusters reads each cluster', async () => {
    await using remote = await createApiServer({});
    await using remoteClient = createClient({ cluster: remote.cluster });
    const manager = managerOf();
    manager.addCluster('b', remote.cluster);
    await client.create(ConfigMap, configMap('here', 'x'));
    await remoteClient.create(ConfigMap, configMap('there', 'x'));
    const seen: unknown[] = [];
    const controller = manager.addController({
      name: 'own',
      for: ConfigMap,
      reads: [{ resource: ConfigMap, cluster: 'b' }],
      watches: [
        {
          resource: Secret,
          cluster: 'b',
          map: (_secret, { cache, clusters }) => {
            seen.push([
              namesOf(cache.list(ConfigMap)),
              namesOf(clusters.get('b').cache.list(ConfigMap)),
            ]);
            return undefined;
          },
        },
      ],
      reconcile: () => undefined,
    });
    await running(manager);
    await remoteClient.create(Secret, secret('s'));
    await eventually(() => seen.length === 1);
    expect(seen).toEqual([[['here'], ['there']]]);
    expect(namesOf(controller.clusters.get('b').cache.list(ConfigMap))).toEqual(['there']);
    expect(() => controller.clusters.get('c')).toThrow(
      expect.objectContaining({ code: 'UNKNOWN_CLUSTER' }),
    );
  });

  test('maps an object again when a kind that the mapper reads has synced, before the first reconcile', async () => {
    const { logger, lines } = recordingLogger();
    const manager = managerOf({ logger });
    await client.create(Secret, secret('s'));
    for (const name of ['a', 'b']) await client.create(ConfigMap, configMap(name, 'x'));
    const causes: string[] = [];
    let mapped = 0;
    const stall = server.faults.stallWatches({ resource: ConfigMap });
    manager.addController({
      name: 'own',
      reads: [ConfigMap],
      watches: [
        {
          resource: Secret,
          map: (_secret, { cache }) => {
            mapped += 1;
            return cache.list(ConfigMap).map(({ metadata }) => ({ name: metadata.name }));
          },
        },
      ],
      reconcile: ({ name }, { causes: all }) => {
        const [cause] = all;
        causes.push(`${name} ${cause?.source} ${cause?.reason}`);
      },
    });
    const started = running(manager);
    await eventually(() => mapped > 0);
    expect(causes).toEqual([]);
    stall[Symbol.dispose]();
    await started;
    await eventually(() => causes.length === 2);
    expect(causes.toSorted()).toEqual(['a watch Secret initial', 'b watch Secret initial']);
    expect(lines.filter(({ message }) => message === 'source failed')).toEqual([]);
  });
});

describe('the cache of a controller outside of its reconciles', () => {
  test('serves a gauge the objects of the controller, until the stop of the controller', async () => {
    const manager = managerOf();
    for (const [name, app] of [
      ['a', 'x'],
      ['b', 'y'],
    ] as const)
      await client.create(ConfigMap, configMap(name, app));
    const controller = manager.addController({
      name: 'own',
      for: { resource: ConfigMap, labelSelector: 'app=x' },
      reconcile: () => undefined,
    });
    manager.addController({ name: 'other', for: ConfigMap, reconcile: () => undefined });
    expect(() => controller.cache.list(ConfigMap)).toThrow(
      expect.objectContaining({ code: 'NOT_WATCHED' }),
    );
    const gauge = new Gauge({
      name: 'config_maps',
      help: 'ConfigMaps of the controller.',
      registers: [manager.registry],
      collect() {
        this.set(controller.cache.list(ConfigMap).length);
      },
    });
    await running(manager);
    expect((await gauge.get()).values).toMatchObject([{ value: 1 }]);
    await controller.stop();
    expect(() => controller.cache.list(ConfigMap)).toThrow(
      expect.objectContaining({ code: 'NOT_WATCHED' }),
    );
  });

  test('reads the namespaces of the controller together', async () => {
    const manager = managerOf({ namespaces: ['default', 'team-b'] });
    await client.create(builtin.Namespace, { metadata: { name: 'team-b' } });
    await client.create(builtin.Namespace, { metadata: { name: 'team-c' } });
    for (const space of ['default', 'team-b', 'team-c'])
      await client.create(ConfigMap, configMap(`of-${space}`, 'x', space));
    const controller = manager.addController({
      name: 'own',
      for: { resource: ConfigMap, labelSelector: 'app=x' },
      reconcile: () => undefined,
    });
    await running(manager);
    expect(namesOf(controller.cache.list(ConfigMap))).toEqual(['of-default', 'of-team-b']);
    expect(namesOf(controller.cache.list(ConfigMap, { limit: 1 }))).toHaveLength(1);
    await controller.stop();
  });
});

describe('a watch that is removed', () => {
  test('drops the objects that waited for a further kind', async () => {
    const manager = managerOf();
    await client.create(Secret, secret('s'));
    let mapped = 0;
    const controller = manager.addController({
      name: 'own',
      reads: [{ resource: WebApp, required: false }],
      reconcile: () => undefined,
    });
    await running(manager);
    const watch = controller.watch({
      resource: Secret,
      map: (_secret, { cache }) => {
        mapped += 1;
        return cache.list(WebApp).map(({ metadata }) => ({ name: metadata.name }));
      },
    });
    await watch.synced;
    expect(mapped).toBeGreaterThan(0);
    await watch.remove();
    mapped = 0;
    await client.create(builtin.CustomResourceDefinition, crdOf(WebApp));
    manager.cache.served(WebApp);
    await eventually(() => {
      try {
        controller.cache.list(WebApp);
        return true;
      } catch {
        return false;
      }
    });
    expect(mapped).toBe(0);
  });
});
