import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { builtin, type ApiResource } from '@keelson/apimachinery';
import { createApiServer, type ApiServer } from '@keelson/apiserver';
import { createClient, type Client } from '@keelson/client';
import * as fc from 'fast-check';
import { createManager } from '../manager/controller-manager.ts';
import type { Manager } from '../manager/manager.ts';
import {
  eventually,
  gate,
  ManagerPool,
  managersOfTest,
  nothing,
  notingManager,
  objectOf,
  running,
  silent,
  toSelf,
  useFakeTime,
  watchOf,
  WebApp,
} from '../testing/fixtures.test-support.ts';
import type { FakeCache } from '../testing/fake-cache.test-support.ts';
import type { Controller } from './controller.ts';
import type { DynamicWatch } from '../source-set/dynamic-watch.ts';

const { ConfigMap, Secret, Service } = builtin;
const namespace = 'default';

const replace = (
  controller: Controller,
  ...kinds: ApiResource[]
): Promise<readonly DynamicWatch[]> => controller.replaceWatches('set', kinds.map(watchOf));

/** The kinds of the dynamic watches with a handler. */
const watched = (cache: FakeCache): string[] =>
  [...cache.handles]
    .filter(({ handlers, query }) => handlers.size > 0 && query.resource !== WebApp)
    .map(({ query }) => query.resource.kind)
    .toSorted();

async function turns(count = 20): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

describe('the readers of a set that is replaced', () => {
  let server: ApiServer;
  let client: Client;
  let manager: Manager;

  beforeEach(async () => {
    server = await createApiServer({});
    client = createClient({ cluster: server.cluster });
    manager = createManager({
      cluster: server.cluster,
      logger: silent,
      stopSignals: [],
      gracePeriod: 0,
      cache: { linger: 0 },
    });
    for (const color of ['red', 'blue'])
      await client.create(ConfigMap, { metadata: { name: color, namespace, labels: { color } } });
  });

  afterEach(async () => {
    await manager.stop();
    await client.close();
    await server.close();
  });

  const ofColor = (color: string): object => ({
    resource: ConfigMap,
    labelSelector: `color=${color}`,
    sharing: 'exact',
    map: toSelf,
  });

  test('R1-25 see the objects of the former watches or of the new ones at every moment', async () => {
    const controller = manager.addController({ name: 'reading', reconcile: nothing });
    await running(manager);
    const [first] = await controller.replaceWatches('set', [ofColor('red')] as never);
    await first?.synced;
    const seen = new Set<string>();
    const read = (): void => {
      const names = controller.cache.list(ConfigMap).map(({ metadata }) => metadata.name);
      seen.add(names.toSorted().join());
    };
    read();
    for (const color of ['blue', 'red', 'blue']) {
      let isDone = false;
      const change = controller.replaceWatches('set', [ofColor(color)] as never);
      void change.then(() => (isDone = true));
      await eventually(() => {
        read();
        return isDone;
      });
      expect(controller.cache.list(ConfigMap).map(({ metadata }) => metadata.name)).toEqual([
        color,
      ]);
    }
    expect([...seen].toSorted()).toEqual(expect.arrayContaining(['blue', 'red']));
    for (const names of seen) expect(['blue', 'red', 'blue,red']).toContain(names);
  });

  test('R1-25 see the former kind while the new one has not synced', async () => {
    const controller = manager.addController({ name: 'reading', reconcile: nothing });
    await running(manager);
    const [first] = await replace(controller, ConfigMap);
    await first?.synced;
    const stall = server.faults.stallWatches({ resource: Secret });
    const change = replace(controller, Secret);
    await eventually(() => manager.cache.inventory().length === 2);
    await turns();
    expect(controller.cache.list(ConfigMap)).toHaveLength(2);
    expect(() => controller.cache.list(Secret)).toThrow(
      expect.objectContaining({ code: 'NOT_SYNCED' }),
    );
    stall[Symbol.dispose]();
    await change;
    expect(controller.cache.list(Secret)).toEqual([]);
    expect(() => controller.cache.list(ConfigMap)).toThrow(
      expect.objectContaining({ code: 'NOT_WATCHED' }),
    );
  });

  test('R1-25 see the namespaces of a watch that stays until its new ones have synced', async () => {
    await client.create(builtin.Namespace, { metadata: { name: 'team' } });
    await client.create(ConfigMap, { metadata: { name: 'new', namespace: 'team' } });
    const controller = manager.addController({ name: 'reading', reconcile: nothing });
    await running(manager);
    const inSpaces = (...namespaces: string[]): Promise<readonly DynamicWatch[]> =>
      controller.replaceWatches('set', [{ resource: ConfigMap, namespaces, map: toSelf }]);
    const [first] = await inSpaces(namespace);
    await first?.synced;
    const stall = server.faults.stallWatches({ resource: ConfigMap, namespace: 'team' });
    const change = inSpaces('team');
    await turns();
    expect(controller.cache.list(ConfigMap)).toHaveLength(2);
    stall[Symbol.dispose]();
    const [kept] = await change;
    expect(kept).toBe(first);
    expect(kept?.namespaces).toEqual(['team']);
    expect(controller.cache.list(ConfigMap).map(({ metadata }) => metadata.name)).toEqual(['new']);
  });

  test('R1-30 keep the derived data of the new watch: the former one is cleaned up before its events', async () => {
    const order: string[] = [];
    const controller = manager.addController({ name: 'reading', reconcile: nothing });
    await running(manager);
    const noted = (color: string): object => ({
      ...ofColor(color),
      map: ({ name }: { name: string }) => void order.push(`event ${name}`),
      onWatchRemoved: () => order.push(`${color} removed`),
    });
    const [first] = await controller.replaceWatches('set', [noted('red')] as never);
    await first?.synced;
    const [second] = await controller.replaceWatches('set', [noted('blue')] as never);
    await second?.synced;
    await controller.replaceWatches('set', []);
    expect(order).toEqual(['event red', 'red removed', 'event blue', 'blue removed']);
  });
});

