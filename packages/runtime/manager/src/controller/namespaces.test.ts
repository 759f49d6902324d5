import { describe, expect, jest, test } from '@jest/globals';
import { builtin, type ApiResource } from '@keelson/apimachinery';
import type { Controller } from './controller.ts';
import type { ControllerOptions } from './controller-options.ts';
import type { FakeCache } from '../testing/fake-cache.test-support.ts';
import {
  eventually,
  gate,
  managersOfTest,
  nothing,
  objectOf,
  running,
  toSelf,
  useFakeTime,
  WebApp,
} from '../testing/fixtures.test-support.ts';
import type { Manager } from '../manager/manager.ts';
import type { ManagerOptions } from '../manager/manager-options.ts';

const { ConfigMap, Node, Secret, Service } = builtin;

const managers = managersOfTest();

/** A running controller of WebApps that records its requests and their causes. */
async function recording(
  own: Partial<ControllerOptions>,
  shared: ManagerOptions = {},
): Promise<{ manager: Manager; cache: FakeCache; controller: Controller; seen: string[] }> {
  const { manager, cache } = managers.make(shared);
  const seen: string[] = [];
  const controller = manager.addController({
    name: 'recording',
    for: WebApp,
    ...own,
    reconcile: ({ namespace, name }) => void seen.push(`${namespace}/${name}`),
  });
  await running(manager);
  return { manager, cache, controller, seen };
}

function put(cache: FakeCache, resource: ApiResource, key: string): void {
  const [namespace = '', name = ''] = key.split('/');
  cache.set(resource, objectOf(resource, name, { namespace }));
}

describe('the namespaces of a source', () => {
  test('are its own, else those of the controller, of the kind, of the manager, else all', async () => {
    const shared = { namespaces: ['m'], kinds: [{ resource: Secret, namespaces: ['k', 'j'] }] };
    const { manager, cache } = await recording(
      {
        for: { resource: WebApp, namespaces: ['b', 'a', 'b'] },
        owns: [ConfigMap],
        watches: [{ resource: Service, map: toSelf, namespace: 'one' }],
        reads: [Node, { resource: Secret, namespace: '' }],
        namespaces: ['c'],
      },
      shared,
    );
    const namespaces = (): string[][] =>
      [WebApp, ConfigMap, Service, Node, Secret].map((kind) => cache.namespacesOf(kind));
    expect(namespaces()).toEqual([['a', 'b'], ['c'], ['one'], [''], ['']]);
    manager.addController({ name: 'second', reads: [Secret, ConfigMap, Node], reconcile: nothing });
    expect(namespaces()).toEqual([['a', 'b'], ['c', 'm'], ['one'], ['', ''], ['', 'j', 'k']]);
    expect(cache.handles.size).toBe(10);
  });

  test('do not change with the lists that the options named', async () => {
    const lists = [['own'], ['controller'], ['kind'], ['manager']] as const;
    const [own, controllers, kind, all] = lists as unknown as string[][];
    const { cache, controller, manager } = await recording(
      {
        for: { resource: WebApp, namespaces: own ?? [] },
        reads: [Secret],
        namespaces: controllers ?? [],
      },
      { namespaces: all ?? [], kinds: [{ resource: Service, namespaces: kind ?? [] }] },
    );
    manager.addController({ name: 'second', reads: [Service, ConfigMap], reconcile: nothing });
    const namespaces = (): string[] => [...cache.handles].map(({ query }) => query.namespace ?? '');
    expect(namespaces()).toEqual(['own', 'controller', 'kind', 'manager']);
    for (const list of [own, controllers, kind, all]) list?.splice(0, 1, 'changed');
    controller.watch({ resource: Secret, map: toSelf });
    manager.addController({ name: 'third', reads: [Service, ConfigMap], reconcile: nothing });
    expect(namespaces().slice(4)).toEqual(['controller', 'kind', 'manager']);
  });

  test('have one watch each, and lead to requests with the cause of the source', async () => {
    const { cache, controller, seen } = await recording({ namespaces: ['a', 'b'] });
    for (const key of ['a/x', 'b/x', 'c/x']) put(cache, WebApp, key);
    await eventually(() => seen.length === 2 && controller.length === 0);
    expect(seen).toEqual(['a/x', 'b/x']);
    expect(new Set([...cache.handles].map(({ owner }) => owner))).toEqual(
      new Set(['recording#1: for WebApp']),
    );
  });

  test('are named with the watch that is forbidden or does not sync', async () => {
    useFakeTime({ setImmediate: true });
    const { manager, cache } = managers.make({ controllers: { cacheSyncTimeout: 20 } });
    cache.syncsAtOnce = false;
    const controller = manager.addController({
      name: 'waiting',
      for: { resource: WebApp, namespaces: ['a', 'b', 'c'] },
      reconcile: nothing,
    });
    const started = manager.start();
    await eventually(() => cache.handles.size === 3);
    for (const handle of cache.handlesIn(WebApp, 'a')) handle.sync();
    cache.setHealth(WebApp, 'forbidden', 'no', 'b');
    const facts = { resource: 'apps.example.com/v1/webapps', source: 'for WebApp' };
    // Else the rejection counts as unhandled while time advances.
    started.catch(nothing);
    await jest.advanceTimersByTimeAsync(20);
    await expect(controller.synced).rejects.toMatchObject({
      code: 'CACHE_SYNC_TIMEOUT',
      facts: { ...facts, namespace: 'c', others: [`${facts.resource} in namespace b`] },
    });
    await expect(started).rejects.toMatchObject({ code: 'CACHE_SYNC_TIMEOUT' });
  });
});

