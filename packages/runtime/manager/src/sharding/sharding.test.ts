import { hostname } from 'node:os';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { builtin } from '@keelson/apimachinery';
import { createApiServer, type ApiServer } from '@keelson/apiserver';
import { createClient, type Client } from '@keelson/client';
import type { ControllerDefaults } from '../controller/controller-options.ts';
import { createManager } from '../manager/controller-manager.ts';
import type { ManagerOptions } from '../manager/manager-options.ts';
import type { Manager } from '../manager/manager.ts';
import type { Reconcile } from '../reconcile/reconcile.ts';
import type { Request } from '../reconcile/request.ts';
import {
  eventually,
  gate,
  nothing,
  objectOf,
  silent,
  sumOf,
  valueOf,
} from '../testing/fixtures.test-support.ts';
import { SHARDING_LABEL } from './shard-record.ts';
import { ringOf } from './ring.ts';
import { slotOf, SLOTS } from './slots.ts';

const { ConfigMap, Lease } = builtin;
const namespace = 'default';
const names = Array.from({ length: 40 }, (_, at) => `object-${at}`);
/** Replicas that never renew during a test, so that only the events of the test matter. */
const longest = { leaseDuration: '3600s', renewDeadline: '3000s', retryPeriod: '2000s' } as const;

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

function replica(options: ManagerOptions = {}): Manager {
  const manager = createManager({
    cluster: server.cluster,
    logger: silent,
    stopSignals: [],
    gracePeriod: '20s',
    sharding: { name: 'web', by: 'name', namespace, ...longest },
    ...options,
  });
  managers.push(manager);
  return manager;
}

interface Run {
  readonly by: string;
  readonly name: string;
  readonly causes: string;
  readonly exists: boolean;
  readonly attempt: number;
}

/** A replica whose controller of ConfigMaps records its runs. */
async function recorded(
  by: string,
  runs: Run[],
  reconcile: Reconcile<Request> = nothing,
  options: ControllerDefaults = {},
): Promise<Manager> {
  const manager = replica();
  manager.addController({
    name: 'recorder',
    for: { resource: ConfigMap, namespace, fieldSelector: 'metadata.name!=kube-root-ca.crt' },
    ...options,
    reconcile: async (request, context) => {
      const { name } = request;
      const causes = context.causes.map(({ reason }) => reason).join();
      const exists = context.cache.get(ConfigMap, request) !== undefined;
      runs.push({ by, name, causes, exists, attempt: context.attempt });
      return reconcile(request, context);
    },
  });
  manager.start().catch(nothing);
  await manager.started;
  return manager;
}

async function createObjects(): Promise<void> {
  for (const name of names) await client.create(ConfigMap, objectOf(ConfigMap, name));
}

const owned = async (manager: Manager): Promise<number> =>
  (await valueOf(manager, 'keelson_shard_slots_owned')) ?? -1;

async function leases(): Promise<string[]> {
  const { items } = await client.list(Lease, { namespace, labelSelector: `${SHARDING_LABEL}=web` });
  return items.map(({ metadata }) => metadata.name);
}

/** The names of the objects whose requests the ring gives to the replica with this Lease. */
function namesOf(lease: string, ring: readonly string[]): string[] {
  const { owners } = ringOf(ring);
  return names.filter((name) => owners[slotOf(`${namespace}/${name}`)] === lease);
}

/** The codes of what keeps a request from running in a replica. */
function codesOf(manager: Manager, name: string): string[] {
  return manager.explain('recorder', { namespace, name }).obstacles.map(({ code }) => code);
}

const depthOf = async (manager: Manager): Promise<number> =>
  (await valueOf(manager, 'workqueue_depth', { controller: 'recorder' })) ?? 0;

/** The names of the objects whose slots a replica has claimed, while another one drains them. */
function movingTo(manager: Manager): string[] {
  return names.filter((name) => codesOf(manager, name).includes('hand-over'));
}