describe('the replacement of a set', () => {
  const managers = managersOfTest();

  /** A running controller whose watch of ConfigMaps has synced; further kinds sync when the test calls `sync`. */
  async function holding(): Promise<Awaited<ReturnType<typeof notingManager>>> {
    const world = await notingManager(managers);
    await replace(world.controller, ConfigMap);
    await turns(1);
    world.cache.syncsAtOnce = false;
    return world;
  }

  test('R1-25 delivers the events of the former watch until the new one has synced', async () => {
    const { cache, controller, seen } = await holding();
    const change = replace(controller, Secret);
    expect(watched(cache)).toEqual(['ConfigMap', 'Secret']);
    cache.set(ConfigMap, objectOf(ConfigMap, 'during'));
    await eventually(() => seen.length === 1);
    cache.sync(Secret);
    await change;
    cache.set(ConfigMap, objectOf(ConfigMap, 'after'));
    cache.set(Secret, objectOf(Secret, 'new'));
    await eventually(() => seen.length === 2);
    expect(seen).toEqual(['during', 'new']);
    expect(watched(cache)).toEqual(['Secret']);
  });

  test.each(['forbidden', 'parked', 'over-budget'] as const)(
    'RC09 a new watch that is %s keeps no former one',
    async (state) => {
      const { cache, controller } = await holding();
      const change = replace(controller, Secret);
      cache.setHealth(Secret, state, 'planned');
      await change;
      expect(watched(cache)).toEqual(['Secret']);
    },
  );

  test('RC09 a watch that was never read leaves at once', async () => {
    const { cache, controller } = await holding();
    cache.setHealth(ConfigMap, 'live', '');
    const first = replace(controller, ConfigMap, Secret);
    await first;
    const second = replace(controller, ConfigMap);
    expect(watched(cache)).toEqual(['ConfigMap']);
    await second;
  });

  test('RC09 a set that only grows or shrinks does not wait', async () => {
    const { cache, controller } = await holding();
    await replace(controller, ConfigMap, Secret);
    await replace(controller, Secret, Service, ConfigMap);
    expect(watched(cache)).toEqual(['ConfigMap', 'Secret', 'Service']);
    cache.sync(Secret);
    cache.sync(Service);
    await turns();
    await replace(controller, Service);
    expect(watched(cache)).toEqual(['Service']);
  });

  test('RC09 a new watch that does not sync in time is named, and the former one leaves when it has synced', async () => {
    useFakeTime({ setImmediate: true });
    const { manager, cache } = managers.make();
    const controller = manager.addController({
      name: 'waiting',
      cacheSyncTimeout: '1m',
      reconcile: nothing,
    });
    const start = running(manager);
    await jest.advanceTimersByTimeAsync(0);
    await start;
    await replace(controller, ConfigMap);
    await turns(1);
    cache.syncsAtOnce = false;
    const change = replace(controller, Secret, Service);
    cache.sync(Service);
    const failed = expect(change).rejects.toMatchObject({
      code: 'REPLACE_WATCHES_FAILED',
      facts: { failedToAdd: ['watch Secret'], failedToRemove: ['watch ConfigMap'] },
      cause: { code: 'CACHE_SYNC_TIMEOUT', facts: { source: 'watch Secret' } },
    });
    await jest.advanceTimersByTimeAsync(60_000);
    await failed;
    expect(watched(cache)).toEqual(['ConfigMap', 'Secret', 'Service']);
    cache.sync(Secret);
    await turns();
    expect(watched(cache)).toEqual(['Secret', 'Service']);
  });

  test('RC09 a signal ends the wait and no more', async () => {
    const { cache, controller } = await holding();
    const stop = new AbortController();
    const change = controller.replaceWatches('set', [watchOf(Secret)], { signal: stop.signal });
    stop.abort(new Error('enough'));
    await expect(change).rejects.toMatchObject({
      code: 'REPLACE_WATCHES_FAILED',
      facts: { failedToAdd: [], failedToRemove: ['watch ConfigMap'] },
    });
    expect(watched(cache)).toEqual(['ConfigMap', 'Secret']);
    cache.sync(Secret);
    await turns();
    expect(watched(cache)).toEqual(['Secret']);
  });

  test('RC09 a later call takes a watch back that has not left, and ends what has not synced', async () => {
    const { cache, controller } = await holding();
    const former = [...cache.handles].find(({ query }) => query.resource === ConfigMap);
    const first = replace(controller, Secret);
    const second = replace(controller, ConfigMap, Service);
    expect(watched(cache)).toEqual(['ConfigMap', 'Service']);
    expect([...cache.handles]).toContain(former);
    await Promise.all([first, second]);
    const third = replace(controller, Secret);
    const fourth = replace(controller, Secret, Service);
    expect(watched(cache)).toEqual(['ConfigMap', 'Secret', 'Service']);
    cache.sync(Secret);
    await turns();
    expect(watched(cache)).toEqual(['ConfigMap', 'Secret', 'Service']);
    cache.sync(Service);
    await Promise.all([third, fourth]);
    expect(watched(cache)).toEqual(['Secret', 'Service']);
  });

  test('RC09 a later call ends a namespace that has not synced and is no longer wanted', async () => {
    const { cache, controller } = await notingManager(managers);
    const inNamespaces = (namespaces: readonly string[]) =>
      controller.replaceWatches('set', [{ ...watchOf(Secret), namespaces }]);
    const [watch] = await inNamespaces(['a']);
    cache.syncsAtOnce = false;
    let resolved = 0;
    for (const name of ['b', 'c']) {
      void inNamespaces([name]).then(() => (resolved += 1));
      await turns();
    }
    expect([watch?.namespaces, cache.namespacesOf(Secret), resolved]).toEqual([
      ['a', 'c'],
      ['a', 'c'],
      0,
    ]);
    void inNamespaces(['a']).then(() => (resolved += 1));
    await turns();
    expect([cache.namespacesOf(Secret), resolved]).toEqual([['a'], 3]);
  });

  test('RC09 the namespaces that an earlier call ends leave although a later change fails', async () => {
    const { cache, controller } = await notingManager(managers);
    const inNamespaces = (namespaces: readonly string[], apply: (object: never) => never) =>
      controller.replaceWatches('set', [
        { ...watchOf(Secret), namespaces, transform: { name: 'same', apply } },
      ]);
    const same = (object: never): never => object;
    const [watch] = await inNamespaces(['a', 'b'], same);
    cache.syncsAtOnce = false;
    const first = inNamespaces(['b', 'c'], same);
    await turns();
    const failed = inNamespaces(['c'], (object) => object);
    failed.catch(nothing);
    await turns();
    expect(watch?.namespaces).toEqual(['a', 'b', 'c']);
    cache.sync(Secret);
    await first;
    await expect(failed).rejects.toMatchObject({ code: 'REPLACE_WATCHES_FAILED' });
    expect(watch?.namespaces).toEqual(['b', 'c']);
  });

  test('RC09 watches that user code removes in the middle neither stay nor hold others', async () => {
    const { cache, controller } = await holding();
    const change = replace(controller, Secret, Service);
    cache.sync(Service);
    await turns();
    expect(watched(cache)).toEqual(['ConfigMap', 'Secret', 'Service']);
    const again = replace(controller, Service);
    await Promise.all([change, again]);
    expect(watched(cache)).toEqual(['Service']);
    const [former] = await replace(controller, Service);
    const last = replace(controller, Secret);
    await former?.remove();
    expect(watched(cache)).toEqual(['Secret']);
    cache.sync(Secret);
    const [secrets] = await last;
    const end = replace(controller, ConfigMap);
    await secrets?.remove();
    cache.sync(ConfigMap);
    await end;
    expect(watched(cache)).toEqual(['ConfigMap']);
  });

  test('R1-15 a stop in the middle ends the call and calls no onWatchRemoved', async () => {
    const removed: string[] = [];
    const { cache, controller } = await notingManager(managers);
    await controller.replaceWatches('set', [
      { ...watchOf(ConfigMap), onWatchRemoved: () => removed.push('ConfigMap') },
    ]);
    await turns(1);
    cache.syncsAtOnce = false;
    const change = expect(replace(controller, Secret)).rejects.toMatchObject({
      code: 'CONTROLLER_STOPPED',
    });
    await turns();
    await controller.stop();
    await change;
    await turns();
    expect([removed, cache.handles.size]).toEqual([[], 0]);
    await expect(replace(controller, Service)).rejects.toMatchObject({
      code: 'CONTROLLER_STOPPED',
    });
  });

  test('RC09 a call of a mapper in the middle of another call follows it', async () => {
    const { cache, controller } = await notingManager(managers);
    cache.set(Secret, objectOf(Secret, 's'));
    let inner: Promise<unknown> | undefined;
    const outer = controller.replaceWatches('set', [
      {
        resource: Secret,
        map: () => {
          inner ??= replace(controller, Service);
          return undefined;
        },
      },
      watchOf(ConfigMap),
    ]);
    await outer;
    await inner;
    expect(watched(cache)).toEqual(['Service']);
  });

  test('RC09 a call within a reconcile that a leaving watch caused ends', async () => {
    const { manager, cache } = managers.make();
    const done = gate();
    const controller: Controller = manager.addController({
      name: 'inside',
      reconcile: async () => {
        await Promise.all([replace(controller, Secret), replace(controller, Service)]);
        done.open();
      },
    });
    await running(manager);
    await replace(controller, ConfigMap);
    cache.syncsAtOnce = false;
    cache.set(ConfigMap, objectOf(ConfigMap, 'a'));
    await eventually(() => watched(cache).includes('Service'));
    cache.sync(Service);
    await done.opened;
    await turns();
    expect(watched(cache)).toEqual(['Service']);
  });

  test('a deletion that waits in the queue passes to the new watch of the kind, and what it does not select is dropped', async () => {
    const { manager, cache } = managers.make();
    const end = gate();
    const seen: string[] = [];
    const controller = manager.addController({
      name: 'busy',
      reconcile: ({ name }) => {
        seen.push(name);
        return name === 'first' ? end.opened : undefined;
      },
    });
    const secret = (name: string, color: string) =>
      objectOf(Secret, name, { metadata: { labels: { color } } });
    const selecting = (labelSelector: string): Promise<unknown> =>
      controller.replaceWatches('set', [{ ...watchOf(Secret), labelSelector }]);
    await running(manager);
    await selecting('color in (red,blue)');
    cache.set(Secret, secret('first', 'blue'));
    await eventually(() => seen.length === 1);
    cache.set(Secret, secret('gone', 'blue'));
    cache.delete(Secret, { namespace: 'default', name: 'gone' });
    cache.set(Secret, secret('leaves', 'red'));
    cache.set(Secret, secret('stays', 'blue'));
    const change = selecting('color=blue');
    await turns();
    end.open();
    await change;
    await eventually(() => controller.length === 0 && controller.running === 0);
    expect(new Set(seen)).toEqual(new Set(['first', 'gone', 'stays']));
  });
});

