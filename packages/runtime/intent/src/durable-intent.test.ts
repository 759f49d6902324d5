import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { durableIntent, type DurableIntent } from './durable-intent.ts';
import type { IntentAction, IntentRun } from './intent-execution.ts';
import type { IntentClient } from './intent-place.ts';
import { annotation, App, IntentWorld } from './testing/intent-world.test-support.ts';

const place = { annotation };

let world: IntentWorld;
let intent: DurableIntent<App>;

beforeEach(async () => {
  world = await IntentWorld.open();
  intent = durableIntent({ resource: App, place });
});

afterEach(async () => {
  await world[Symbol.asyncDispose]();
});

/** Runs the action on the object as it is now. Returns what the action received, and the outcome. */
async function run(
  action: IntentAction<App> = () => undefined,
  by: DurableIntent<App> = intent,
): Promise<{ seen: IntentRun<App> | undefined; outcome: unknown }> {
  let seen: IntentRun<App> | undefined;
  const target = { client: world.client, object: await world.read() };
  const outcome = await by.run(target, (given) => {
    seen = given;
    return action(given);
  });
  return { seen, outcome };
}

async function recorded(): Promise<unknown> {
  return intent.read({ client: world.client, object: await world.read() });
}

describe('durableIntent', () => {
  test('R3-01 after 1→2→3 while the manager was down one run sees 3 and the difference to 1', async () => {
    await world.create({ image: 'a', replicas: 1 });
    await run();
    await world.change({ image: 'b' });
    await world.change({ image: 'c', replicas: 1 });
    const { seen } = await run();
    expect(seen?.object.spec).toEqual({ image: 'c', replicas: 1 });
    expect(seen?.lastApplied).toMatchObject({ generation: 1, spec: { image: 'a', replicas: 1 } });
    expect(seen?.difference).toMatchObject({ changed: ['/image'], added: [], removed: [] });
    expect((await run()).seen?.difference.isEmpty).toBe(true);
  });

  test('R3-03 R3-19 the record has the generation of the object, not a counter', async () => {
    await world.create();
    for (const image of ['b', 'c', 'd']) await world.change({ image });
    await run();
    expect(await recorded()).toEqual({
      schemaVersion: 1,
      generation: 4,
      appliedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      spec: { image: 'd' },
    });
  });

  test('R3-03 a change that was taken back is recorded with its generation', async () => {
    await world.create();
    await run();
    await world.change({ image: 'b' });
    await world.change({ image: 'a' });
    expect((await run()).seen?.difference.isEmpty).toBe(true);
    expect(await recorded()).toMatchObject({ generation: 3, spec: { image: 'a' } });
  });

  test('R3-05 an action that fails midway leaves the record, and the same difference results', async () => {
    await world.create();
    await run();
    await world.change({ image: 'b' });
    const before = await recorded();
    const failing = run(({ difference }) => {
      expect(difference.changed).toEqual(['/image']);
      throw new Error('midway');
    });
    await expect(failing).rejects.toThrow('midway');
    expect(await recorded()).toEqual(before);
    expect((await run()).seen?.difference.changed).toEqual(['/image']);
    expect(await recorded()).toMatchObject({ generation: 2, spec: { image: 'b' } });
  });

  test.each([{ applied: false }, { retry: true }, { retry: true, applied: false }])(
    'R3-05 %p leaves the record too',
    async (result) => {
      await world.create();
      const { outcome } = await run(() => result);
      expect(outcome).toEqual('retry' in result ? { retry: true } : undefined);
      expect(await recorded()).toBeUndefined();
    },
  );

  test('R3-12 R3-19 a record of an unknown schema version is absent, and the action runs in full', async () => {
    await world.create();
    await run();
    const next = durableIntent({ resource: App, place, schemaVersion: 2 });
    const { seen } = await run(undefined, next);
    expect(seen?.lastApplied).toBeUndefined();
    expect(seen?.difference).toMatchObject({ isEmpty: false, added: ['/image'] });
    expect((await run(undefined, next)).seen?.lastApplied).toMatchObject({ schemaVersion: 2 });
  });

  test('R3-19 a record that was edited by hand is absent, not an error', async () => {
    await world.create(undefined, { annotations: { [annotation]: '{"schemaVersion":1' } });
    expect((await run()).seen?.lastApplied).toBeUndefined();
    expect(await recorded()).toMatchObject({ generation: 1 });
    const future = JSON.stringify({
      ...((await recorded()) as object),
      uid: (await world.read()).metadata.uid,
      generation: 99,
    });
    const body = { metadata: { annotations: { [annotation]: future } } };
    await world.client.patch(App, world.name, { type: 'merge', body });
    expect((await run()).seen?.lastApplied).toBeUndefined();
    expect(await recorded()).toMatchObject({ generation: 1 });
  });

  test('a record that came with the copy of another object is absent', async () => {
    await world.create();
    await run();
    const { annotations } = (await world.read()).metadata;
    await world.client.delete(App, world.name);
    await world.create(undefined, { annotations });
    expect((await run()).seen?.lastApplied).toBeUndefined();
  });

  test('R3-15 an equal intent writes nothing', async () => {
    await world.create();
    await run();
    const { writes } = world;
    await run();
    await run(() => ({ requeueAfter: '10m' }));
    expect(world.writes).toBe(writes);
  });

  test('R3-17 the record precedes the status, and a crash between them leads to the action again', async () => {
    await world.create();
    const { client } = world;
    const cut = { ...client, status: () => ({ patch: () => Promise.reject(new Error('cut')) }) };
    for (const method of ['get', 'list', 'patch', 'apply', 'delete'] as const) {
      Object.assign(cut, { [method]: client[method].bind(client) });
    }
    const target = { client: cut as unknown as IntentClient, object: await world.read() };
    const crash = intent.run(target, () => ({ status: { image: 'a' } }));
    await expect(crash).rejects.toThrow('cut');
    expect(await recorded()).toMatchObject({ generation: 1 });
    expect((await world.read()).status).toBeUndefined();
    await run(() => ({ status: { image: 'a' } }));
    expect((await world.read()).status).toEqual({ image: 'a' });
    expect(await recorded()).toMatchObject({ generation: 1 });
  });

  test('R3-17 a status that conflicts is written to the newer object, with the generation of the action', async () => {
    await world.create();
    const condition = { type: 'Ready', status: 'True', reason: 'Applied', message: '' } as const;
    await run(async () => {
      await world.change({ image: 'b' });
      return { status: { image: 'a', conditions: [condition] } };
    });
    const object = await world.read();
    expect(object.metadata.generation).toBe(2);
    expect(object.status?.conditions?.[0]).toMatchObject({ observedGeneration: 1 });
    expect(await recorded()).toMatchObject({ generation: 1, spec: { image: 'a' } });
    expect((await run()).seen?.difference.changed).toEqual(['/image']);
  });

  test('R3-16 an object that is older than its record is read again', async () => {
    const old = await world.create();
    const own = durableIntent({ resource: App, place: { configMap: {} } });
    await world.change({ image: 'b' });
    await run(undefined, own);
    const seen: unknown[] = [];
    await own.run({ client: world.client, object: old }, ({ object, difference }) => {
      seen.push(object.spec, difference.isEmpty);
    });
    expect(seen).toEqual([{ image: 'b' }, true]);
  });

  test('an action may have applied an earlier spec, which becomes the record', async () => {
    await world.create();
    await world.change({ image: 'b' });
    await run(() => ({ applied: { generation: 1, spec: { image: 'a' } } }));
    expect(await recorded()).toMatchObject({ generation: 1, spec: { image: 'a' } });
    expect((await run()).seen?.difference.changed).toEqual(['/image']);
  });

  test('does nothing for an object that was deleted or replaced during the action', async () => {
    await world.create();
    await run(async () => {
      await world.client.delete(App, world.name);
      await world.create();
      return { status: { image: 'a' } };
    });
    expect(await recorded()).toBeUndefined();
    expect((await world.read()).status).toBeUndefined();
    await run(async () => {
      await world.client.delete(App, world.name);
      return { status: { image: 'a' } };
    });
    expect(world.server.object(App, world.name)).toBeUndefined();
  });

  test.each([null, 1, 'yes', {}, { generation: '1', spec: {} }, { generation: 1, spec: 'a' }])(
    'refuses %p as the applied spec, and writes no record',
    async (applied) => {
      await world.create();
      await expect(run(() => ({ applied }) as never)).rejects.toMatchObject({
        code: 'INVALID_OPTION',
        facts: { option: 'durableIntent.run.result.applied' },
      });
      expect(await recorded()).toBeUndefined();
    },
  );

  test.each<[unknown, string]>([
    [null, 'status'],
    [['a'], 'status'],
    [{ image: 1n }, 'status.image'],
    [{ conditions: {} }, 'status.conditions'],
  ])(
    'refuses an invalid status of the result (%#), and writes no record',
    async (status, member) => {
      await world.create();
      await expect(run(() => ({ status }) as never)).rejects.toMatchObject({
        code: 'INVALID_OPTION',
        facts: { option: `durableIntent.run.result.${member}` },
      });
      expect(await recorded()).toBeUndefined();
    },
  );

  test('refuses an unknown member of the result, and a missing action', async () => {
    await world.create();
    await expect(run(() => ({ applyed: true }) as never)).rejects.toMatchObject({
      facts: { option: 'durableIntent.run.result.applyed' },
    });
    const target = { client: world.client, object: await world.read() };
    await expect(intent.run(target, undefined as never)).rejects.toMatchObject({
      facts: { option: 'durableIntent.run.action' },
    });
  });

  test.each<[string, object]>([
    ['object', { object: undefined }],
    ['object', { object: { metadata: { name: 'a', uid: '1', resourceVersion: '1' } } }],
    ['client', { client: {} }],
    ['signal', { signal: new AbortController() }],
    ['force', { force: true }],
  ])('refuses an invalid %s at the call, and sends nothing', async (option, wrong) => {
    const target = { client: world.client, object: await world.create(), ...wrong };
    const { writes } = world;
    for (const call of ['run', 'read'] as const) {
      await expect(intent[call](target as never, () => undefined)).rejects.toMatchObject({
        code: 'INVALID_OPTION',
        facts: { option: `durableIntent.${call}.${option}` },
      });
    }
    expect(world.writes).toBe(writes);
  });
});