function isGone(manager: Manager, name: string): boolean {
  return manager.cache.get(ConfigMap, { namespace, name }) === undefined;
}

/** The runs without an object, by name. */
function deletions(runs: readonly Run[]): Run[] {
  return runs
    .filter(({ exists }) => !exists)
    .toSorted((a, b) => a.name.localeCompare(b.name, 'en'));
}

/** Starts a replica in which each object has a run that ends when the gate opens. */
async function startHeld(): Promise<{
  runs: Run[];
  hold: ReturnType<typeof gate>;
  one: Manager;
}> {
  await createObjects();
  const runs: Run[] = [];
  const hold = gate();
  const one = await recorded('one', runs, () => hold.opened, { concurrency: names.length });
  await eventually(() => runs.length === names.length);
  return { runs, hold, one };
}

/** Resolves when one replica has run the request of each of these deleted objects, and no other replica has. */
async function expectDeletions(
  runs: readonly Run[],
  owner: string,
  objects: readonly string[],
): Promise<void> {
  await eventually(() => deletions(runs).length === objects.length);
  expect(deletions(runs).map(({ name }) => name)).toEqual(objects.toSorted());
  expect(deletions(runs).every(({ by, causes }) => by === owner && causes === 'deleted')).toBe(
    true,
  );
}

