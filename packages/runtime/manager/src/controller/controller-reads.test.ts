import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { builtin, type ObjectOf } from '@keelson/apimachinery';
import { createApiServer, type ApiServer } from '@keelson/apiserver';
import { createClient, type Client } from '@keelson/client';
import type { ObjectView } from '@keelson/informer';
import { createManager } from '../manager/controller-manager.ts';
import { eventually, running, silent, toSelf } from '../testing/fixtures.test-support.ts';
import type { Manager } from '../manager/manager.ts';
import type { ReconcileContext } from '../reconcile/reconcile.ts';

const { ConfigMap, Secret } = builtin;
const namespace = 'default';

let server: ApiServer;
let client: Client;
let manager: Manager;

beforeEach(async () => {
  server = await createApiServer({});
  client = createClient({ cluster: server.cluster });
  manager = createManager({
    cluster: server.cluster,
    logger: silent,
    stopSignals: [],
    gracePeriod: 0,
  });
  await client.create(ConfigMap, configMap('a', 'x'));
  await client.create(ConfigMap, configMap('b', 'y'));
  await client.create(Secret, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 's', namespace, labels: { of: 'a' } },
  });
});

afterEach(async () => {
  await manager.stop();
  await client.close();
  await server.close();
});

function configMap(name: string, app: string): ObjectOf<typeof ConfigMap> {
  const metadata = { name, namespace, labels: { app } };
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata };
}

/** The cache of a run of the controller. */
function cacheGate(): {
  readonly reconcile: (request: object, context: ReconcileContext) => void;
  readonly cache: Promise<ReconcileContext['cache']>;
} {
  const { promise, resolve } = Promise.withResolvers<ReconcileContext['cache']>();
  return { reconcile: (_request, { cache }) => resolve(cache), cache: promise };
}

describe('the cache of a controller', () => {
  test('reads its own watches, independent of the selectors of another controller', async () => {
    const [first, second] = [cacheGate(), cacheGate()];
    const add = (name: string, app: string, { reconcile }: typeof first): void => {
      manager.addController({
        name,
        for: { resource: ConfigMap, labelSelector: `app=${app}` },
        reconcile,
      });
    };
    add('first', 'x', first);
    add('second', 'y', second);
    await running(manager);
    const [one, other] = [await first.cache, await second.cache];
    expect(one.list(ConfigMap)).toMatchObject([{ metadata: { name: 'a' } }]);
    expect(one.get(ConfigMap, { namespace, name: 'b' })).toBeUndefined();
    expect(other.list(ConfigMap)).toMatchObject([{ metadata: { name: 'b' } }]);
    expect(() => manager.cache.list(ConfigMap)).toThrow(
      expect.objectContaining({ code: 'NOT_WATCHED' }),
    );
  });

  test('reads the kinds of `reads`, whose events lead to no requests', async () => {
    const seen: string[] = [];
    const { reconcile, cache } = cacheGate();
    manager.addController({
      name: 'reader',
      for: { resource: ConfigMap, labelSelector: 'app=x' },
      reads: [
        {
          resource: Secret,
          namespace,
          indexers: [{ name: 'of', head: ({ metadata }) => [metadata.labels?.['of'] ?? ''] }],
        },
      ],
      reconcile(request, context) {
        seen.push(request.name);
        reconcile(request, context);
      },
    });
    await running(manager);
    const own = await cache;
    const index = { name: 'of', value: 'a' };
    expect(own.list(Secret, { index })).toMatchObject([{ metadata: { name: 's' } }]);
    const changed = { metadata: { labels: { of: 'b' } } };
    await client.patch(Secret, { namespace, name: 's' }, { type: 'merge', body: changed });
    await eventually(() => own.list(Secret, { index: { name: 'of', value: 'b' } }).length === 1);
    expect(seen).toEqual(['a']);
    expect(() => own.list(Secret, { namespace: 'other' })).toThrow(
      expect.objectContaining({ code: 'NOT_WATCHED' }),
    );
  });

  test('reads the metadata of sources that keep nothing else', async () => {
    const { reconcile, cache } = cacheGate();
    const seen = new Set<string>();
    const note = ({ object }: { readonly object: ObjectView }): boolean => {
      seen.add(Object.keys(object.value()).toSorted().join(' '));
      return true;
    };
    const retain = 'metadata';
    manager.addController({
      name: 'heads',
      for: { resource: ConfigMap, retain, predicates: [note] },
      owns: [{ resource: builtin.Service, retain, predicates: [note] }],
      watches: [{ resource: Secret, retain, predicates: [note], map: toSelf }],
      reads: [{ resource: builtin.Pod, retain }],
      reconcile,
    });
    await running(manager);
    const own = await cache;
    const projection = 'metadata';
    expect(own.list(Secret, { projection })).toMatchObject([{ metadata: { name: 's' } }]);
    expect([...seen]).toEqual(['apiVersion kind metadata']);
    const kept = manager.cache.inventory().map(({ query }) => query.projection);
    expect(kept).toEqual([projection, projection, projection, projection]);
    for (const resource of [ConfigMap, Secret, builtin.Service, builtin.Pod]) {
      expect(own.list(resource, { projection }).length).toBeLessThan(3);
      expect(() => own.list(resource)).toThrow(expect.objectContaining({ code: 'NOT_WATCHED' }));
    }
  });

  test('throws an error that names the watch to declare for a kind without watch', async () => {
    const { reconcile, cache } = cacheGate();
    const witness = { owner: 'a witness' };
    using held = manager.cache.acquire({ resource: Secret }, witness);
    manager.addController({ name: 'reader', for: ConfigMap, reconcile });
    await running(manager);
    await held.synced;
    const own = await cache;
    expect(() => own.get(Secret, { namespace, name: 's' })).toThrow(
      expect.objectContaining({
        code: 'NOT_WATCHED',
        facts: expect.objectContaining({
          declare: 'reads: [{ resource: Secret, namespace: "default" }]',
        }),
      }),
    );
  });

  test('RC13 reads a watch that was added at run time until its removal', async () => {
    const { reconcile, cache } = cacheGate();
    const controller = manager.addController({ name: 'dynamic', for: ConfigMap, reconcile });
    await running(manager);
    const own = await cache;
    const watch = controller.watch({ resource: Secret, map: toSelf });
    await watch.synced;
    expect(own.list(Secret)).toHaveLength(1);
    await watch.remove();
    expect(() => own.list(Secret)).toThrow(expect.objectContaining({ code: 'NOT_WATCHED' }));
    expect(own.list(ConfigMap)).toHaveLength(2);
  });

  test.each([
    [{ reads: Secret }, 'addController.reads'],
    [{ reads: [undefined] }, 'addController.reads[0].resource'],
    [{ reads: [{ resource: Secret, predicates: [] }] }, 'predicates'],
    [{ reads: [{ resource: Secret, map: toSelf }] }, 'map'],
  ])('rejects %j and names the invalid option', (options, name) => {
    const add = (): unknown =>
      manager.addController({ name: 'wrong', reconcile: () => undefined, ...(options as object) });
    expect(add).toThrow(expect.objectContaining({ code: 'INVALID_OPTION' }));
    expect(add).toThrow(name);
  });
});
