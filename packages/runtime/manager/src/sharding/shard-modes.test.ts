import { afterEach, describe, expect, test } from '@jest/globals';
import { builtin, ownerReferenceTo, fieldHash } from '@keelson/apimachinery';
import { createApiServer, type ApiServer } from '@keelson/apiserver';
import { createClient, type Client } from '@keelson/client';
import { createManager } from '../manager/controller-manager.ts';
import type { Manager } from '../manager/manager.ts';
import type { Reconcile } from '../reconcile/reconcile.ts';
import type { Request } from '../reconcile/request.ts';
import {
  eventually,
  gate,
  nothing,
  recordingLogger,
  valueOf,
} from '../testing/fixtures.test-support.ts';
import type { ShardingOptions } from './sharding-options.ts';
import { shardSelectorOf } from './shard-selector.ts';
import { SlotSet } from './slot-set.ts';
import { SLOTS } from './slots.ts';

const { ConfigMap, Namespace, Secret } = builtin;
/** Names whose hashes are far from each other, for the mode `server`. */
const namespaces = Array.from(
  { length: 24 },
  (_, at) => `n-${fieldHash(`${at}`).low.toString(36)}`,
);
const PARENTS = namespaces.length * 2;
const labels = { of: 'test' };
const longest = { leaseDuration: '3600s', renewDeadline: '3000s', retryPeriod: '2000s' } as const;

type Mode = Pick<ShardingOptions, 'by' | 'mode'>;
const modes: readonly [string, Mode, boolean][] = [
  ['filtered by name', { by: 'name', mode: 'filtered' }, false],
  ['filtered by namespace', { by: 'namespace', mode: 'filtered' }, false],
  ['server', { by: 'namespace', mode: 'server' }, true],
  ['server without the gate', { by: 'namespace', mode: 'server' }, false],
];

let server: ApiServer;
let client: Client;
const managers: Manager[] = [];

afterEach(async () => {
  await Promise.all(managers.splice(0).map((manager) => manager.stop()));
  await client.close();
  await server.close();
});

/** Starts a server with two ConfigMaps in each namespace, each of which owns a Secret. */
async function startServer(ShardedListAndWatch: boolean): Promise<void> {
  server = await createApiServer({ featureGates: { ShardedListAndWatch } });
  client = createClient({ cluster: server.cluster });
  for (const namespace of namespaces) {
    await client.create(Namespace, { metadata: { name: namespace } });
    for (const name of ['a', 'b']) await createParent(namespace, name);
  }
}

async function createParent(namespace: string, name: string): Promise<void> {
  const parent = await client.create(ConfigMap, { metadata: { namespace, name, labels } });
  const ownerReferences = [ownerReferenceTo(parent, { controller: true })];
  await client.create(Secret, {
    metadata: { namespace, name: `of-${name}`, labels, ownerReferences },
  });
}

interface Run {
  readonly by: string;
  readonly key: string;
  readonly causes: string;
  readonly exists: boolean;
  readonly children: number;
}

interface Recorded {
  readonly manager: Manager;
  readonly lines: readonly unknown[];
}

async function replica(
  by: string,
  mode: Mode,
  runs: Run[],
  reconcile: Reconcile<Request> = nothing,
): Promise<Recorded> {
  const { logger, lines } = recordingLogger();
  const manager = createManager({
    cluster: server.cluster,
    logger: logger,
    stopSignals: [],
    gracePeriod: '20s',
    sharding: { name: 'web', namespace: 'default', ...longest, ...mode } as ShardingOptions,
    cache: { linger: 0 },
  });
  managers.push(manager);
  manager.addController({
    name: 'recorder',
    for: { resource: ConfigMap, labelSelector: 'of=test' },
    owns: [{ resource: Secret, labelSelector: 'of=test' }],
    concurrency: PARENTS,
    reconcile: async (request, context) => {
      const parent = context.cache.get(ConfigMap, request);
      runs.push({
        by,
        key: `${request.namespace}/${request.name}`,
        causes: context.causes.map(({ reason }) => reason).join(),
        exists: parent !== undefined,
        children: parent === undefined ? 0 : context.cache.owned(Secret, parent).length,
      });
      return reconcile(request, context);
    },
  });
  manager.start().catch(nothing);
  await manager.started;
  return { manager, lines };
}

/** The numbers of the objects that a replica caches: of ConfigMaps and Secrets. */
function cached({ manager }: Recorded): number[] {
  const inventory = manager.cache.inventory();
  return ['configmaps', 'secrets'].map(
    (plural) => inventory.find(({ query }) => query.resource.plural === plural)?.objects ?? -1,
  );
}

const owned = async ({ manager }: Recorded): Promise<number> =>
  (await valueOf(manager, 'keelson_shard_slots_owned')) ?? -1;

