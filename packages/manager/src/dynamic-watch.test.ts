import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { builtin } from '@keelson/apimachinery';
import * as fc from 'fast-check';
import type { Controller, DynamicWatch } from './controller.ts';
import type { FakeCache } from './fake-cache.test-support.ts';
import {
  eventually,
  gate,
  ManagerPool,
  objectOf,
  running,
  valueOf,
  WebApp,
  useFakeTime,
} from './fixtures.test-support.ts';
import type { Manager } from './manager.ts';
import type { WatchOptions } from './source-options.ts';

const { ConfigMap, Secret, Service } = builtin;

const managers = new ManagerPool();

afterEach(async () => {
  jest.useRealTimers();
  await managers.stopAll();
});

const toSelf = ({ name }: { readonly name: string }): { name: string } => ({ name });
const watchOf = (resource: typeof ConfigMap | typeof Secret | typeof Service): WatchOptions => ({
  resource,
  map: toSelf,
});

/** A running manager with a controller that notes what it runs, and can be held up. */
async function noting(): Promise<{
  manager: Manager;
  cache: FakeCache;
  controller: Controller;
  seen: string[];
}> {
  const { manager, cache } = managers.make();
  const seen: string[] = [];
  const controller = manager.addController({
    name: 'noting',
    for: WebApp,
    reconcile({ name }) {
      seen.push(name);
    },
  });
  await running(manager);
  return { manager, cache, controller, seen };
}

