import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { builtin, setControllerReference, type ObjectOf } from '@keelson/apimachinery';
import { createApiServer, type ApiServer } from '@keelson/apiserver';
import { createClient, type Client } from '@keelson/client';
import type { ReconcileContext } from '../reconcile/reconcile.ts';
import { eventually, objectOf, running, silent } from '../testing/fixtures.test-support.ts';
import { createManager } from './controller-manager.ts';
import type { ManagerOptions } from './manager-options.ts';
import type { Manager } from './manager.ts';

const { ConfigMap, Pod, Secret } = builtin;
const child = { namespace: 'default', name: 'child' };

let server: ApiServer;
let foreign: Client;
let manager: Manager | undefined;

beforeEach(async () => {
  server = await createApiServer({});
  foreign = createClient({ cluster: server.cluster });
});

afterEach(async () => {
  await manager?.stop();
  await foreign.close();
  await server.close();
});

/** The writes of the first run of a controller, and what its second run returns. */
interface Runs {
  write(context: ReconcileContext): Promise<unknown>;
  read(context: ReconcileContext): unknown;
}

/** Runs the writes of a controller and then its reads, while no watch receives an event. */
async function readAfter(runs: Runs, options: ManagerOptions = {}): Promise<unknown> {
  const results: unknown[] = [];
  let run = 0;
  const added = createManager({
    cluster: server.cluster,
    logger: silent,
    stopSignals: [],
    gracePeriod: 0,
    ...options,
  });
  manager = added;
  added.addController({
    name: 'own-writes',
    for: Secret,
    reads: [ConfigMap, Pod, { resource: ConfigMap, labelSelector: 'app=x', sharing: 'exact' }],
    async reconcile(_request, context) {
      run += 1;
      if (run === 1) {
        await runs.write(context);
        return { requeueAfter: 1 };
      }
      results.push(await runs.read(context));
      return undefined;
    },
  });
  await running(added);
  await eventually(() => server.stats.openWatches(ConfigMap) === 2);
  for (const resource of [ConfigMap, Pod]) server.faults.stallWatches({ resource });
  await foreign.create(Secret, objectOf(Secret, 'parent'));
  await eventually(() => results.length > 0);
  return results[0];
}

describe('CT47 an owner', () => {
  test('runs again if another client deletes its new child before the watch received it', async () => {
    const children: string[][] = [];
    manager = createManager({
      cluster: server.cluster,
      logger: silent,
      stopSignals: [],
      gracePeriod: 0,
    });
    manager.addController({
      name: 'parents',
      for: Secret,
      owns: [{ resource: ConfigMap, ignoreOwn: true }],
      async reconcile(name, { cache, client }) {
        const parent = cache.get(Secret, name);
        if (parent === undefined) return;
        if (children.length === 0) {
          const stall = server.faults.stallWatches({ resource: ConfigMap });
          await client.create(
            ConfigMap,
            setControllerReference({ metadata: { ...child } }, parent),
          );
          await foreign.delete(ConfigMap, child);
          children.push(cache.owned(ConfigMap, parent).map(({ metadata }) => metadata.name));
          server.faults.expireWatches({ resource: ConfigMap });
          stall.end();
        } else children.push(cache.owned(ConfigMap, parent).map(({ metadata }) => metadata.name));
      },
    });
    await running(manager);
    await foreign.create(Secret, objectOf(Secret, 'parent'));
    await eventually(() => children.length === 2);
    expect(children).toEqual([['child'], []]);
  });
});

const map = objectOf(ConfigMap, 'child', { data: { a: '1' } }) as ObjectOf<typeof ConfigMap>;
const data = ({ cache }: ReconcileContext): unknown => cache.get(ConfigMap, child)?.data;