const kinds = [ConfigMap, Secret, Service] as const;
const step = fc.oneof(
  fc.record({
    does: fc.constant('replace' as const),
    kinds: fc.uniqueArray(fc.nat({ max: 2 }), { maxLength: 3 }),
  }),
  fc.record({
    does: fc.constantFrom('sync', 'event', 'block', 'remove'),
    kind: fc.nat({ max: 2 }),
  }),
  fc.record({ does: fc.constantFrom('turn', 'abort') }),
);

describe('random replacements of a set', () => {
  test('R1-25 leave a reader the last complete set or the new one, and end with the last set', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
        const pool = new ManagerPool();
        const { manager, cache } = pool.make();
        try {
          const controller = manager.addController({ name: 'random', reconcile: nothing });
          await running(manager);
          cache.syncsAtOnce = false;
          const calls: Promise<unknown>[] = [];
          let abort = new AbortController();
          /** The kinds of the last set that could be read, except those that user code removed. */
          let complete: string[] = [];
          let wanted: string[] = [];
          const handleOf = (kind: string) =>
            [...cache.handles].find(
              ({ query, handlers }) => query.resource.kind === kind && handlers.size > 0,
            );
          const isReadable = (kind: string): boolean => handleOf(kind)?.hasSynced === true;
          const watches = new Map<string, DynamicWatch>();
          for (const one of steps) {
            if (one.does === 'replace') {
              wanted = one.kinds.map((at) => kinds[at]?.kind ?? '');
              const call = controller.replaceWatches(
                'set',
                one.kinds.map((at) => ({
                  ...watchOf(kinds[at] ?? Secret),
                  onWatchRemoved: nothing,
                })),
                { signal: abort.signal },
              );
              call.then((all) => all.forEach((watch) => watches.set(watch.name, watch)), nothing);
              calls.push(call.catch(nothing));
            } else if (one.does === 'sync') cache.sync(kinds[one.kind] ?? Secret);
            else if (one.does === 'event')
              cache.set(kinds[one.kind] ?? Secret, objectOf(kinds[one.kind] ?? Secret, 'x'));
            else if (one.does === 'block')
              cache.setHealth(kinds[one.kind] ?? Secret, 'forbidden', 'planned');
            else if (one.does === 'remove') {
              const { kind } = kinds[one.kind] ?? Secret;
              const watch = watches.get(`watch ${kind}`);
              if (watch !== undefined) calls.push(watch.remove());
              complete = complete.filter((other) => other !== kind);
            } else if (one.does === 'abort') {
              abort.abort(new Error('planned'));
              abort = new AbortController();
            } else await turns(2);
            const isBlocked = (kind: string): boolean =>
              handleOf(kind)?.health.state === 'forbidden';
            const isNew = wanted.every(
              (kind) => isReadable(kind) || isBlocked(kind) || handleOf(kind) === undefined,
            );
            if (!isNew)
              expect({ complete, missing: complete.filter((kind) => !isReadable(kind)) }).toEqual({
                complete,
                missing: [],
              });
            else complete = wanted.filter(isReadable);
          }
          const last = replace(controller, Secret, Service);
          for (const kind of kinds) cache.sync(kind);
          await last;
          await Promise.all(calls);
          await turns();
          expect(watched(cache)).toEqual(['Secret', 'Service']);
          expect(cache.handles.size).toBe(2);
        } finally {
          await pool.stopAll();
        }
      }),
      { numRuns: 80 },
    );
  }, 120_000);
});