describe('a dynamic watch', () => {
  test('brings the objects there are and every later event, and nothing after its removal', async () => {
    const { cache, controller, seen } = await noting();
    cache.set(ConfigMap, objectOf(ConfigMap, 'old'));
    const watch = controller.watch({ resource: ConfigMap, map: toSelf });
    await watch.synced;
    await eventually(() => seen.length === 1);
    cache.set(ConfigMap, objectOf(ConfigMap, 'new'));
    await eventually(() => seen.length === 2);
    expect(seen).toEqual(['old', 'new']);
    await watch.remove();
    await watch.remove();
    cache.set(ConfigMap, objectOf(ConfigMap, 'later'));
    expect(controller.length).toBe(0);
    expect([...cache.handles].map(({ owner }) => owner)).toEqual(['noting#1: for WebApp']);
  });

  test('RC11 a watch whose server hangs is added and removed at once, and its synced rejects', async () => {
    const { cache, controller } = await noting();
    cache.syncsAtOnce = false;
    const watch = controller.watch({ resource: ConfigMap, map: toSelf });
    expect(watch.health?.state).toBe('syncing');
    await watch.remove();
    await expect(watch.synced).rejects.toMatchObject({ code: 'WATCH_REMOVED' });
    expect(cache.handles.size).toBe(1);
  });

  test('RC06 a static controller and a dynamic watch on one kind; the dynamic one leaves: the controller still gets events', async () => {
    const { cache, controller, seen } = await noting();
    const watch = controller.watch({ resource: WebApp, map: () => ({ name: 'mapped' }) });
    cache.set(WebApp, objectOf(WebApp, 'a'));
    await eventually(() => seen.length === 2);
    expect(seen.toSorted()).toEqual(['a', 'mapped']);
    await watch.remove();
    cache.set(WebApp, objectOf(WebApp, 'b'));
    await eventually(() => seen.length === 3);
    expect(seen.at(-1)).toBe('b');
  });

  test('RC14 queued requests of a removed watch are purged, one that another watch also asked for stays, and a running reconcile ends before remove resolves', async () => {
    const { manager, cache } = managers.make();
    const end = gate();
    const seen: string[] = [];
    const controller = manager.addController({
      name: 'busy',
      for: WebApp,
      async reconcile({ name }) {
        seen.push(name);
        if (name === 'running') await end.opened;
      },
    });
    await running(manager);
    const first = controller.watch({ resource: ConfigMap, map: toSelf });
    const second = controller.watch({ resource: Secret, map: toSelf });
    cache.set(ConfigMap, objectOf(ConfigMap, 'running'));
    await eventually(() => controller.running === 1);
    for (let count = 0; count < 50; count += 1) {
      cache.set(ConfigMap, objectOf(ConfigMap, `only-${count}`));
    }
    cache.set(ConfigMap, objectOf(ConfigMap, 'both'));
    cache.set(Secret, objectOf(Secret, 'both'));
    expect(controller.length).toBe(51);
    let removed = false;
    const removal = first.remove().then(() => (removed = true));
    expect(controller.length).toBe(1);
    expect(await valueOf(manager, 'keelson_requests_purged_total')).toBe(50);
    await new Promise((resolve) => setImmediate(resolve));
    expect(removed).toBe(false);
    end.open();
    await removal;
    await eventually(() => seen.length === 2);
    expect(seen).toEqual(['running', 'both']);
    await second.remove();
  });

  test('RC14 a run that fails after its only watch was removed is not retried', async () => {
    const { manager, cache } = managers.make({ controllers: { backoff: { base: '1h' } } });
    const end = gate();
    let runs = 0;
    const controller = manager.addController({
      name: 'failing',
      async reconcile() {
        runs += 1;
        await end.opened;
        throw new Error('no');
      },
    });
    await running(manager);
    const watch = controller.watch({ resource: ConfigMap, map: toSelf });
    cache.set(ConfigMap, objectOf(ConfigMap, 'a'));
    await eventually(() => runs === 1);
    const removal = watch.remove();
    end.open();
    await removal;
    controller.enqueue({ name: 'after' });
    await eventually(() => runs === 2);
    expect(await valueOf(manager, 'workqueue_retries_total', { controller: 'failing' })).toBe(1);
  });

  test('a removal ends when the running reconcile has passed its timeout, or the signal gives up', async () => {
    useFakeTime();
    const { manager, cache } = managers.make();
    const end = gate();
    const controller = manager.addController({
      name: 'stuck',
      timeout: '1m',
      reconcile: () => end.opened,
    });
    manager.start().catch(() => undefined);
    await jest.advanceTimersByTimeAsync(1);
    const watch = controller.watch({ resource: ConfigMap, map: toSelf });
    cache.set(ConfigMap, objectOf(ConfigMap, 'a'));
    await jest.advanceTimersByTimeAsync(1);
    expect(controller.running).toBe(1);
    const giveUp = new AbortController();
    const impatient = watch.remove({ signal: giveUp.signal });
    giveUp.abort(new Error('enough'));
    await expect(impatient).rejects.toThrow('enough');
    const patient = watch.remove();
    await jest.advanceTimersByTimeAsync(60_000);
    await patient;
    expect(controller.running).toBe(1);
    end.open();
    await jest.advanceTimersByTimeAsync(1);
  });

  test('a reconcile may remove the watch that caused it', async () => {
    const { manager, cache } = managers.make();
    let watch: DynamicWatch | undefined;
    let removed = false;
    const controller = manager.addController({
      name: 'self-removing',
      async reconcile() {
        await watch?.remove();
        removed = true;
      },
    });
    await running(manager);
    watch = controller.watch({ resource: ConfigMap, map: toSelf });
    cache.set(ConfigMap, objectOf(ConfigMap, 'a'));
    await eventually(() => removed);
    expect(cache.handles.size).toBe(0);
  });

  test('CT33 option errors name the option', async () => {
    const { controller } = await noting();
    const wrong = { resource: { ...ConfigMap, plural: undefined }, map: toSelf } as never;
    const codes: [object, string, string][] = [
      [wrong, 'INVALID_OPTION', 'watch.resource'],
      [{ resource: ConfigMap }, 'INVALID_OPTION', 'watch.map'],
      [{ resource: ConfigMap, map: toSelf, mapp: 1 }, 'INVALID_OPTION', 'watch.mapp'],
      [
        { resource: ConfigMap, map: toSelf, labelSelector: 'a in' },
        'INVALID_LABEL_SELECTOR',
        'a in',
      ],
      [{ resource: ConfigMap, map: toSelf, fieldSelector: 'a' }, 'INVALID_FIELD_SELECTOR', 'a'],
    ];
    for (const [options, code, named] of codes) {
      let error: unknown;
      try {
        controller.watch(options as never);
      } catch (thrown) {
        error = thrown;
      }
      expect(error).toMatchObject({ code });
      expect((error as Error).message).toContain(named);
    }
  });
});