describe('a manager with sharding', () => {
  test('runs each request in one replica, and moves it without a run that misses its object', async () => {
    await createObjects();
    const runs: Run[] = [];
    const one = await recorded('one', runs);
    await eventually(() => runs.length === names.length);
    expect(new Set(runs.map(({ causes }) => causes))).toEqual(new Set(['shard']));
    const [first] = await leases();
    const two = await recorded('two', runs);
    const ring = await leases();
    const ofTwo = namesOf(ring.find((name) => name !== first) ?? '', ring);
    await eventually(() => runs.length === names.length + ofTwo.length);
    expect(
      runs
        .slice(names.length)
        .map(({ name }) => name)
        .toSorted(),
    ).toEqual(ofTwo.toSorted());
    expect(runs.slice(names.length).every(({ by }) => by === 'two')).toBe(true);
    for (const name of names) {
      const { obstacles } = one.explain('recorder', { namespace, name });
      const codes = obstacles.map(({ code }) => code);
      expect(codes).toEqual([ofTwo.includes(name) ? 'other-shard' : 'settled']);
      const identity = ofTwo.includes(name) ? hostname() : '';
      expect(obstacles[0]?.text).toContain(identity);
    }
    runs.length = 0;
    for (const name of names) {
      const body = { data: { changed: 'true' } };
      await client.patch(ConfigMap, { namespace, name }, { type: 'merge', body });
    }
    await eventually(() => runs.length >= names.length);
    for (const { by, name } of runs) expect(by === 'two').toBe(ofTwo.includes(name));
    for (const name of names) {
      const { dropped } = one.explain('recorder', { namespace, name });
      const reasons = dropped.map(({ reason }) => reason);
      expect(reasons).toEqual(ofTwo.includes(name) ? ['other-shard'] : []);
    }
    runs.length = 0;
    server.stats.reset();
    await one.stop();
    const rest = names.filter((name) => !ofTwo.includes(name));
    await eventually(() => runs.length >= rest.length);
    expect(runs.map(({ name }) => name).toSorted()).toEqual(rest.toSorted());
    expect(runs.every(({ by, exists }) => by === 'two' && exists)).toBe(true);
    expect(server.stats.requests({ resource: ConfigMap })).toBe(0);
    expect(await leases()).toHaveLength(1);
    expect(await owned(two)).toBe(SLOTS);
    expect(await sumOf(two, 'keelson_shard_handover_seconds')).toBeGreaterThan(0);
    expect(await valueOf(two, 'keelson_shard_slots_unowned')).toBe(0);
    await two.stop();
    expect(await leases()).toEqual([]);
  });

  test('starts a moved request only after its run in the former replica has ended', async () => {
    await createObjects();
    const runs: Run[] = [];
    const hold = gate();
    await recorded('one', runs, () => hold.opened, { concurrency: names.length });
    await eventually(() => runs.length === names.length);
    const two = await recorded('two', runs);
    // The slots without runs have moved, the others wait.
    await eventually(async () => (await owned(two)) > SLOTS / 4);
    const wanted = await valueOf(two, 'keelson_shard_slots_wanted');
    expect(await owned(two)).toBeLessThan(wanted ?? 0);
    expect(runs).toHaveLength(names.length);
    hold.open();
    await eventually(async () => (await owned(two)) === wanted);
    await eventually(() => runs.some(({ by }) => by === 'two'));
  });

  test('explains which events were dropped because their slots moved', async () => {
    await createObjects();
    const hold = gate();
    const one = await recorded('one', [], () => hold.opened);
    await eventually(() => one.explain()[0]?.running === 1);
    for (const name of names) {
      const body = { data: { changed: 'true' } };
      await client.patch(ConfigMap, { namespace, name }, { type: 'merge', body });
    }
    const decisions = (): (string | undefined)[] =>
      names.map((name) => {
        const { events } = one.explain('recorder', { namespace, name });
        return events[0]?.purgedFor ?? events[0]?.decision;
      });
    await eventually(() => decisions().every((decision) => decision === 'waiting'));
    await recorded('two', []);
    await eventually(() => decisions().includes('other-shard'));
    expect(new Set(decisions())).toEqual(new Set(['waiting', 'other-shard']));
    hold.open();
  });

  test('starts the daemons of a moved request only after those in the former replica have ended', async () => {
    await createObjects();
    /** The replicas in which a daemon of each object runs, and those in which one has begun. */
    const current = new Map(names.map((name) => [name, new Set<string>()]));
    const overlaps: string[] = [];
    const begun: string[] = [];
    const end = gate();
    const daemon =
      (by: string): Reconcile<Request> =>
      ({ name }, { daemons }) =>
        daemons.run('pump', async ({ signal }) => {
          const replicas = current.get(name);
          begun.push(by);
          replicas?.add(by);
          if (replicas?.size !== 1) overlaps.push(name);
          await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
          await end.opened;
          replicas?.delete(by);
        });
    const one = await recorded('one', [], daemon('one'));
    await eventually(() => begun.length === names.length);
    const two = await recorded('two', [], daemon('two'));
    // The slots without daemons have moved, the others wait.
    await eventually(async () => (await owned(two)) > SLOTS / 4);
    const wanted = await valueOf(two, 'keelson_shard_slots_wanted');
    expect(await owned(two)).toBeLessThan(wanted ?? 0);
    expect(begun).not.toContain('two');
    end.open();
    await eventually(async () => (await owned(two)) === wanted);
    await eventually(() => begun.includes('two'));
    await one.stop();
    await eventually(() => [...current.values()].every((replicas) => replicas.has('two')));
    expect(overlaps).toEqual([]);
  });

  test('forgets the failures and the requeueAfter of a request that moves', async () => {
    await createObjects();
    const runs: Run[] = [];
    const fails: Reconcile<Request> = ({ name }) => {
      if (name.endsWith('1')) throw new Error('failed');
      return { requeueAfter: '1h' };
    };
    const one = await recorded('one', runs, fails, { backoff: { base: '1h', max: '1h' } });
    await eventually(() => runs.length === names.length);
    const two = await recorded('two', runs);
    const moved = (): string[] => runs.filter(({ by }) => by === 'two').map(({ name }) => name);
    await eventually(async () => (await owned(one)) + (await owned(two)) === SLOTS);
    await eventually(() => moved().length > 0);
    await two.stop();
    await eventually(async () => (await owned(one)) === SLOTS);
    const again = (): string[] =>
      runs
        .slice(names.length)
        .filter(({ by }) => by === 'one')
        .map(({ name }) => name);
    await eventually(() => moved().every((name) => again().includes(name)));
    expect(runs.every(({ attempt }) => attempt === 1)).toBe(true);
  });

  test('the new owner runs the request of an object that was deleted while its slot moved', async () => {
    const { runs, hold, one } = await startHeld();
    const two = await recorded('two', runs);
    await eventually(async () => (await owned(two)) > SLOTS / 4);
    for (const name of names) await client.delete(ConfigMap, { namespace, name });
    const fieldSelector = 'metadata.name!=kube-root-ca.crt';
    await eventually(() => two.cache.list(ConfigMap, { namespace, fieldSelector }).length === 0);
    hold.open();
    await eventually(async () => (await owned(one)) + (await owned(two)) === SLOTS);
    await eventually(() => runs.some(({ by }) => by === 'two'));
    const ofTwo = runs.filter(({ by }) => by === 'two');
    expect(ofTwo.every(({ causes, exists }) => causes === 'deleted' && !exists)).toBe(true);
  });

  test('the former owner runs the request of an object that was deleted while its slot drained, if the slot returns', async () => {
    const { runs, hold, one } = await startHeld();
    const two = await recorded('two', runs);
    await eventually(async () => (await owned(two)) > SLOTS / 4);
    const moving = movingTo(two);
    expect(moving.length).toBeGreaterThan(0);
    for (const name of moving) await client.delete(ConfigMap, { namespace, name });
    await eventually(() => moving.every((name) => isGone(one, name) && isGone(two, name)));
    await two.stop();
    await eventually(async () => (await owned(one)) === SLOTS);
    // The former runs have not ended.
    expect(runs).toHaveLength(names.length);
    hold.open();
    await expectDeletions(runs, 'one', moving);
  });

  test('the third owner runs the request of an object that was deleted while its slot moved to the second one', async () => {
    const { runs, hold, one } = await startHeld();
    const two = await recorded('two', runs);
    const three = await recorded('three', runs);
    await eventually(async () => (await owned(three)) > 0);
    const stopped = one.stop();
    await eventually(() => movingTo(two).length + movingTo(three).length === names.length);
    const moving = movingTo(two);
    expect(moving.length).toBeGreaterThan(0);
    for (const name of moving) await client.delete(ConfigMap, { namespace, name });
    await eventually(() => moving.every((name) => isGone(two, name) && isGone(three, name)));
    await two.stop();
    await eventually(() => movingTo(three).length === names.length);
    expect(deletions(runs)).toEqual([]);
    hold.open();
    await stopped;
    await expectDeletions(runs, 'three', moving);
  });

  test('drops the requests of deleted objects once one other replica has their slots', async () => {
    const { runs, hold, one } = await startHeld();
    const two = await recorded('two', runs);
    await eventually(async () => (await owned(two)) > SLOTS / 4);
    const moving = movingTo(two);
    for (const name of moving) await client.delete(ConfigMap, { namespace, name });
    await eventually(() => moving.every((name) => isGone(one, name)));
    await eventually(async () => (await depthOf(one)) === moving.length);
    hold.open();
    await eventually(() => deletions(runs).length === moving.length);
    await eventually(async () => (await depthOf(one)) === 0);
    expect(deletions(runs).every(({ by }) => by === 'two')).toBe(true);
  });

  test('refuses the writes of its controllers and ends when its Lease is gone', async () => {
    const manager = replica({
      sharding: {
        name: 'web',
        by: 'name',
        namespace,
        leaseDuration: '3s',
        renewDeadline: '2s',
        retryPeriod: '50ms',
      },
    });
    let write: (() => Promise<unknown>) | undefined;
    manager.addController({
      name: 'writer',
      for: { resource: ConfigMap, namespace },
      reconcile: (_request, context) => {
        write = () => context.client.create(ConfigMap, objectOf(ConfigMap, 'written'));
      },
    });
    await createObjects();
    const ended = manager.start();
    ended.catch(nothing);
    await eventually(() => write !== undefined);
    for (const name of await leases()) await client.delete(Lease, { namespace, name });
    await expect(ended).rejects.toMatchObject({ code: 'SHARDS_LOST' });
    await expect(write?.()).rejects.toMatchObject({ code: 'SHARDS_LOST' });
  });

  test('takes over the slots of a replica whose Lease has expired, and deletes the Lease', async () => {
    await createObjects();
    const seconds = { leaseDuration: '1s', renewDeadline: '900ms', retryPeriod: '100ms' } as const;
    const stale = objectOf(Lease, 'web-killed');
    await client.create(Lease, {
      ...stale,
      metadata: { ...stale.metadata, namespace, labels: { [SHARDING_LABEL]: 'web' } },
      spec: { holderIdentity: 'killed', leaseDurationSeconds: 1 },
    });
    const manager = replica({ sharding: { name: 'web', by: 'name', namespace, ...seconds } });
    manager.start().catch(nothing);
    await eventually(async () => (await owned(manager)) === SLOTS);
    await eventually(async () => (await leases()).length === 1);
  });

  test('a singleton runs in the leader alone, and the others in every replica', async () => {
    await createObjects();
    const runs: string[] = [];
    const both = ['one', 'two'].map((by) => {
      const manager = replica({
        leaderElection: { lease: 'leader', namespace, identity: by, ...longest },
      });
      for (const singleton of [true, false]) {
        manager.addController({
          name: singleton ? 'singleton' : 'sharded',
          for: { resource: ConfigMap, namespace },
          singleton,
          reconcile: () => void runs.push(`${by} ${singleton ? 'singleton' : 'sharded'}`),
        });
      }
      manager.start().catch(nothing);
      return manager;
    });
    await eventually(() => both.some(({ isLeader }) => isLeader));
    await eventually(async () => {
      const counts = await Promise.all(both.map(owned));
      return (
        counts.every((count) => count > 0) &&
        counts.reduce((sum, count) => sum + count, 0) === SLOTS
      );
    });
    await eventually(() => new Set(runs).size === 3);
    const leader = both[0]?.isLeader === true ? 'one' : 'two';
    expect(new Set(runs)).toEqual(new Set(['one sharded', 'two sharded', `${leader} singleton`]));
  });

  test.each([
    [{ name: 'Web' }, 'name'],
    [{ by: 'labels' }, 'by'],
    [{ by: undefined }, 'by'],
    [{ namespace: 'a.b' }, 'namespace'],
    [{ leaseDuration: '10s' }, 'renewDeadline'],
    [{ mode: 'none' }, 'mode'],
    [{ mode: 'server' }, 'by'],
    [{ replicas: 3 }, 'replicas'],
  ])('refuses the options %j, and names %s', (options, option) => {
    const sharding = { name: 'web', by: 'name', namespace, ...options } as never;
    expect(() => createManager({ cluster: server.cluster, sharding })).toThrow(
      expect.objectContaining({
        code: 'INVALID_OPTION',
        message: expect.stringContaining(`createManager.sharding.${option}`) as unknown,
      }),
    );
  });

  test.each([
    [{ singleton: true }, 'singleton'],
    [{ singleton: 1 }, 'singleton'],
    [{ singleton: true, phase: 'always' }, 'singleton'],
    [{ readiness: 'reconciled' }, 'readiness'],
  ])('refuses a controller with %j', (options, option) => {
    const add = () =>
      replica().addController({
        name: 'a',
        for: ConfigMap,
        reconcile: nothing,
        ...options,
      } as never);
    expect(add).toThrow(
      expect.objectContaining({
        code: 'INVALID_OPTION',
        message: expect.stringContaining(`addController.${option}`) as unknown,
      }),
    );
  });

  test('start rejects if no namespace of the Leases is known', async () => {
    const manager = replica({ sharding: { name: 'web', by: 'name' } });
    await expect(manager.start()).rejects.toMatchObject({ code: 'INVALID_OPTION' });
  });
});