describe('a change of the namespaces of a controller', () => {
  test('keeps the watches that stay, adds the new ones, and ends the others', async () => {
    const { cache, controller, seen } = await recording({
      owns: [Secret],
      namespaces: ['a', 'b'],
    });
    put(cache, WebApp, 'b/x');
    put(cache, WebApp, 'c/x');
    await eventually(() => seen.length === 1);
    const [kept] = cache.handlesIn(WebApp, 'b');
    const acquired = cache.acquired.length;
    await controller.setNamespaces(['c', 'b']);
    expect(cache.namespacesOf(WebApp)).toEqual(['b', 'c']);
    expect(cache.namespacesOf(Secret)).toEqual(['b', 'c']);
    expect(cache.handlesIn(WebApp, 'b')).toEqual([kept]);
    expect(cache.acquired.length - acquired).toBe(2);
    put(cache, WebApp, 'a/late');
    put(cache, WebApp, 'b/late');
    await eventually(() => seen.length === 3);
    expect(seen.slice(1).toSorted()).toEqual(['b/late', 'c/x']);
    await controller.setNamespaces(['b', 'c']);
    expect(cache.acquired.length - acquired).toBe(2);
  });

  test('drops the requests that only the namespaces that left caused', async () => {
    const { manager, cache } = managers.make();
    const { opened, open } = gate();
    const seen: string[] = [];
    const controller = manager.addController({
      name: 'blocked',
      for: WebApp,
      watches: [
        {
          resource: Secret,
          namespaces: ['other'],
          map: ({ name }) => ({ namespace: 'left', name }),
        },
      ],
      namespaces: ['left', 'stays'],
      async reconcile({ namespace, name }) {
        seen.push(`${namespace}/${name}`);
        await opened;
      },
    });
    await running(manager);
    put(cache, WebApp, 'stays/first');
    await eventually(() => controller.running === 1);
    for (const key of ['left/only', 'left/both', 'left/manual', 'stays/x']) put(cache, WebApp, key);
    put(cache, Secret, 'other/both');
    controller.enqueue({ namespace: 'left', name: 'manual' });
    expect(controller.length).toBe(4);
    await controller.setNamespaces(['stays']);
    expect(controller.length).toBe(3);
    open();
    await eventually(() => seen.length === 4);
    expect(seen.toSorted()).toEqual(['left/both', 'left/manual', 'stays/first', 'stays/x']);
  });

  test('drops the retries and delayed requests of the objects that left, and keeps those of the others', async () => {
    useFakeTime({ setImmediate: true });
    const { manager, cache } = managers.make({ controllers: { backoff: { base: 50 } } });
    const seen: string[] = [];
    const controller = manager.addController({
      name: 'repeating',
      for: WebApp,
      namespaces: ['left', 'stays'],
      reconcile({ namespace, name }, { attempt }) {
        seen.push(`${namespace}/${name}`);
        if (name === 'fails' && attempt === 1) throw new Error('once');
        return name === 'delayed' ? { requeueAfter: 50 } : undefined;
      },
    });
    await running(manager);
    for (const namespace of ['left', 'stays']) {
      for (const name of ['fails', 'delayed']) put(cache, WebApp, `${namespace}/${name}`);
    }
    await eventually(() => seen.length === 4);
    await controller.setNamespaces(['stays']);
    seen.length = 0;
    await jest.advanceTimersByTimeAsync(60);
    await eventually(() => seen.length > 1);
    expect(seen.toSorted()).toEqual(['stays/delayed', 'stays/fails']);
  });

  test('is not requeued by a run that was caused by a namespace that leaves meanwhile', async () => {
    useFakeTime({ setImmediate: true });
    const { manager, cache } = managers.make();
    const { opened, open } = gate();
    let runs = 0;
    const controller = manager.addController({
      name: 'repeating',
      for: WebApp,
      namespaces: ['left', 'stays'],
      async reconcile() {
        runs += 1;
        await opened;
        return { requeueAfter: 1 };
      },
    });
    await running(manager);
    put(cache, WebApp, 'left/x');
    await eventually(() => controller.running === 1);
    const changed = controller.setNamespaces(['stays']);
    let hasEnded = false;
    void changed.then(() => (hasEnded = true));
    await new Promise((resolve) => setImmediate(resolve));
    // The run may read the objects of its namespace until it ends.
    expect([hasEnded, cache.namespacesOf(WebApp)]).toEqual([false, ['left', 'stays']]);
    open();
    await changed;
    expect(cache.namespacesOf(WebApp)).toEqual(['stays']);
    await jest.advanceTimersByTimeAsync(60);
    expect(runs).toBe(1);
  });

  test('from its own reconcile does not wait for that reconcile, and a signal ends the wait', async () => {
    const { manager, cache } = managers.make();
    const { opened, open } = gate();
    const done: string[] = [];
    const controller = manager.addController({
      name: 'inside',
      for: WebApp,
      namespaces: ['a', 'b'],
      concurrency: 2,
      async reconcile({ namespace }) {
        if (namespace === 'b') return opened;
        await controller.setNamespaces(['b']);
        done.push('a');
      },
    });
    await running(manager);
    put(cache, WebApp, 'a/x');
    await eventually(() => done.length === 1);
    put(cache, WebApp, 'b/x');
    await eventually(() => controller.running === 1);
    const signal = AbortSignal.abort(new Error('no time'));
    await expect(controller.setNamespaces(['c'], { signal })).rejects.toThrow('no time');
    expect(cache.namespacesOf(WebApp)).toEqual(['b', 'c']);
    open();
    await eventually(() => cache.namespacesOf(WebApp).length === 1);
  });

  test('before the start opens no watch, and the start opens those of the last change', async () => {
    const { manager, cache } = managers.make();
    const controller = manager.addController({
      name: 'early',
      for: WebApp,
      namespaces: ['a', 'b'],
      reconcile: nothing,
    });
    await controller.setNamespaces(['b', 'c']);
    expect(cache.handles.size).toBe(0);
    await running(manager);
    expect(cache.namespacesOf(WebApp)).toEqual(['b', 'c']);
    await controller.stop();
    expect(cache.handles.size).toBe(0);
    await expect(controller.setNamespaces(['a'])).rejects.toMatchObject({
      code: 'CONTROLLER_STOPPED',
    });
  });

  test('makes the manager ready again when the new watch has synced', async () => {
    const { cache, controller, manager } = await recording(
      { namespaces: ['a'] },
      { servers: { host: '127.0.0.1', health: 0 } },
    );
    const ready = async (): Promise<number> =>
      (await fetch(`http://127.0.0.1:${manager.ports.health}/readyz`)).status;
    expect(await ready()).toBe(200);
    cache.syncsAtOnce = false;
    await controller.setNamespaces(['a', 'b']);
    expect(await ready()).toBe(503);
    cache.sync(WebApp);
    expect(await ready()).toBe(200);
  });

  test.each<[string, unknown, object]>([
    ['setNamespaces', [], { cure: expect.stringContaining('remove the watch') }],
    ['setNamespaces', undefined, {}],
    ['setNamespaces', 'a', {}],
    ['setNamespaces[1]', ['a', ''], { cure: expect.stringContaining('leave the option out') }],
    ['setNamespaces[0]', ['a/b'], { value: 'a/b' }],
  ])('is refused with the option %s for %j, and changes nothing', async (option, given, facts) => {
    const { controller, manager, cache } = await recording(
      { namespaces: ['a'] },
      { namespaces: ['m'] },
    );
    const watch = controller.watch({ resource: Secret, map: toSelf, namespaces: ['w'] });
    const error = { code: 'INVALID_OPTION', facts: { option, ...facts } };
    for (const target of [controller, manager, watch]) {
      await expect(target.setNamespaces(given as string[])).rejects.toMatchObject(error);
    }
    expect([...cache.handles].map(({ query }) => query.namespace)).toEqual(['a', 'w']);
  });

  test('is refused if no namespaces were declared', async () => {
    const { controller, manager } = await recording({});
    const watch = controller.watch({ resource: Secret, map: toSelf });
    for (const target of [controller, manager, watch]) {
      await expect(target.setNamespaces(['a'])).rejects.toMatchObject({
        code: 'INVALID_OPTION',
        facts: { option: 'setNamespaces', reason: expect.stringContaining('`namespaces`') },
      });
    }
  });
});

