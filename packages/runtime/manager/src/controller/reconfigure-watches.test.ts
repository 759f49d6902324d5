import { describe, expect, jest, test } from '@jest/globals';
import { builtin } from '@keelson/apimachinery';
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
  type Gate,
} from '../testing/fixtures.test-support.ts';
import type { FakeCache, FakeHandle } from '../testing/fake-cache.test-support.ts';
import type { Manager } from '../manager/manager.ts';
import type { Controller } from './controller.ts';
import type { DynamicWatch } from '../source-set/dynamic-watch.ts';
import type { ControllerOptions } from './controller-options.ts';

const { ConfigMap, Secret } = builtin;

const managers = managersOfTest();

const inColor = (resource: typeof WebApp, name: string, color: string, namespace = 'default') =>
  objectOf(resource, name, { namespace, metadata: { labels: { color } } });

interface Noted {
  readonly manager: Manager;
  readonly cache: FakeCache;
  readonly controller: Controller;
  /** The names of the requests that ran. */
  readonly seen: string[];
}

/** A running controller that notes its requests. */
async function noting(
  options: Partial<ControllerOptions<WebApp>> = {},
  prepare: (cache: FakeCache) => void = nothing,
): Promise<Noted> {
  const { manager, cache } = managers.make();
  prepare(cache);
  const seen: string[] = [];
  const controller = manager.addController({
    name: 'noting',
    for: WebApp,
    ...options,
    reconcile: ({ namespace, name }) =>
      void seen.push(namespace === 'default' ? name : `${namespace}/${name}`),
  });
  await running(manager);
  await turns();
  return { manager, cache, controller, seen: Object.assign(seen, { length: 0 }) };
}

