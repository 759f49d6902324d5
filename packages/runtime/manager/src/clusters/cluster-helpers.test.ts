import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { builtin, type ObjectOf } from '@keelson/apimachinery';
import { createApiServer, type ApiServer } from '@keelson/apiserver';
import { createClient, type Client } from '@keelson/client';
import { createManager } from '../manager/controller-manager.ts';
import type { Manager } from '../manager/manager.ts';
import type { Outcome } from '../reconcile/outcome.ts';
import type { ReconcileContext } from '../reconcile/reconcile.ts';
import { eventually, recordingLogger, running } from '../testing/fixtures.test-support.ts';

const { Deployment, EventsV1Event } = builtin;
type Deployment = ObjectOf<typeof Deployment>;

const workload = 'workload';
const web = { namespace: 'default', name: 'web' };
const finalizer = 'example.com/web';
const facts = { reason: 'Seen', action: 'See' };

let main: ApiServer;
let other: ApiServer;
let clients: { readonly main: Client; readonly other: Client };
let manager: Manager;
let lines: Record<string, unknown>[];

beforeEach(async () => {
  [main, other] = await Promise.all([createApiServer({}), createApiServer({})]);
  clients = {
    main: createClient({ cluster: main.cluster }),
    other: createClient({ cluster: other.cluster }),
  };
  const recording = recordingLogger();
  ({ lines } = recording);
  manager = createManager({
    cluster: main.cluster,
    logger: recording.logger,
    stopSignals: [],
    gracePeriod: 0,
  });
  manager.addCluster(workload, other.cluster);
});

afterEach(async () => {
  await manager.stop();
  await Promise.all([clients.main.close(), clients.other.close()]);
  await Promise.all([main.close(), other.close()]);
});

function deployment(): Deployment {
  const labels = { app: 'web' };
  const containers = [{ name: 'web', image: 'web' }];
  return {
    metadata: web,
    spec: {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers } },
    },
  };
}

/** Runs one reconcile of the Deployment of the other cluster. Resolves with its result and the number of runs. */
async function reconciled<Result>(
  act: (context: ReconcileContext) => Promise<Result>,
): Promise<{ readonly result: Result; readonly runs: () => number }> {
  const ended = Promise.withResolvers<Result>();
  let runs = 0;
  manager.addController({
    name: 'web',
    watches: [
      {
        cluster: workload,
        resource: Deployment,
        map: ({ namespace, name }) => ({ namespace, name }),
      },
    ],
    reads: [Deployment],
    async reconcile(_, context) {
      runs += 1;
      if (runs > 1) return;
      await act(context).then(ended.resolve, ended.reject);
    },
  });
  await running(manager);
  return { result: await ended.promise, runs: () => runs };
}

/** The code with which a call fails, or its result. */
async function codeOf(call: () => Promise<unknown>): Promise<unknown> {
  return call().then(
    (result) => result,
    (error: { code: string; facts: unknown }) => [error.code, error.facts],
  );
}

