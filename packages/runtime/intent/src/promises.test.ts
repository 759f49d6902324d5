import { describe, expect, test } from '@jest/globals';
import { durableIntent, ExecutionGuard } from './index.ts';
import { gate } from './testing/fixtures.test-support.ts';
import { annotation, App, IntentWorld } from './testing/intent-world.test-support.ts';

describe('durable intent promises', () => {
  test('A durable intent writes its record only after its action has returned, and the status after the record.', async () => {
    await using world = await IntentWorld.open();
    const intent = durableIntent({ resource: App, place: { annotation } });
    const target = { client: world.client, object: await world.create() };
    const failing = intent.run(target, () => Promise.reject(new Error('midway')));
    await expect(failing).rejects.toThrow('midway');
    expect((await world.read()).metadata.annotations).toBeUndefined();
    const states: unknown[] = [];
    const watch = world.client.watch(App, {
      resourceVersion: target.object.metadata.resourceVersion,
    });
    await intent.run(target, () => ({ status: { image: 'a' } }));
    for await (const { type, object } of watch) {
      if (type === 'BOOKMARK') continue;
      states.push([object.metadata.annotations !== undefined, object.status?.image]);
      if (states.length === 2) break;
    }
    expect(states).toEqual([
      [true, undefined],
      [true, 'a'],
    ]);
  });

  test('An object never has two executions of one guard, and of its waiting triggers the latest generation runs.', async () => {
    const guard = new ExecutionGuard();
    const end = gate();
    const runs: string[] = [];
    const trigger = (generation: number): Promise<{ state: string }> =>
      guard.run({ metadata: { uid: 'u', generation } }, async () => {
        runs.push(`${generation} begins`);
        await end.opened;
        runs.push(`${generation} ends`);
      });
    const triggers = [1, 3, 2].map(trigger);
    end.open();
    const states = (await Promise.all(triggers)).map(({ state }) => state);
    expect(states).toEqual(['ended', 'ended', 'superseded']);
    expect(runs).toEqual(['1 begins', '1 ends', '3 begins', '3 ends']);
  });

  test('An error or a crash before the record leaves it as it is, so that the next run finds the same difference.', async () => {
    await using world = await IntentWorld.open();
    await world.create({ image: 'a' });
    const differences: unknown[] = [];
    const run = async (place: object, act: () => Promise<void>): Promise<void> => {
      const intent = durableIntent({ resource: App, place: place as { annotation: string } });
      await intent.run({ client: world.client, object: await world.read() }, ({ difference }) => {
        differences.push(difference.changed);
        return act();
      });
    };
    const crashing = {
      read: () => undefined,
      write: () => Promise.reject(new Error('crash')),
    };
    await run({ annotation }, async () => undefined);
    await world.change({ image: 'b' });
    await expect(run({ annotation }, () => Promise.reject(new Error('error')))).rejects.toThrow(
      'error',
    );
    await expect(run(crashing, async () => undefined)).rejects.toThrow('crash');
    await run({ annotation }, async () => undefined);
    await run({ annotation }, async () => undefined);
    expect(differences).toEqual([[], ['/image'], [], ['/image'], []]);
  });

  test('An equal spec writes nothing.', async () => {
    await using world = await IntentWorld.open();
    const intent = durableIntent({ resource: App, place: { annotation } });
    const first = await world.create();
    await intent.run({ client: world.client, object: first }, () => undefined);
    const { writes } = world;
    await intent.run({ client: world.client, object: await world.read() }, () => undefined);
    expect(world.writes).toBe(writes);
  });

  test('Invalid options throw at the call, and the error names the option.', () => {
    const names = (act: () => unknown, option: string): void => {
      expect(act).toThrow(
        expect.objectContaining({
          code: 'INVALID_OPTION',
          facts: expect.objectContaining({ option }) as unknown,
        }),
      );
    };
    names(() => durableIntent({ resource: App, place: {} as never }), 'durableIntent.place');
    names(() => new ExecutionGuard({ policy: 'wait' as never }), 'ExecutionGuard.policy');
  });
});
