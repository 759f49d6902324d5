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
import { slotOf, SLOTS } from './slots.ts';

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
  ['label by name', { by: 'name', mode: 'label' }, false],
  ['label by namespace', { by: 'namespace', mode: 'label' }, false],
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
    (plural) =>
      inventory.find(({ query: { resource, projection } }) => {
        return resource.plural === plural && projection === 'full';
      })?.objects ?? -1,
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
    await eventually(() => cached(one).join() === [PARENTS, PARENTS].join());
    const two = await replica('two', mode, runs);
    await eventually(async () => (await owned(one)) + (await owned(two)) === SLOTS);
    await eventually(() => cached(one)[0] === PARENTS - (cached(two)[0] ?? 0));
    await eventually(() => keysOf(runs, 'two').length === cached(two)[0]);
    // With labels, a child may arrive after its owner.
    await eventually(() => [one, two].every((each) => cached(each)[0] === cached(each)[1]));
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
    await eventually(() => cached(two).join() === [ofBoth.size, ofBoth.size].join());
    await eventually(() => keysOf(runs.filter(withChild), 'two').length >= moved.length);
    if (mode.mode !== 'label') expect(runs.every(withChild)).toBe(true);
    expect(runs.every(({ exists }) => exists)).toBe(true);
    expect(new Set(runs.map(({ causes }) => causes))).not.toContain('deleted');
    expect(await valueOf(two.manager, 'keelson_shard_selected_by_server')).toBe(
      Number(hasGate || mode.mode === 'label'),
    );
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

describe('the mode label', () => {
  const mode: Mode = { by: 'name', mode: 'label' };
  const key = 'web.shard.keelson.dev/name';
  const at = { namespace: namespaces[0] ?? '', name: 'a' };
  const child = { ...at, name: 'of-a' };
  const labelOf = async (name: typeof at): Promise<string | undefined> =>
    (await client.get(ConfigMap, name)).metadata.labels?.[key];
  const slot = String(slotOf(`${at.namespace}/${at.name}`));
  const setLabel = (value: string | null): Promise<unknown> =>
    client.patch(ConfigMap, at, {
      type: 'merge',
      body: { metadata: { labels: { [key]: value } } },
    });

  test('labels an object with the slot of its request, and a child with that of its owner', async () => {
    await startServer(false);
    const runs: Run[] = [];
    const one = await replica('one', mode, runs);
    await eventually(() => keysOf(runs).length === PARENTS);
    await eventually(() => runs.some(withChild));
    expect(await labelOf(at)).toBe(slot);
    await eventually(
      async () => (await valueOf(one.manager, 'keelson_shard_labels_pending')) === 0,
    );
    const { metadata } = await client.get(Secret, child);
    const ofOwner = Object.entries(metadata.labels ?? {}).find(([label]) => label !== 'of');
    expect(ofOwner?.[0]).toMatch(/^web\.shard\.keelson\.dev\/name-of-[0-9a-f]{8}$/);
    expect(ofOwner?.[1]).toBe(slot);
    const orphan = { metadata: { namespace: at.namespace, name: 'orphan', labels } };
    await client.create(Secret, orphan);
    await createParent(at.namespace, 'later');
    await eventually(() => runs.some((run) => run.key.endsWith('/later') && withChild(run)));
    const { metadata: ofOrphan } = await client.get(Secret, orphan.metadata);
    expect(ofOrphan.labels).toEqual(labels);
  });

  test.each([
    ['removed', null],
    ['changed to another slot', '1'],
  ])('does not run an object as deleted whose label is %s', async (_, value) => {
    await startServer(false);
    const runs: Run[] = [];
    for (const by of ['one', 'two']) await replica(by, mode, runs);
    await eventually(() => keysOf(runs).length === PARENTS);
    await eventually(async () => (await labelOf(at)) === slot);
    runs.length = 0;
    await setLabel(value);
    await eventually(async () => (await labelOf(at)) === slot);
    await eventually(() => runs.some(({ key: ran }) => ran === `${at.namespace}/${at.name}`));
    expect(runs.every(({ exists }) => exists)).toBe(true);
  });

  test('runs an object that is deleted without its label', async () => {
    await startServer(false);
    const runs: Run[] = [];
    const { manager } = await replica('one', mode, runs);
    await eventually(() => keysOf(runs).length === PARENTS);
    await eventually(async () => (await valueOf(manager, 'keelson_shard_labels_pending')) === 0);
    runs.length = 0;
    using _ = server.faults.forbid({ resource: ConfigMap, verb: 'patch' });
    const { metadata, ...object } = await client.get(ConfigMap, at);
    await client.update(ConfigMap, { ...object, metadata: { ...metadata, labels } });
    await eventually(async () => (await valueOf(manager, 'keelson_shard_labels_pending')) === 1);
    expect(runs.every(({ exists }) => exists)).toBe(true);
    await client.delete(ConfigMap, at);
    await eventually(() => runs.some(({ exists }) => !exists));
    const isAbsent = runs.filter(({ exists }) => !exists);
    expect(isAbsent).toMatchObject([{ key: `${at.namespace}/${at.name}` }]);
  });

  test('moves a child to the replica of its new owner', async () => {
    await startServer(false);
    const runs: Run[] = [];
    for (const by of ['one', 'two']) await replica(by, mode, runs);
    await eventually(() => keysOf(runs).length === PARENTS);
    await eventually(() => PARENTS === new Set(runs.filter(withChild).map((run) => run.key)).size);
    const by = (name: string) => runs.findLast((run) => run.key === `${at.namespace}/${name}`)?.by;
    // The names of later owners differ until one is in the other replica.
    let name = 'b';
    for (let next = 0; by(name) === by('a'); next += 1) {
      name = `c${next}`;
      await createParent(at.namespace, name);
      await eventually(() => by(name) !== undefined);
    }
    const owner = await client.get(ConfigMap, { ...at, name });
    const ownerReferences = [ownerReferenceTo(owner, { controller: true })];
    await client.patch(Secret, child, { type: 'merge', body: { metadata: { ownerReferences } } });
    const isMoved = ({ key: ran, children }: Run): boolean =>
      ran === `${at.namespace}/${name}` && children === 2;
    await eventually(() => runs.some(isMoved));
  });

  test('logs once that a label was not written, and retries', async () => {
    await startServer(false);
    const forbidden = server.faults.forbid({ resource: ConfigMap, verb: 'patch' });
    const runs: Run[] = [];
    const { manager, lines } = await replica('one', mode, runs);
    await eventually(
      async () => (await valueOf(manager, 'keelson_shard_labels_pending')) === PARENTS,
    );
    await eventually(() => JSON.stringify(lines).includes('label of a shard was not written'));
    expect(runs).toEqual([]);
    forbidden[Symbol.dispose]();
    await eventually(() => keysOf(runs).length === PARENTS);
    const failures = lines.filter((line) => JSON.stringify(line).includes('was not written'));
    expect(failures).toHaveLength(1);
  });

  test('logs no failure of the labels that a stop leaves to other replicas', async () => {
    await startServer(false);
    const held = server.faults.hang({ resource: ConfigMap, verb: 'patch' });
    const { manager, lines } = await replica('one', mode, []);
    // More than the writers that the server holds.
    await eventually(
      async () => ((await valueOf(manager, 'keelson_shard_labels_pending')) ?? 0) >= PARENTS,
    );
    const stopped = manager.stop();
    held.end();
    await stopped;
    const texts = lines.map((line) => JSON.stringify(line));
    expect(texts.filter((text) => text.includes('was not written'))).toEqual([]);
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
