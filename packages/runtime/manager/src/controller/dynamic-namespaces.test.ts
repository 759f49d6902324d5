import { describe, expect, test } from '@jest/globals';
import { builtin } from '@keelson/apimachinery';
import type { Controller } from './controller.ts';
import type { DynamicWatch } from '../source-set/dynamic-watch.ts';
import {
  eventually,
  managersOfTest,
  notingManager,
  objectOf,
  toSelf,
} from '../testing/fixtures.test-support.ts';
import type { WatchOptions } from '../sources/source-options.ts';

const { ConfigMap } = builtin;

const managers = managersOfTest();

function watchIn(...namespaces: string[]): WatchOptions {
  return { resource: ConfigMap, map: toSelf, namespaces };
}

async function turn(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

describe('a dynamic watch of a set of namespaces', () => {
  test('has synced when all of them have, also those that are added during the wait', async () => {
    const { cache, controller } = await notingManager(managers);
    cache.syncsAtOnce = false;
    const watch = controller.watch(watchIn('a', 'b'));
    let hasSynced = false;
    void watch.synced.then(() => (hasSynced = true));
    const [a, b] = [...cache.handlesIn(ConfigMap, 'a'), ...cache.handlesIn(ConfigMap, 'b')];
    a?.sync();
    await turn();
    await watch.setNamespaces(['b', 'c']);
    b?.sync();
    await turn();
    expect([hasSynced, watch.health?.state]).toEqual([false, 'syncing']);
    for (const handle of cache.handlesIn(ConfigMap, 'c')) handle.sync();
    await watch.synced;
    expect([hasSynced, watch.health?.state]).toEqual([true, 'live']);
    expect(watch.namespaces).toEqual(['b', 'c']);
    expect(() => (watch.namespaces as string[]).push('d')).toThrow(TypeError);
    expect(watch.namespaces).toEqual(['b', 'c']);
    cache.setHealth(ConfigMap, 'forbidden', 'no', 'c');
    expect(watch.health).toMatchObject({ state: 'forbidden', reason: 'no' });
  });

  test('that is removed rejects synced and further changes, and leaves no handle', async () => {
    const { cache, controller } = await notingManager(managers);
    cache.syncsAtOnce = false;
    const watch = controller.watch(watchIn('a', 'b'));
    const { synced } = watch;
    await watch.remove();
    const removed = { code: 'WATCH_REMOVED', facts: { source: 'watch ConfigMap' } };
    await expect(synced).rejects.toMatchObject(removed);
    await expect(watch.synced).rejects.toMatchObject(removed);
    await expect(watch.setNamespaces(['c'])).rejects.toMatchObject(removed);
    expect(cache.namespacesOf(ConfigMap)).toEqual([]);
  });

  test('that cannot open a new namespace rejects the change', async () => {
    const { cache, controller } = await notingManager(managers);
    const watch = controller.watch(watchIn('a'));
    cache.acquire = () => {
      throw new Error('closed');
    };
    await expect(watch.setNamespaces(['a', 'b'])).rejects.toThrow('closed');
    expect(cache.namespacesOf(ConfigMap)).toEqual(['a']);
    await watch.remove();
    expect(cache.namespacesOf(ConfigMap)).toEqual([]);
  });
});

describe('a set of watches with namespaces', () => {
  const replace = (
    controller: Controller,
    ...watches: WatchOptions[]
  ): Promise<readonly DynamicWatch[]> => controller.replaceWatches('tenants', watches);

  test('RC09 keeps the watches of the namespaces that stay, and uses the new functions in all', async () => {
    const { cache, controller, seen } = await notingManager(managers);
    const [first] = await replace(controller, watchIn('a', 'b'));
    const [kept] = cache.handlesIn(ConfigMap, 'b');
    const [second] = await replace(controller, {
      ...watchIn('b', 'c'),
      map: ({ namespace, name }) => ({ name: `${namespace}-${name}` }),
    });
    expect(second).toBe(first);
    expect(cache.namespacesOf(ConfigMap)).toEqual(['b', 'c']);
    expect(cache.handlesIn(ConfigMap, 'b')).toEqual([kept]);
    for (const namespace of ['a', 'b', 'c']) {
      cache.set(ConfigMap, objectOf(ConfigMap, 'x', { namespace }));
    }
    await eventually(() => seen.length === 2);
    expect(seen.toSorted()).toEqual(['b-x', 'c-x']);
  });

  test('RC09 pairs watches of one kind by their present namespaces first', async () => {
    const { cache, controller } = await notingManager(managers);
    const [a, b] = await replace(controller, watchIn('a'), watchIn('b'));
    const handles = [...cache.handles];
    await a?.setNamespaces(['z']);
    const [y, b2, z] = await replace(controller, watchIn('y'), watchIn('b'), watchIn('z'));
    expect([b2, z]).toEqual([b, a]);
    expect([...cache.handles]).toEqual(expect.arrayContaining(handles.slice(0, 1)));
    expect([y?.namespaces, b2?.namespaces, z?.namespaces]).toEqual([['y'], ['b'], ['z']]);
    await replace(controller);
    expect(cache.namespacesOf(ConfigMap)).toEqual([]);
  });

  test('RC09 rejects the same watch twice, and a wait for a namespace that ends too early', async () => {
    const { controller } = await notingManager(managers);
    await expect(replace(controller, watchIn('a', 'b'), watchIn('b', 'a'))).rejects.toMatchObject({
      facts: { failedToAdd: ['watch ConfigMap'] },
      cause: { code: 'DUPLICATE_WATCH' },
    });
    const signal = AbortSignal.abort(new Error('no time'));
    const change = controller.replaceWatches('tenants', [watchIn('b')], { signal });
    await expect(change).rejects.toMatchObject({
      facts: { failedToAdd: [], failedToRemove: ['watch ConfigMap'] },
    });
    const [watch] = await replace(controller, watchIn('b'));
    expect(watch?.namespaces).toEqual(['b']);
  });
});
