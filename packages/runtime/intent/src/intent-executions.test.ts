import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { gate } from './testing/fixtures.test-support.ts';
import { durableIntent, type DurableIntent } from './durable-intent.ts';
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

async function recorded(): Promise<unknown> {
  return intent.read({ client: world.client, object: await world.read() });
}

describe('durableIntent with two triggers', () => {
  test('R3-06 queue: the second one sees the record of the first', async () => {
    const object = await world.create();
    const [began, end] = [gate(), gate()];
    const target = { client: world.client, object };
    const first = intent.run(target, async () => {
      began.open();
      await end.opened;
    });
    await began.opened;
    const empty: boolean[] = [];
    const second = intent.run(target, ({ difference }) => void empty.push(difference.isEmpty));
    end.open();
    await Promise.all([first, second]);
    expect(empty).toEqual([true]);
  });

  test('R3-06 R3-08 reject: the second one returns a requeue, so that the later spec is not lost', async () => {
    const object = await world.create();
    const strict = durableIntent({ resource: App, place, policy: 'reject' });
    const target = { client: world.client, object };
    const outcomes: unknown[] = [];
    await strict.run(target, async () => {
      outcomes.push(await strict.run(target, () => undefined));
    });
    expect(outcomes).toEqual([{ requeueAfter: '1s' }]);
  });

  test('R3-06 R3-08 supersede: the aborted one writes no record and requeues', async () => {
    const object = await world.create();
    const abrupt = durableIntent({ resource: App, place, policy: 'supersede' });
    const began = gate();
    const first = abrupt.run({ client: world.client, object }, async ({ signal }) => {
      began.open();
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      signal.throwIfAborted();
    });
    await began.opened;
    expect(abrupt.supersede(object)).toBe(false);
    expect(abrupt.supersede(await world.change({ image: 'b' }))).toBe(true);
    expect(await first).toEqual({ requeueAfter: 1 });
    expect(await recorded()).toBeUndefined();
  });

  test('a superseded action that returned has its record written', async () => {
    const object = await world.create();
    const abrupt = durableIntent({ resource: App, place, policy: 'supersede' });
    await abrupt.run({ client: world.client, object }, async ({ signal }) => {
      abrupt.supersede(await world.change({ image: 'b' }));
      expect(signal.aborted).toBe(true);
    });
    expect(await recorded()).toMatchObject({ generation: 1 });
  });

  test('a trigger that waited writes to the object as it is then', async () => {
    const object = await world.create();
    const stored = durableIntent({ resource: App, place: { status: 'lastApplied' } });
    const target = { client: world.client, object };
    const other = { generation: 1, spec: { image: 'other' } };
    await Promise.all([
      stored.run(target, () => undefined),
      stored.run(target, () => ({ applied: other })),
    ]);
    // A write to the older object would be a conflict and another request.
    expect(world.server.stats.requests({ resource: App, verb: 'patch' })).toBe(2);
    const after = { client: world.client, object: await world.read() };
    expect(await stored.read(after)).toMatchObject(other);
  });

  test('the signal of the target aborts the action, and ends a wait', async () => {
    const object = await world.create();
    const stop = new AbortController();
    const target = { client: world.client, object, signal: stop.signal };
    const began = gate();
    const first = intent.run(target, async ({ signal }) => {
      began.open();
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      signal.throwIfAborted();
    });
    await began.opened;
    const second = intent.run(target, () => undefined);
    stop.abort(new Error('stopped'));
    await expect(first).rejects.toThrow('stopped');
    await expect(second).rejects.toThrow('stopped');
  });
});