/** Enough turns of the event loop for every step that needs no sync. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

function selectorsOf(cache: FakeCache): string[] {
  return Array.from(cache.handles, ({ query }) => query.labelSelector ?? '');
}

function handlesOn(cache: FakeCache, labelSelector: string): FakeHandle[] {
  return [...cache.handles].filter(({ query }) => query.labelSelector === labelSelector);
}

const red = { resource: WebApp, labelSelector: 'color=red' } as const;
const blue = { resource: WebApp, labelSelector: 'color=blue' } as const;
const anyColor = { resource: WebApp, labelSelector: 'color in (red,blue)' } as const;

describe('a new selector of a live controller', () => {
  test('queues the objects that begin to match, and not those that stay', async () => {
    const { cache, controller, seen } = await noting({ for: red }, (given) => {
      given.set(WebApp, inColor(WebApp, 'stays', 'red'));
      given.set(WebApp, inColor(WebApp, 'enters', 'blue'));
    });
    const result = await controller.reconfigure({ for: anyColor });
    await turns();
    expect(seen).toEqual(['enters']);
    expect(result).toEqual({
      changed: ['for'],
      started: ['for WebApp (color in (red,blue))'],
      kept: [],
      stopped: ['for WebApp (color=red)'],
    });
    expect(selectorsOf(cache)).toEqual(['color in (red,blue)']);
    cache.set(WebApp, inColor(WebApp, 'stays', 'red'));
    await turns();
    expect(seen).toEqual(['enters', 'stays']);
  });

  test('leaves the former watch in force until the new one has synced', async () => {
    const { cache, controller, seen } = await noting({ for: red });
    cache.syncsAtOnce = false;
    const change = controller.reconfigure({ for: blue });
    await turns();
    expect(selectorsOf(cache)).toEqual(['color=red', 'color=blue']);
    cache.set(WebApp, inColor(WebApp, 'during', 'red'));
    await turns();
    expect(seen).toEqual(['during']);
    for (const handle of handlesOn(cache, 'color=blue')) handle.sync();
    await change;
    expect(selectorsOf(cache)).toEqual(['color=blue']);
    cache.set(WebApp, inColor(WebApp, 'after', 'red'));
    cache.set(WebApp, inColor(WebApp, 'new', 'blue'));
    await turns();
    expect(seen).toEqual(['during', 'new']);
  });

  test('drops the requests of objects that stop matching and keeps the others', async () => {
    const ends: Gate[] = [];
    const { manager, cache } = managers.make();
    const seen: string[] = [];
    const controller = manager.addController({
      name: 'busy',
      for: anyColor,
      reconcile: ({ name }) => {
        seen.push(name);
        const end = gate();
        ends.push(end);
        return name === 'first' ? end.opened : undefined;
      },
    });
    await running(manager);
    cache.set(WebApp, inColor(WebApp, 'first', 'blue'));
    await eventually(() => seen.length === 1);
    for (const [name, color] of [
      ['leaves', 'red'],
      ['stays', 'blue'],
    ] as const) {
      cache.set(WebApp, inColor(WebApp, name, color));
    }
    cache.set(WebApp, inColor(WebApp, 'gone', 'blue'));
    cache.delete(WebApp, { namespace: 'default', name: 'gone' });
    expect(controller.length).toBe(3);
    const change = controller.reconfigure({ for: blue });
    await turns();
    expect(controller.length).toBe(2);
    ends[0]?.open();
    await change;
    await turns();
    expect(seen).toEqual(['first', 'stays', 'gone']);
  });

  test('keeps a retry of an object that stays, and drops that of one that leaves', async () => {
    useFakeTime({ setImmediate: true });
    const { manager, cache } = managers.make();
    const attempts: string[] = [];
    const controller = manager.addController({
      name: 'failing',
      for: anyColor,
      backoff: { base: 1000, max: 1000 },
      reconcile: ({ name }, { attempt, causes }) => {
        attempts.push(`${name} ${attempt} ${causes.map(({ reason }) => reason).join()}`);
        throw new Error('planned');
      },
    });
    const started = running(manager);
    await pass();
    await started;
    cache.set(WebApp, inColor(WebApp, 'leaves', 'red'));
    cache.set(WebApp, inColor(WebApp, 'stays', 'blue'));
    await pass();
    await controller.reconfigure({ for: blue });
    await pass(1000);
    expect(attempts).toEqual(['leaves 1 added', 'stays 1 added', 'stays 2 added,retry']);
  });

  test('queues a state that the former watch has received and not delivered', async () => {
    const { cache, controller, seen } = await noting({ for: red }, (given) => {
      for (const name of ['behind', 'same']) given.set(WebApp, inColor(WebApp, name, 'red'));
    });
    const [former] = [...cache.handles];
    former?.handlers.clear();
    cache.set(WebApp, inColor(WebApp, 'behind', 'red'));
    if (former !== undefined) former.isBehind = true;
    await controller.reconfigure({ for: anyColor });
    await turns();
    // The controller cannot know which of the states the handler has received.
    expect(seen.toSorted()).toEqual(['behind', 'same']);
  });

  test('delivers a deletion that the former watch has not received', async () => {
    const { cache, controller, seen } = await noting({ for: anyColor }, (given) => {
      given.set(WebApp, inColor(WebApp, 'deleted', 'blue'));
      given.set(WebApp, inColor(WebApp, 'leaves', 'red'));
    });
    const [former] = [...cache.handles];
    const views = former?.store.views() ?? [];
    // The former watch lags behind: it still has the object.
    Object.defineProperty(former, 'store', {
      value: {
        has: () => true,
        views: () => views,
        view: ({ name }: { name: string }) => views.find((view) => view.name === name),
      },
    });
    former?.handlers.clear();
    cache.delete(WebApp, { namespace: 'default', name: 'deleted' });
    await controller.reconfigure({ for: blue });
    await turns();
    expect(seen).toEqual(['deleted']);
  });
});

describe('new namespaces of a live controller', () => {
  test('drop the requests of those that leave before further workers start', async () => {
    const end = gate();
    const { manager, cache } = managers.make();
    const seen: string[] = [];
    const namespaces = ['a', 'b'];
    const controller = manager.addController({
      name: 'leaving',
      for: WebApp,
      namespaces,
      reconcile: ({ namespace, name }) => {
        seen.push(`${namespace}/${name}`);
        return name === 'first' ? end.opened : undefined;
      },
    });
    await running(manager);
    cache.set(WebApp, objectOf(WebApp, 'first', { namespace: 'b' }));
    await eventually(() => seen.length === 1);
    cache.set(WebApp, objectOf(WebApp, 'x', { namespace: 'a' }));
    cache.set(WebApp, objectOf(WebApp, 'y', { namespace: 'b' }));
    const next = ['b'];
    const change = controller.reconfigure({
      namespaces: next,
      concurrency: 3,
      timeout: undefined,
    } as never);
    next.push('c');
    await turns();
    end.open();
    expect(await change).toMatchObject({ changed: ['namespaces', 'concurrency'] });
    await turns();
    expect([seen, cache.namespacesOf(WebApp)]).toEqual([['b/first', 'b/y'], ['b']]);
  });

  test('open beside the former ones, and those that stay are not opened again', async () => {
    const { cache, controller, seen } = await noting({ namespaces: ['a', 'b'] }, (given) => {
      for (const namespace of ['a', 'b', 'c'])
        given.set(WebApp, objectOf(WebApp, 'x', { namespace }));
    });
    const [kept] = cache.handlesIn(WebApp, 'b');
    cache.syncsAtOnce = false;
    const change = controller.reconfigure({ namespaces: ['b', 'c'] });
    await turns();
    expect(cache.namespacesOf(WebApp)).toEqual(['a', 'b', 'c']);
    cache.set(WebApp, objectOf(WebApp, 'during', { namespace: 'a' }));
    await turns();
    expect(seen).toEqual(['a/during']);
    for (const handle of cache.handlesIn(WebApp, 'c')) handle.sync();
    expect(await change).toEqual({
      changed: ['namespaces'],
      started: ['for WebApp in c'],
      kept: ['for WebApp in b'],
      stopped: ['for WebApp in a'],
    });
    await turns();
    expect(seen).toEqual(['a/during', 'c/x']);
    expect(cache.handlesIn(WebApp, 'b')).toEqual([kept]);
    expect(cache.namespacesOf(WebApp)).toEqual(['b', 'c']);
  });

  test('replace a watch of all namespaces without a second event of the objects that stay', async () => {
    const { cache, controller, seen } = await noting({}, (given) => {
      for (const namespace of ['a', 'b']) given.set(WebApp, objectOf(WebApp, 'x', { namespace }));
    });
    await controller.reconfigure({ namespaces: ['a', 'c'] });
    await turns();
    expect(seen).toEqual([]);
    expect(cache.namespacesOf(WebApp)).toEqual(['a', 'c']);
    await controller.setNamespaces(['c']);
    await controller.reconfigure({ for: { resource: WebApp, namespace: '' } });
    await turns();
    expect(cache.namespacesOf(WebApp)).toEqual(['']);
    expect(seen.toSorted()).toEqual(['a/x', 'b/x']);
  });

  test('apply to the watches that were added at run time too', async () => {
    const { cache, controller } = await noting({ namespaces: ['a'] });
    const watch = controller.watch({ resource: Secret, map: toSelf });
    await controller.reconfigure({ namespaces: ['b'] });
    expect([watch.namespaces, cache.namespacesOf(Secret)]).toEqual([['b'], ['b']]);
    await controller.setNamespaces(['c']);
    expect([watch.namespaces, cache.namespacesOf(Secret)]).toEqual([['c'], ['c']]);
    await watch.remove();
    expect(cache.namespacesOf(Secret)).toEqual([]);
  });

  test('keep the functions that a set has given a watch meanwhile', async () => {
    const { cache, controller, seen } = await noting({ namespaces: ['a'] });
    const replace = (name: string): Promise<unknown> =>
      controller.replaceWatches('set', [{ resource: Secret, map: () => ({ name }) }]);
    await replace('old');
    cache.syncsAtOnce = false;
    const change = controller.reconfigure({ namespaces: ['a', 'b'] });
    await turns();
    await replace('new');
    for (const kind of [WebApp, Secret]) cache.sync(kind);
    await change;
    for (const namespace of ['a', 'b']) {
      cache.set(Secret, objectOf(Secret, 'x', { namespace }));
      await turns();
    }
    expect(seen).toEqual(['undefined/new', 'undefined/new']);
  });

  test('keep the namespaces that a set has given a watch meanwhile', async () => {
    const { cache, controller } = await noting({ namespaces: ['a'] });
    const replace = (...namespaces: string[]): Promise<readonly DynamicWatch[]> =>
      controller.replaceWatches('set', [{ resource: Secret, namespaces, map: toSelf }]);
    const [watch] = await replace('a');
    cache.syncsAtOnce = false;
    const change = controller.reconfigure({ namespaces: ['b'] });
    await turns();
    const replaced = replace('a', 'c');
    for (const kind of [WebApp, Secret]) cache.sync(kind);
    await Promise.all([change, replaced]);
    expect(watch?.namespaces).toEqual(['a', 'c']);
    expect(cache.namespacesOf(Secret).toSorted()).toEqual(['a', 'c']);
  });

  test('of setNamespaces wait for the change before them', async () => {
    const { cache, controller } = await noting({ namespaces: ['a'] });
    cache.syncsAtOnce = false;
    const first = controller.reconfigure({ namespaces: ['b'] });
    const second = controller.setNamespaces(['c']);
    await turns();
    expect(cache.namespacesOf(WebApp)).toEqual(['a', 'b']);
    cache.sync(WebApp);
    await Promise.all([first, second]);
    expect(cache.namespacesOf(WebApp)).toEqual(['c']);
  });
});

describe('other watches of a live controller', () => {
  const mapTo = (name: string) => (): { name: string } => ({ name });

  test('are added, kept with their new functions, and removed', async () => {
    const { cache, controller, seen } = await noting({
      watches: [
        { resource: ConfigMap, map: mapTo('old') },
        { resource: Secret, map: mapTo('secret') },
      ],
    });
    const before = new Set(cache.handles);
    const result = await controller.reconfigure({
      watches: [{ resource: ConfigMap, map: mapTo('new') }],
      reads: [builtin.Service],
    });
    expect(result).toMatchObject({
      started: ['reads Service'],
      kept: ['for WebApp', 'watch ConfigMap'],
      stopped: ['watch Secret'],
    });
    expect([...cache.handles].filter((handle) => !before.has(handle))).toHaveLength(1);
    cache.set(ConfigMap, objectOf(ConfigMap, 'x'));
    cache.set(Secret, objectOf(Secret, 'x'));
    await turns();
    expect(seen).toEqual(['undefined/new']);
  });

  test('drop a request that only leaving objects caused, and keep one that another object caused', async () => {
    const ends = gate();
    const { manager, cache } = managers.make();
    const seen: string[] = [];
    const byApp = ({ metadata }: { metadata: { labels?: Readonly<Record<string, string>> } }) => ({
      name: metadata.labels?.['app'] ?? '',
    });
    const secret = (name: string, app: string, color: string) =>
      objectOf(Secret, name, { metadata: { labels: { app, color } } });
    const controller = manager.addController({
      name: 'mapped',
      watches: [{ resource: Secret, map: byApp }],
      reconcile: ({ name }) => {
        seen.push(name);
        return name === 'first' ? ends.opened : undefined;
      },
    });
    await running(manager);
    cache.set(Secret, secret('0', 'first', 'blue'));
    await eventually(() => seen.length === 1);
    cache.set(Secret, secret('1', 'leaving', 'red'));
    cache.set(Secret, secret('2', 'shared', 'red'));
    cache.set(Secret, secret('3', 'shared', 'blue'));
    cache.set(Secret, secret('4', 'gone', 'red'));
    cache.delete(Secret, { namespace: 'default', name: '4' });
    const change = controller.reconfigure({
      watches: [{ resource: Secret, labelSelector: 'color=blue', map: byApp }],
    });
    await turns();
    ends.open();
    await change;
    await turns();
    expect(seen).toEqual(['first', 'shared', 'gone']);
  });
});

/** Passes fake time, and lets real immediates run. */
async function pass(milliseconds = 0): Promise<void> {
  await turns();
  await jest.advanceTimersByTimeAsync(milliseconds);
  await turns();
}