describe('CT47 the next run of a reconcile', () => {
  test('reads what the run before created and patched', async () => {
    const patch = { type: 'merge', body: { data: { a: '2' } } } as const;
    const write = async ({ client }: ReconcileContext): Promise<void> => {
      await client.create(ConfigMap, map);
      await client.patch(ConfigMap, child, patch);
    };
    expect(await readAfter({ write, read: data })).toEqual({ a: '2' });
  });

  test('reads a generated name, an applied object and a status', async () => {
    const pod = { metadata: child, spec: { containers: [{ name: 'c', image: 'i' }] } };
    const write = async ({ client }: ReconcileContext): Promise<void> => {
      await client.create(ConfigMap, { metadata: { namespace: 'default', generateName: 'made-' } });
      await client.apply(Pod, pod);
      await client
        .status(Pod)
        .patch(child, { type: 'merge', body: { status: { phase: 'Running' } } });
    };
    const read = ({ cache }: ReconcileContext): unknown => [
      cache.list(ConfigMap).filter(({ metadata }) => metadata.name.startsWith('made-')).length,
      cache.get(Pod, child)?.status?.phase,
    ];
    expect(await readAfter({ write, read })).toEqual([1, 'Running']);
  });

  test('reads neither a deleted object nor one whose last finalizer it removed', async () => {
    const held = { ...map, metadata: { ...map.metadata, name: 'held', finalizers: ['test/hold'] } };
    await foreign.create(ConfigMap, map);
    await foreign.create(ConfigMap, held);
    const name = { ...child, name: 'held' };
    const seen: unknown[] = [];
    const write = async ({ client, cache }: ReconcileContext): Promise<void> => {
      await client.delete(ConfigMap, child);
      await client.delete(ConfigMap, name);
      seen.push(cache.get(ConfigMap, name)?.metadata.deletionTimestamp !== undefined);
      await client.patch(ConfigMap, name, {
        type: 'json',
        body: [{ op: 'remove', path: '/metadata/finalizers' }],
      });
    };
    const read = ({ cache }: ReconcileContext): unknown => [
      ...seen,
      cache.get(ConfigMap, child),
      cache.get(ConfigMap, name),
    ];
    expect(await readAfter({ write, read })).toEqual([true, undefined, undefined]);
  });

  test('reads an object that was deleted and created again, and one that left a selector', async () => {
    await foreign.create(ConfigMap, {
      ...map,
      metadata: { ...map.metadata, labels: { app: 'x' } },
    });
    const write = async ({ client }: ReconcileContext): Promise<void> => {
      await client.delete(ConfigMap, child);
      await client.create(ConfigMap, { ...map, data: { a: 'new' } });
    };
    const read = (context: ReconcileContext): unknown => [
      data(context),
      context.cache.list(ConfigMap, { labelSelector: 'app=x' }),
    ];
    expect(await readAfter({ write, read })).toEqual([{ a: 'new' }, []]);
  });

  test('does not read a dry run, nor a write of another client, nor one without the overlay', async () => {
    const write = async ({ client }: ReconcileContext): Promise<void> => {
      await client.create(ConfigMap, map, { dryRun: true });
      await foreign.create(ConfigMap, { ...map, metadata: { ...child, name: 'foreign' } });
      await client.create(ConfigMap, { ...map, metadata: { ...child, name: 'own' } });
    };
    const names = (objects: readonly { metadata: { name: string } }[]): string[] =>
      objects.map(({ metadata }) => metadata.name).filter((name) => name !== 'kube-root-ca.crt');
    const read = ({ cache }: ReconcileContext): unknown => [
      names(cache.list(ConfigMap)),
      names(cache.list(ConfigMap, { overlay: false })),
    ];
    expect(await readAfter({ write, read })).toEqual([['own'], []]);
  });

  test('reads the state of the watch if the manager has no overlay', async () => {
    const write = ({ client }: ReconcileContext): Promise<unknown> => client.create(ConfigMap, map);
    expect(await readAfter({ write, read: data }, { cache: { overlay: false } })).toBeUndefined();
  });
});