describe('a set of watches', () => {
  const replace = (
    controller: Controller,
    ...kinds: Parameters<typeof watchOf>[0][]
  ): Promise<readonly DynamicWatch[]> => controller.replaceWatches('tenants', kinds.map(watchOf));

  test('RC09 {A,B} replaced by {B,C}: B is not restarted, A ends, C starts; another set is untouched', async () => {
    const { cache, controller, seen } = await noting();
    await controller.replaceWatches('others', [watchOf(ConfigMap)]);
    await replace(controller, ConfigMap, Secret);
    const before = new Map([...cache.handles].map((handle) => [handle.identity, handle]));
    const acquired = cache.acquired.length;
    const [secrets] = await replace(controller, Secret, Service);
    expect(cache.acquired.slice(acquired)).toEqual(['v1/services']);
    expect([...cache.handles].map(({ identity }) => identity).toSorted()).toEqual([
      'apps.example.com/v1/webapps',
      'v1/configmaps',
      'v1/secrets',
      'v1/services',
    ]);
    expect([...cache.handles]).toContain(before.get('v1/secrets'));
    expect(secrets?.name).toBe('watch Secret');
    for (const kind of [ConfigMap, Secret, Service]) cache.set(kind, objectOf(kind, kind.plural));
    await eventually(() => seen.length === 3);
    expect(seen).toEqual(['configmaps', 'secrets', 'services']);
  });

  test('RC09 a kept watch works with its new functions from the next event on', async () => {
    const { cache, controller, seen } = await noting();
    await replace(controller, Secret);
    await controller.replaceWatches('tenants', [
      {
        resource: Secret,
        predicates: [({ object }) => object.name !== 'vetoed'],
        map: ({ name }) => ({ name: `new-${name}` }),
      },
    ]);
    cache.set(Secret, objectOf(Secret, 'vetoed'));
    cache.set(Secret, objectOf(Secret, 'a'));
    await eventually(() => seen.length === 1);
    expect(seen).toEqual(['new-a']);
  });

  test('RC09 a failing C does not undo A or B; the error lists what failed to add and to remove', async () => {
    const { manager, cache } = managers.make();
    const end = gate();
    const controller = manager.addController({ name: 'partly', reconcile: () => end.opened });
    await running(manager);
    await replace(controller, ConfigMap, Secret);
    cache.set(ConfigMap, objectOf(ConfigMap, 'held'));
    await eventually(() => controller.running === 1);
    const failing = { resource: { ...Service, plural: '' }, map: toSelf };
    const change = controller.replaceWatches('tenants', [watchOf(Secret), failing], {
      signal: AbortSignal.abort(new Error('no time')),
    });
    await expect(change).rejects.toMatchObject({
      code: 'REPLACE_WATCHES_FAILED',
      facts: {
        set: 'tenants',
        failedToAdd: ['watch Service'],
        failedToRemove: ['watch ConfigMap'],
      },
    });
    const hearing = [...cache.handles].filter(({ handlers }) => handlers.size > 0);
    expect(hearing.map(({ identity }) => identity)).toEqual(['v1/secrets']);
    end.open();
    await eventually(() => cache.handles.size === 1);
  });

  test('RC09 the same watch twice in one set is an error, and a watch removed by itself comes back', async () => {
    const { cache, controller } = await noting();
    await expect(replace(controller, Secret, Secret)).rejects.toMatchObject({
      code: 'REPLACE_WATCHES_FAILED',
      cause: { code: 'DUPLICATE_WATCH' },
    });
    const [watch] = await replace(controller, Secret);
    await watch?.remove();
    expect(cache.handles.size).toBe(1);
    await replace(controller, Secret);
    expect(cache.handles.size).toBe(2);
    await replace(controller);
    expect(cache.handles.size).toBe(1);
  });
});

