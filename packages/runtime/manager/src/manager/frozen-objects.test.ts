import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { builtin, type ObjectOf, type Persisted } from '@keelson/apimachinery';
import { createApiServer, type ApiServer } from '@keelson/apiserver';
import { createClient, type Client } from '@keelson/client';
import { defineIndex } from '@keelson/informer';
import { createManager } from './controller-manager.ts';
import type { Manager } from './manager.ts';
import type { ManagerOptions } from './manager-options.ts';
import {
  eventually,
  recordingLogger,
  running,
  silent,
  toSelf,
} from '../testing/fixtures.test-support.ts';

const { ConfigMap } = builtin;
type ConfigMap = ObjectOf<typeof ConfigMap>;

const name = { namespace: 'default', name: 'a' };
const byColor = defineIndex(ConfigMap, 'color', ({ data }) => [data?.['color'] ?? '']);
const markAll = {
  name: 'marked',
  apply: (object: ConfigMap): ConfigMap => Object.freeze({ ...object, data: { marked: 'yes' } }),
};

let server: ApiServer;
let client: Client;
let manager: Manager;

beforeEach(async () => {
  server = await createApiServer({});
  client = createClient({ cluster: server.cluster });
  const metadata = { ...name, labels: { a: 'b' }, annotations: { a: 'b' } };
  await client.create(ConfigMap, { metadata, data: { color: 'red' } });
});

afterEach(async () => {
  await manager.stop();
  await client.close();
  await server.close();
});

/** Starts a manager on the cluster of a test. */
async function managerOn(development: boolean, options: ManagerOptions = {}): Promise<Manager> {
  const cluster = { ...server.cluster, development };
  manager = createManager({ cluster, logger: silent, stopSignals: [], gracePeriod: 0, ...options });
  return manager;
}

/** The objects that a controller receives in each way, and that the cache returns in each form. */
async function received(): Promise<Record<string, unknown>> {
  const objects: Record<string, unknown> = {};
  const indexers = [byColor];
  manager.addController({
    name: 'a',
    watches: [
      {
        resource: ConfigMap,
        indexers,
        predicates: [
          (event) => {
            if (event.type === 'updated') objects['previous'] = event.previous.value();
            return event.object.name === 'a';
          },
        ],
        map: (view) => {
          objects['view'] = view.value();
          objects['metadata of a view'] = view.metadata;
          return toSelf(view);
        },
      },
    ],
    reconcile: () => undefined,
  });
  manager.addController({
    name: 'transformed',
    watches: [{ resource: ConfigMap, transform: markAll, map: toSelf }],
    reconcile: (_request, { cache }) => {
      objects['transformed'] = cache.list(ConfigMap, { transform: 'marked' }).find(isA);
    },
  });
  await running(manager);
  await client.patch(ConfigMap, name, { type: 'merge', body: { data: { size: '1' } } });
  await eventually(() => 'previous' in objects && 'transformed' in objects);
  const { cache } = manager;
  objects['get'] = cache.get(ConfigMap, name);
  objects['list'] = cache.list(ConfigMap).find(isA);
  objects['listAsync'] = (await cache.listAsync(ConfigMap)).find(isA);
  objects['by an index'] = cache.by(byColor, 'red')[0];
  objects['metadata'] = cache.get(ConfigMap, name, { projection: 'metadata' });
  const handle = cache.acquire({ resource: ConfigMap }, { owner: 'test' });
  for await (const event of handle.events()) {
    if (event.type === 'initialDone') break;
    if (event.object.name === 'a') objects['an event of a handle'] = event.object.value();
  }
  handle.release();
  const own = await manager.client.create(ConfigMap, { metadata: { ...name, name: 'own' } });
  objects['an own write'] = cache.get(ConfigMap, { ...name, name: 'own' });
  expect(Object.isFrozen(own)).toBe(false);
  return objects;
}

const isA = ({
  metadata,
}: Pick<Persisted<ConfigMap>, 'metadata'> | { metadata: { name: string } }): boolean =>
  metadata.name === 'a';

/** True if no part of a value can be changed, false if each can be. */
function isFrozen(value: unknown): boolean {
  const parts: boolean[] = [];
  const visit = (part: unknown): void => {
    if (typeof part !== 'object' || part === null) return;
    parts.push(Object.isFrozen(part));
    for (const member of Object.values(part)) visit(member);
  };
  visit(value);
  return parts.length > 1 && parts.every(Boolean);
}

describe('the objects of the cache', () => {
  test('are frozen at every level on a cluster of development, however they are received', async () => {
    await managerOn(true);
    const objects = await received();
    const writable = Object.keys(objects).filter((way) => !isFrozen(objects[way]));
    expect(writable).toEqual([]);
    expect(Object.keys(objects)).toHaveLength(11);
  });

  test('are not frozen on another cluster', async () => {
    await managerOn(false);
    const { get } = await received();
    expect(Object.isFrozen(get)).toBe(false);
  });

  test.each([true, false])('are frozen as the option says: %s', async (freeze) => {
    await managerOn(!freeze, { cache: { freeze } });
    const { get } = await received();
    expect(isFrozen(get)).toBe(freeze);
  });

  test('of a further cluster are frozen as that cluster says', async () => {
    await managerOn(false);
    const cluster = manager.addCluster('workload', async () => ({
      ...server.cluster,
      development: true,
    }));
    const controller = manager.addController({
      name: 'a',
      reads: [{ cluster: 'workload', resource: ConfigMap }, ConfigMap],
      for: builtin.Secret,
      reconcile: () => undefined,
    });
    await running(manager);
    await controller.synced;
    expect(isFrozen(cluster.cache.get(ConfigMap, name))).toBe(true);
    expect(Object.isFrozen(manager.cache.get(ConfigMap, name))).toBe(false);
  });
});

describe('a reconcile that changes an object of the cache', () => {
  test('fails at that place, and the log names the request and the cure', async () => {
    const { logger, lines } = recordingLogger();
    await managerOn(true, { logger });
    manager.addController({
      name: 'a',
      for: { resource: ConfigMap, fieldSelector: 'metadata.name=a' },
      maxAttempts: 1,
      reconcile: (request, { cache }) => {
        const object = cache.get(ConfigMap, request) as ConfigMap;
        object.data!['color'] = 'blue';
      },
    });
    await running(manager);
    const failed = (): unknown => lines.find(({ message }) => message === 'reconcile failed');
    await eventually(() => failed() !== undefined);
    expect(failed()).toMatchObject({
      controller: 'a',
      ...name,
      err: { name: 'TypeError', stack: expect.stringContaining('frozen-objects.test') },
      cure: expect.stringContaining('mutableCopy'),
    });
  });
});
