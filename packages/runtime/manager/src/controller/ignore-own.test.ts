import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { builtin } from '@keelson/apimachinery';
import { createApiServer, type ApiServer } from '@keelson/apiserver';
import { createClient, type Client } from '@keelson/client';
import { createManager } from '../manager/controller-manager.ts';
import type { Manager } from '../manager/manager.ts';
import type { ReconcileContext } from '../reconcile/reconcile.ts';
import { eventually, objectOf, running, silent } from '../testing/fixtures.test-support.ts';

const { ConfigMap } = builtin;
const a = { namespace: 'default', name: 'a' };

let server: ApiServer;
let foreign: Client;
let manager: Manager;
let runs: string[];
/** The work of the first run of `a`. */
let work: (context: ReconcileContext) => Promise<unknown>;

beforeEach(async () => {
  server = await createApiServer({});
  foreign = createClient({ cluster: server.cluster });
  runs = [];
});

afterEach(async () => {
  await manager.stop();
  await foreign.close();
  await server.close();
});

/** A controller that works once, when `a` exists. */
async function start(ignoreOwn: boolean): Promise<void> {
  let hasWorked = false;
  const options = { cluster: server.cluster, logger: silent, stopSignals: [], gracePeriod: 0 };
  manager = createManager(options);
  manager.addController({
    name: 'own',
    for: { resource: ConfigMap, namespace: 'default', ignoreOwn },
    async reconcile({ name }, context) {
      if (name === 'a' && !hasWorked) {
        hasWorked = true;
        await work(context);
      }
      runs.push(name);
    },
  });
  await running(manager);
  await eventually(() => server.stats.openWatches(ConfigMap) === 1);
}

/** Waits until every event before this call has led to its run. */
async function barrier(name: string): Promise<void> {
  await foreign.create(ConfigMap, objectOf(ConfigMap, name));
  await eventually(() => runs.includes(name));
}

function set(client: Client, text: string): Promise<unknown> {
  return client.patch(ConfigMap, a, { type: 'merge', body: { data: { [text]: text } } });
}

/** Writes as the controller while its watch receives nothing, and counts the runs of `a`. */
async function runsAfter(writes: typeof work, ignoreOwn = true): Promise<number> {
  const written = Promise.withResolvers<void>();
  work = async (context) => {
    const stall = server.faults.stallWatches({ resource: ConfigMap });
    await writes(context);
    stall.end();
    written.resolve();
  };
  await start(ignoreOwn);
  await foreign.create(ConfigMap, objectOf(ConfigMap, 'a'));
  await written.promise;
  await barrier('mark');
  return runs.filter((name) => name === 'a').length;
}

describe('a source with ignoreOwn', () => {
  test('JO22 drops the events of own updates, which otherwise lead to a run', async () => {
    const writes = ({ client }: ReconcileContext): Promise<unknown> => set(client, 'own');
    expect(await runsAfter(writes)).toBe(1);
  });

  test('is off by default', async () => {
    expect(await runsAfter(({ client }) => set(client, 'own'), false)).toBe(2);
  });

  test('drops the event of an own creation', async () => {
    const made = objectOf(ConfigMap, 'made');
    await runsAfter(({ client }) => client.create(ConfigMap, made));
    expect(runs).not.toContain('made');
  });

  test.each([
    ['before', async (own: Client) => (await set(foreign, 'foreign'), set(own, 'own'))],
    ['after', async (own: Client) => (await set(own, 'own'), set(foreign, 'foreign'))],
    [
      'between two of them',
      async (own: Client) => {
        await set(own, 'one');
        await set(foreign, 'foreign');
        await set(own, 'two');
      },
    ],
  ])('delivers a change of another client %s', async (_, writes) => {
    expect(await runsAfter(({ client }) => writes(client))).toBe(2);
  });

  test.each([
    ['a merge patch', (own: Client) => set(own, 'own')],
    ['an apply', (own: Client) => own.apply(ConfigMap, { metadata: a, data: { applied: 'same' } })],
  ])('delivers a change of another client before %s without an effect', async (_, write) => {
    const count = await runsAfter(async ({ client }) => {
      await write(client);
      await set(foreign, 'foreign');
      await write(client);
    });
    expect(count).toBe(2);
  });

  test.each<[string, (own: Client) => Promise<unknown>]>([
    ['an apply', (own) => own.apply(ConfigMap, { metadata: a, data: { applied: 'own' } })],
    [
      'an update bound to its version',
      async (own) => {
        const object = await own.get(ConfigMap, a);
        await own.update(ConfigMap, { ...object, data: { updated: 'own' } });
      },
    ],
    [
      'a patch that removes a member',
      async (own) => {
        await set(own, 'own');
        await own.patch(ConfigMap, a, { type: 'merge', body: { data: { own: null } } });
      },
    ],
  ])('drops the events of %s', async (_, write) => {
    expect(await runsAfter(({ client }) => write(client))).toBe(1);
  });

  test('delivers an own version that a relist shows, because it may contain a change of another client', async () => {
    const writes = async ({ client }: ReconcileContext): Promise<void> => {
      await set(foreign, 'foreign');
      await set(client, 'own');
      // The watch ends without the two events, and lists again.
      expect(server.faults.expireWatches({ resource: ConfigMap })).toBe(1);
    };
    expect(await runsAfter(writes)).toBe(2);
  });

  test('CT47 delivers an own creation that another client deleted before the watch received it', async () => {
    const made = objectOf(ConfigMap, 'made');
    await runsAfter(async ({ client, cache }) => {
      await client.create(ConfigMap, made);
      expect(cache.get(ConfigMap, { ...a, name: 'made' })).toBeDefined();
      await foreign.delete(ConfigMap, { ...a, name: 'made' });
      expect(server.faults.expireWatches({ resource: ConfigMap })).toBe(1);
    });
    // The relist may have queued the barrier first.
    await eventually(() => runs.includes('made'));
    expect(runs.filter((name) => name === 'made')).toEqual(['made']);
  });

  test('delivers an own deletion', async () => {
    expect(await runsAfter(({ client }) => client.delete(ConfigMap, a))).toBe(2);
  });
});