describe('controllers that come and go', () => {
  test('RC16 controller A removed: its predicates and mappers run no more; B keeps receiving', async () => {
    const { manager, cache } = managers.make();
    const told: string[] = [];
    const add = (name: string): Controller =>
      manager.addController({
        name,
        watches: [
          {
            resource: Secret,
            predicates: [() => told.push(`${name} predicate`) > 0],
            map(secret) {
              told.push(`${name} map`);
              return { name: secret.name };
            },
          },
        ],
        reconcile: () => undefined,
      });
    const a = add('a');
    add('b');
    await running(manager);
    await a.stop();
    cache.set(Secret, objectOf(Secret, 's'));
    expect(told).toEqual(['b predicate', 'b map']);
  });

  test('RC15 stop before start, and start after stop by the same name', async () => {
    const { manager, cache } = managers.make();
    const seen: string[] = [];
    const add = (tag: string): Controller =>
      manager.addController({
        name: 'same',
        for: WebApp,
        reconcile({ name }) {
          seen.push(`${tag} ${name}`);
        },
      });
    const first = add('first');
    await first.stop();
    add('second');
    await running(manager);
    expect([...cache.handles].map(({ owner }) => owner)).toEqual(['same#2: for WebApp']);
    cache.set(WebApp, objectOf(WebApp, 'a'));
    await eventually(() => seen.length === 1);
    expect(seen).toEqual(['second a']);
  });

  type Step =
    | { readonly act: 'add' | 'stop' | 'event'; readonly at: number }
    | {
        readonly act: 'watch' | 'remove' | 'replace';
        readonly at: number;
        readonly kinds: readonly number[];
      }
    | { readonly act: 'turn' }
    | { readonly act: 'sync' };

  const kinds = [ConfigMap, Secret, Service] as const;
  const at = fc.nat({ max: 2 });
  const someKinds = fc.uniqueArray(fc.nat({ max: 2 }), { maxLength: 3 });
  const step: fc.Arbitrary<Step> = fc.oneof(
    fc.record({ act: fc.constantFrom('add', 'stop', 'event'), at }),
    fc.record({ act: fc.constantFrom('watch', 'remove', 'replace'), at, kinds: someKinds }),
    fc.constantFrom<Step>({ act: 'turn' }, { act: 'sync' }),
  );

  /** Applies the steps; then what is held must be what the model says, and in the end nothing. */
  async function play(steps: readonly Step[]): Promise<void> {
    const pool = new ManagerPool();
    const { manager, cache } = pool.make();
    cache.syncsAtOnce = false;
    const controllers: (Controller | undefined)[] = [];
    const watches = new Set<{ readonly owner: Controller; readonly watch: DynamicWatch }>();
    const pending: Promise<unknown>[] = [];
    await running(manager);
    const forget = (owner: Controller): void => {
      for (const entry of watches) if (entry.owner === owner) watches.delete(entry);
    };
    const sets = new Map<Controller, readonly number[]>();
    for (const action of steps) {
      if (action.act === 'turn') {
        // oxlint-disable-next-line no-await-in-loop
        await Promise.resolve();
      } else if (action.act === 'sync') {
        for (const kind of [...kinds, WebApp]) cache.sync(kind);
      } else {
        const controller = controllers[action.at];
        if (action.act === 'add' && controller === undefined) {
          // The name is free only when its last bearer has ended.
          // oxlint-disable-next-line no-await-in-loop
          await Promise.all(pending.splice(0));
          controllers[action.at] = manager.addController({
            name: `c${action.at}`,
            for: WebApp,
            reconcile: () => undefined,
          });
        } else if (controller !== undefined) {
          if (action.act === 'stop') {
            pending.push(controller.stop());
            forget(controller);
            sets.delete(controller);
            controllers[action.at] = undefined;
          } else if (action.act === 'event') {
            cache.set(kinds[action.at] ?? ConfigMap, objectOf(ConfigMap, 'x'));
          } else if (action.act === 'watch') {
            for (const kind of action.kinds) {
              watches.add({
                owner: controller,
                watch: controller.watch(watchOf(kinds[kind] ?? Secret)),
              });
            }
          } else if (action.act === 'remove') {
            for (const entry of [...watches].filter(({ owner }) => owner === controller)) {
              pending.push(entry.watch.remove());
              watches.delete(entry);
            }
          } else if (action.act === 'replace') {
            pending.push(replaceWith(controller, action.kinds));
            sets.set(controller, action.kinds);
          }
        }
      }
      const inSets = [...sets.values()].reduce((sum, set) => sum + set.length, 0);
      const alive = controllers.filter((controller) => controller !== undefined).length;
      expect(cache.handlers).toBe(alive + watches.size + inSets);
    }
    await Promise.all(pending);
    await pool.stopAll();
    expect(cache.handles.size).toBe(0);
    expect(cache.handlers).toBe(0);
  }

  function replaceWith(controller: Controller, set: readonly number[]): Promise<unknown> {
    return controller.replaceWatches(
      'set',
      set.map((kind) => watchOf(kinds[kind] ?? Secret)),
    );
  }

  test('RC15 random interleavings of add, start, watch, remove and stop, 10 000 operations: no orphan handler, no orphan watch', async () => {
    let operations = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 40, maxLength: 60, size: 'max' }),
        async (steps) => {
          operations += steps.length;
          await play(steps);
        },
      ),
      { numRuns: 250, seed: 20_261_121 },
    );
    expect(operations).toBeGreaterThanOrEqual(10_000);
  });
});