describe('a change of the namespaces of a manager', () => {
  test('changes the sources that name no namespaces themselves, of all controllers', async () => {
    const { cache, controller, manager } = await recording(
      { owns: [{ resource: Secret, namespaces: ['own'] }], reads: [Node, Service] },
      { namespaces: ['a'], kinds: [{ resource: Service, namespaces: ['kind'] }] },
    );
    manager.addController({ name: 'own', for: WebApp, namespaces: ['c'], reconcile: nothing });
    controller.watch({ resource: ConfigMap, map: toSelf });
    await manager.setNamespaces(['b']);
    const namespaces = [WebApp, Secret, Node, Service, ConfigMap].map((kind) =>
      cache.namespacesOf(kind),
    );
    expect(namespaces).toEqual([['c', 'b'], ['own'], [''], ['kind'], ['b']]);
    manager.addController({ name: 'late', for: WebApp, reconcile: nothing });
    expect(cache.namespacesOf(WebApp)).toEqual(['c', 'b', 'b']);
    await manager.stop();
    await expect(manager.setNamespaces(['a'])).rejects.toMatchObject({ code: 'MANAGER_STOPPED' });
  });
});

describe('a change that a closed cache refuses half-way', () => {
  /** Lets the cache open this number of watches. */
  function closeAfter(cache: FakeCache, count: number): void {
    const acquire = cache.acquire.bind(cache);
    let left = count;
    cache.acquire = (query, options) => {
      if (left === 0) throw new Error('closed');
      left -= 1;
      return acquire(query, options);
    };
  }

  test('of setNamespaces leaves every source as it was', async () => {
    const { cache, controller, seen } = await recording({ owns: [ConfigMap], namespaces: ['a'] });
    closeAfter(cache, 1);
    await expect(controller.setNamespaces(['b'])).rejects.toThrow('closed');
    expect([WebApp, ConfigMap].map((kind) => cache.namespacesOf(kind))).toEqual([['a'], ['a']]);
    put(cache, WebApp, 'a/x');
    await eventually(() => seen.length === 1);
    expect(seen).toEqual(['a/x']);
  });

  test('of the namespaces of a watch leaves it as it was, with its functions', async () => {
    const { cache, controller, seen } = await recording({});
    const watched = (name: string, ...namespaces: string[]): object => ({
      resource: ConfigMap,
      map: () => ({ namespace: 'of', name }),
      namespaces,
    });
    const replace = (watch: object): Promise<unknown> =>
      controller.replaceWatches('set', [watch] as never);
    await replace(watched('former', 'a'));
    closeAfter(cache, 1);
    await expect(replace(watched('next', 'a', 'b', 'c'))).rejects.toMatchObject({
      code: 'REPLACE_WATCHES_FAILED',
    });
    expect(cache.namespacesOf(ConfigMap)).toEqual(['a']);
    put(cache, ConfigMap, 'a/x');
    await eventually(() => seen.length === 1);
    expect(seen).toEqual(['of/former']);
  });

  test('while a reconfiguration waits does not affect that one', async () => {
    const { cache, controller } = await recording({ owns: [ConfigMap], namespaces: ['a'] });
    cache.syncsAtOnce = false;
    const change = controller.reconfigure({ reads: [{ resource: Secret, required: true }] });
    await eventually(() => cache.namespacesOf(Secret).length === 1);
    const acquire = cache.acquire.bind(cache);
    closeAfter(cache, 1);
    expect(() =>
      controller.watch({ resource: Service, map: toSelf, namespaces: ['b', 'c'] }),
    ).toThrow('closed');
    expect(cache.namespacesOf(Service)).toEqual([]);
    cache.acquire = acquire;
    const watch = controller.watch({ resource: Service, map: toSelf, namespaces: ['b', 'c'] });
    await watch.remove();
    cache.sync(Secret);
    expect(await change).toMatchObject({ started: ['reads Secret in a'] });
    expect(cache.namespacesOf(Secret)).toEqual(['a']);
  });
});
