import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { ApiServer } from '@keelson/apiserver';
import type { Client, Persisted } from '@keelson/manager';
import { startExample, until, type StartedExample } from '@keelson/example-support';
import { definitions } from './custom-resource-definitions.ts';
import { Claim, Thing } from './custom-resources.ts';
import { createOperator } from './operator.ts';
import { tour } from './tour.ts';

describe('many-controllers', () => {
  let example: StartedExample;
  let server: ApiServer;
  let client: Client;

  beforeEach(async () => {
    example = await startExample({ definitions, createOperator });
    ({ client, server } = example);
  });

  afterEach(async () => {
    await example[Symbol.asyncDispose]();
  });

  const createThing = (name: string, size: number): Promise<Persisted<Thing>> =>
    client.create(Thing, { metadata: { name }, spec: { size } });
  const createClaim = (name: string, size: number): Promise<Persisted<Claim>> =>
    client.create(Claim, { metadata: { namespace: 'default', name }, spec: { size } });
  const untilClaim = (name: string, phase: string): Promise<Persisted<Claim> | undefined> =>
    until(client, Claim, { namespace: 'default', name }, (claim) => claim?.status?.phase === phase);
  const untilThing = (name: string, phase: string): Promise<Persisted<Thing> | undefined> =>
    until(client, Thing, { name }, (thing) => thing?.status?.phase === phase);

  test('a Claim gets the smallest Thing that is large enough, and both statuses name the other', async () => {
    await createThing('large', 10);
    await createThing('medium', 5);
    await createThing('small', 1);
    await untilThing('small', 'Available');
    const claim = await createClaim('mine', 3);
    expect((await untilClaim('mine', 'Bound'))?.status?.thing).toBe('medium');
    const thing = await untilThing('medium', 'Bound');
    expect(thing?.spec.claim).toEqual({
      namespace: 'default',
      name: 'mine',
      uid: claim.metadata.uid,
    });
  });

  test('a Claim that nothing fits waits, and is bound when something comes', async () => {
    await createThing('small', 1);
    await createClaim('mine', 3);
    await untilClaim('mine', 'Pending');
    await createThing('large', 10);
    expect((await untilClaim('mine', 'Bound'))?.status?.thing).toBe('large');
  });

  test('a Thing is free again when its Claim is gone, and goes to the next that waits', async () => {
    await createThing('only', 5);
    await createClaim('first', 3);
    await untilClaim('first', 'Bound');
    const second = await createClaim('second', 3);
    await untilClaim('second', 'Pending');
    await client.delete(Claim, { namespace: 'default', name: 'first' });
    await untilClaim('second', 'Bound');
    const thing = await client.get(Thing, { name: 'only' });
    expect(thing.spec.claim?.uid).toBe(second.metadata.uid);
  });

  test('thirty Claims that come at once get thirty of sixty Things, and no Claim two', async () => {
    const names = Array.from({ length: 30 }, (_, index) => `number-${index}`);
    await Promise.all(names.map((name) => createThing(name, 1)));
    await Promise.all(names.map((name) => createThing(`more-${name}`, 1)));
    await Promise.all(names.map((name) => createClaim(name, 1)));
    const claims = await Promise.all(names.map((name) => untilClaim(name, 'Bound')));
    const things = new Set(claims.map((claim) => claim?.status?.thing));
    expect(things.size).toBe(30);
    const { items } = await client.list(Thing);
    expect(items.filter(({ spec }) => spec.claim !== undefined)).toHaveLength(30);
  });

  test('CT38 a Claim is one request: an event of its Thing, whose reference carries a uid, makes no second one', async () => {
    await createThing('only', 5);
    await createClaim('mine', 3);
    await untilClaim('mine', 'Bound');
    await untilThing('only', 'Bound');
    const { cache, registry } = example.operator;
    const valueOf = async (metric: string): Promise<number> => {
      const values = (await registry.getSingleMetric(metric)?.get())?.values ?? [];
      const ofClaims = values.filter(({ labels }) => labels['controller'] === 'claim');
      return ofClaims.reduce((sum, { value }) => sum + value, 0);
    };
    const touchThing = (touch: string): Promise<Persisted<Thing>> => {
      const body = { metadata: { annotations: { touch } } };
      return client.patch(Thing, { name: 'only' }, { type: 'merge', body });
    };
    const turnUntil = async (holds: () => boolean | Promise<boolean>): Promise<void> => {
      while (!(await holds())) await new Promise((resolve) => setImmediate(resolve));
    };
    await turnUntil(async () => (await valueOf('controller_runtime_active_workers')) === 0);
    // The run of the Claim hangs in the write of its status while both kinds change.
    using _ = server.faults.hang({ resource: Claim, verb: 'patch' });
    await touchThing('first');
    await turnUntil(async () => (await valueOf('controller_runtime_active_workers')) === 1);
    const claim = await client.get(Claim, { namespace: 'default', name: 'mine' });
    const metadata = { ...claim.metadata, annotations: { touch: 'second' } };
    const updated = await client.update(Claim, { ...claim, metadata });
    const touched = await touchThing('second');
    const versionOf = (object: Persisted): string => object.metadata.resourceVersion;
    await turnUntil(() => {
      const seen = cache.get(Claim, { namespace: 'default', name: 'mine' });
      return seen?.metadata.resourceVersion === versionOf(updated);
    });
    await turnUntil(() => {
      const seen = cache.get(Thing, { name: 'only' });
      return seen?.metadata.resourceVersion === versionOf(touched);
    });
    expect(await valueOf('workqueue_depth')).toBe(1);
  });

  test('RC01 both controllers watch both kinds through one watch each', async () => {
    await createThing('only', 5);
    await createClaim('mine', 3);
    await untilClaim('mine', 'Bound');
    const { stats } = server;
    // `until` opens watches of its own, so the cache says how many are the operator's.
    const watches = example.operator.cache.inventory().map(({ query, handles }) => {
      return [query.resource.kind, handles.length];
    });
    expect(watches).toEqual(
      expect.arrayContaining([
        ['Claim', 2],
        ['Thing', 2],
      ]),
    );
    expect(watches).toHaveLength(2);
    expect(stats.watchLists(Claim) + stats.watchLists(Thing)).toBe(2);
  });

  test('CT43 the settled pair writes nothing, and one change costs only its own reconciles', async () => {
    await createThing('only', 5);
    await createClaim('mine', 3);
    await untilClaim('mine', 'Bound');
    await untilThing('only', 'Bound');
    const before = [server.stats.changes(Claim), server.stats.changes(Thing)];
    const writesBefore = server.stats.requests({ verb: 'patch' });
    const touches = 20;
    for (let touch = 0; touch < touches; touch += 1) {
      const body = { metadata: { annotations: { touch: String(touch) } } };
      await client.patch(Claim, { namespace: 'default', name: 'mine' }, { type: 'merge', body });
    }
    // One more pair goes through the same watches and queues: what the touches cause has begun before.
    await createThing('last', 100);
    await createClaim('last', 50);
    await untilClaim('last', 'Bound');
    await untilThing('last', 'Bound');
    const changes = [server.stats.changes(Claim), server.stats.changes(Thing)];
    // The last Claim: created, perhaps Pending, Bound. The last Thing: created, Available, bound, Bound.
    expect(changes[0]).toBeLessThanOrEqual((before[0] ?? 0) + touches + 3);
    expect(changes[1]).toBeLessThanOrEqual((before[1] ?? 0) + 4);
    // A touch is one run of each controller, each one no-op apply.
    const writes = server.stats.requests({ verb: 'patch' }) - writesBefore - touches;
    expect(writes).toBeLessThanOrEqual(2 * touches + 20);
  });

  test('the tour prints every step', async () => {
    const lines: string[] = [];
    await tour(client, (line) => lines.push(line));
    expect(lines).toEqual([
      'created Things small (1) and large (10)',
      'created Claim first, which wants 5',
      'Claim first is Bound: large',
      'created Claim second, which wants 3',
      'Claim second is Pending: nothing large enough is free',
      'deleted Claim first',
      'Claim second is Bound: large',
    ]);
  });
});