describe('the helpers of a further cluster', () => {
  test('write the finalizer, the status and the Event in that cluster', async () => {
    await clients.other.create(Deployment, deployment());
    const outcomes: (Outcome | void)[] = [];
    await reconciled(async ({ clusters }) => {
      const { cache, client, finalizer: finalize, patchStatus, events } = clusters.get(workload);
      const work = {
        resource: Deployment,
        finalizer,
        apply: () => undefined,
        cleanup: () => undefined,
      };
      const object = cache.get(Deployment, web)!;
      outcomes.push(await finalize({ ...work, object }));
      await patchStatus(Deployment, object, { replicas: 3 });
      events.record(object, facts);
      outcomes.push(await finalize({ ...work, object: await client.get(Deployment, web) }));
    });
    expect(outcomes).toEqual([{ requeueAfter: 1 }, undefined]);
    expect(other.object(Deployment, web)).toMatchObject({
      metadata: { finalizers: [finalizer] },
      status: { replicas: 3 },
    });
    await eventually(async () => (await clients.other.list(EventsV1Event)).items.length === 1);
    const [event] = (await clients.other.list(EventsV1Event)).items;
    expect(event).toMatchObject({ reportingController: 'web', regarding: { name: 'web' } });
    expect((await clients.main.list(EventsV1Event)).items).toEqual([]);
  });

  test('end with the signal of the run', async () => {
    await clients.other.create(Deployment, deployment());
    const { result } = await reconciled(async ({ clusters, signal }) => {
      const { cache, patchStatus } = clusters.get(workload);
      const object = cache.get(Deployment, web)!;
      other.faults.hang({ resource: Deployment, verb: 'patch' });
      const patched = patchStatus(Deployment, object, { replicas: 3 });
      setImmediate(() => void manager.stop());
      return [await codeOf(() => patched), signal.aborted];
    });
    expect(result).toEqual([['STOPPING', { controller: 'web' }], true]);
  });

  test.each(['the cache', 'a copy from the cache', 'the client', 'a list', 'an iterated list'])(
    'refuse an object of another cluster from %s',
    async (source) => {
      await clients.other.create(Deployment, deployment());
      // The same name in both clusters, so that a write of the wrong object would succeed.
      await clients.main.create(Deployment, deployment());
      const read = async ({ cache, client }: Pick<ReconcileContext, 'cache' | 'client'>) => {
        switch (source) {
          case 'the cache':
            return cache.get(Deployment, web)!;
          case 'a copy from the cache':
            return structuredClone(cache.get(Deployment, web)!);
          case 'the client':
            return client.get(Deployment, web);
          case 'a list':
            return (await client.list(Deployment)).items[0]!;
          default:
            return (await client.items(Deployment).next()).value!;
        }
      };
      const { result } = await reconciled(async (context) => {
        const access = context.clusters.get(workload);
        const [there, here] = [await read(access), await read(context)];
        const work = {
          resource: Deployment,
          finalizer,
          apply: () => undefined,
          cleanup: () => undefined,
        };
        context.events.record(there, facts);
        access.events.record(here, facts);
        return Promise.all([
          codeOf(() => context.finalizer({ ...work, object: there })),
          codeOf(() => context.patchStatus(Deployment, there, { replicas: 3 })),
          codeOf(() => access.finalizer({ ...work, object: here })),
          codeOf(() => access.patchStatus(Deployment, here, { replicas: 3 })),
          codeOf(() => context.applyAll([], { owner: there })),
          codeOf(() => access.applyAll([], { owner: here })),
        ]);
      });
      const refused = (helper: string, of: string, use: string): unknown => [
        'OTHER_CLUSTER',
        { helper, kind: 'Deployment', ...web, cluster: of, use },
      ];
      expect(result).toEqual([
        refused('finalizer', workload, 'clusters.get("workload").finalizer'),
        refused('patchStatus', workload, 'clusters.get("workload").patchStatus'),
        refused('finalizer', 'main', 'context.finalizer'),
        refused('patchStatus', 'main', 'context.patchStatus'),
        refused('applyAll', workload, 'clusters.get("workload").applyAll'),
        refused('applyAll', 'main', 'context.applyAll'),
      ]);
      const dropped = lines.filter(({ message }) => message === 'event is not recorded');
      expect(dropped).toMatchObject([
        { err: { code: 'OTHER_CLUSTER' } },
        { err: { code: 'OTHER_CLUSTER' }, cluster: workload },
      ]);
      for (const server of [main, other]) {
        expect(server.stats.requests({ resource: Deployment, verb: 'patch' })).toBe(0);
        expect(server.stats.requests({ resource: EventsV1Event, verb: 'create' })).toBe(0);
      }
    },
  );
});

describe('the helper `finalizer`', () => {
  test('requests no further run of an object that the server does not have', async () => {
    await clients.other.create(Deployment, deployment());
    const { result, runs } = await reconciled(async ({ clusters }) => {
      const { cache, finalizer: finalize } = clusters.get(workload);
      const object = cache.get(Deployment, web)!;
      const applied: string[] = [];
      await clients.other.delete(Deployment, web);
      const work = { resource: Deployment, finalizer, apply: () => void applied.push('apply') };
      return [await finalize({ ...work, object, cleanup: () => undefined }), applied];
    });
    expect(result).toEqual([undefined, []]);
    expect(runs()).toBeLessThanOrEqual(2);
  });
});