const withChild = ({ exists, children }: Run): boolean => exists && children === 1;

const keysOf = (runs: readonly Run[], by?: string): string[] =>
  [
    ...new Set(runs.filter((run) => by === undefined || run.by === by).map(({ key }) => key)),
  ].toSorted();

describe.each(modes)('the mode %s', (_, mode, hasGate) => {
  test('each replica caches and runs only its objects, also after a join and a leave', async () => {
    await startServer(hasGate);
    const runs: Run[] = [];
    const one = await replica('one', mode, runs);
    await eventually(() => keysOf(runs).length === PARENTS);
    expect(cached(one)).toEqual([PARENTS, PARENTS]);
    const two = await replica('two', mode, runs);
    await eventually(async () => (await owned(one)) + (await owned(two)) === SLOTS);
    await eventually(() => cached(one)[0] === PARENTS - (cached(two)[0] ?? 0));
    await eventually(() => keysOf(runs, 'two').length === cached(two)[0]);
    expect(cached(one)).toEqual([cached(one)[0], cached(one)[0]]);
    expect(cached(two)).toEqual([cached(two)[0], cached(two)[0]]);
    const ofTwo = new Set(keysOf(runs, 'two'));
    expect(ofTwo.size).toBeGreaterThan(PARENTS / 8);
    expect(ofTwo.size).toBeLessThan(PARENTS);

    // A request may run a second time, because both sources queue it.
    const isNew = ({ key }: Run): boolean => key.endsWith('/c');
    for (const namespace of namespaces) await createParent(namespace, 'c');
    await eventually(() => {
      const last = new Map(runs.filter(isNew).map((run) => [run.key, run]));
      return last.size === namespaces.length && [...last.values()].every(withChild);
    });
    const owners = new Map(runs.filter(isNew).map(({ key, by }) => [key, by]));
    for (const { key, by } of runs.filter(isNew)) expect(by).toBe(owners.get(key));

    const ofBoth = new Set(keysOf(runs));
    const ofTwoNow = new Set(keysOf(runs, 'two'));
    const moved = [...ofBoth].filter((key) => !ofTwoNow.has(key));
    runs.length = 0;
    await one.manager.stop();
    await eventually(async () => (await owned(two)) === SLOTS);
    await eventually(() => moved.every((key) => keysOf(runs, 'two').includes(key)));
    expect(cached(two)).toEqual([ofBoth.size, ofBoth.size]);
    expect(runs.every(withChild)).toBe(true);
    expect(new Set(runs.map(({ causes }) => causes))).not.toContain('deleted');
    expect(await valueOf(two.manager, 'keelson_shard_selected_by_server')).toBe(Number(hasGate));
  });
});

describe('a replica that takes slots over', () => {
  test('starts no request of a slot before its objects and their children are cached', async () => {
    await startServer(true);
    const mode: Mode = { by: 'namespace', mode: 'server' };
    const runs: Run[] = [];
    const hold = gate();
    const one = await replica('one', mode, runs, () => hold.opened);
    await eventually(() => runs.length === PARENTS);
    const two = await replica('two', mode, runs);
    await eventually(
      async () => (await valueOf(two.manager, 'keelson_shard_slots_wanted')) !== SLOTS,
    );
    server.faults.delay({ resource: Secret, verb: 'list', by: '300ms' });
    server.faults.delay({ resource: Secret, verb: 'watch', by: '300ms' });
    hold.open();
    await one.manager.stop();
    await eventually(async () => (await owned(two)) === SLOTS);
    await eventually(() => keysOf(runs, 'two').length === PARENTS);
    expect(runs.every(withChild)).toBe(true);
  });

  test('the mode server warns of an API server that ignores the selector', async () => {
    await startServer(false);
    const { lines } = await replica('one', { by: 'namespace', mode: 'server' }, []);
    expect(JSON.stringify(lines)).toContain('ignores shardSelector');
  });
});

describe('shardSelectorOf', () => {
  test('has one range for each run of slots', () => {
    expect(shardSelectorOf(new SlotSet([0, 1, 3, SLOTS - 1]))).toBe(
      [
        "shardRange(object.metadata.namespace,'0x0000000000000000','0x0080000000000000')",
        "shardRange(object.metadata.namespace,'0x00c0000000000000','0x0100000000000000')",
        "shardRange(object.metadata.namespace,'0xffc0000000000000','0x10000000000000000')",
      ].join('||'),
    );
  });

  test('selects nothing but one hash without slots, and needs no selector of all slots', () => {
    expect(shardSelectorOf(new SlotSet())).toBe(
      "shardRange(object.metadata.namespace,'0x0000000000000000','0x0000000000000001')",
    );
    expect(shardSelectorOf(SlotSet.all())).toBeUndefined();
  });
});
