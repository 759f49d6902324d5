import { describe, expect, jest, test } from '@jest/globals';
import {
  builtin,
  byType,
  generationChanged,
  labelsChanged,
  labelsMatch,
  or,
  type Manager,
  type Request,
} from '@keelson/manager';
import {
  eventually,
  managersOfTest,
  nothing,
  objectOf,
  running,
  useFakeTime,
  WebApp,
} from '../../testing/fixtures.test-support.ts';

const managers = managersOfTest();
const { Deployment } = builtin;

// #region predicates
function addChoosyController(manager: Manager, render: (request: Request) => Promise<void>) {
  return manager.addController({
    name: 'web-app',
    predicates: [labelsMatch('shard=blue')], // for every source of the controller
    for: { resource: WebApp, predicates: [or(generationChanged, labelsChanged)] },
    owns: [
      {
        resource: Deployment,
        predicates: [
          byType({
            added: ({ initial }) => initial, // this controller has created a new one itself
          }),
        ],
      },
    ],
    reconcile: (request) => render(request),
  });
}
// #endregion

// #region priorities
function addOrderedController(manager: Manager, render: (request: Request) => Promise<void>) {
  return manager.addController({
    name: 'ordered',
    priorities: { deletion: 20, change: 10, status: 0, initial: -100, resync: -100 },
    for: WebApp,
    owns: [{ resource: Deployment, priority: -10 }], // for all its events
    reconcile: (request) => render(request),
  });
}
// #endregion

// #region debounce
function addCalmController(manager: Manager, render: (request: Request) => Promise<void>) {
  return manager.addController({
    name: 'calm',
    debounce: { wait: '2s', maxWait: '30s' },
    for: { resource: WebApp, debounce: { wait: 0 } }, // a change by a user runs at once
    owns: [Deployment], // a rollout sends many events
    reconcile: (request) => render(request),
  });
}
// #endregion

// #region rate
function addLimitedController(manager: Manager, render: (request: Request) => Promise<void>) {
  return manager.addController({
    name: 'limited',
    eventRate: { burst: 20, perSecond: 0.5 }, // 20 events of an object at once, then one in two seconds
    for: { resource: WebApp, eventRate: false }, // no limit
    owns: [Deployment],
    reconcile: (request) => render(request),
  });
}
// #endregion

// #region interval
function addPatrol(manager: Manager, render: (request: Request) => Promise<void>) {
  return manager.addController({
    name: 'patrol',
    for: WebApp,
    maxReconcileInterval: '10h', // repairs what no watch of the controller reports
    reconcile: (request) => render(request),
  });
}
// #endregion

describe('the guide from events to requests', () => {
  test('predicates of the controller and of a source decide together', async () => {
    const { manager, cache } = managers.make();
    const seen: string[] = [];
    addChoosyController(manager, async ({ name }) => void seen.push(name));
    await running(manager);
    for (const shard of ['blue', 'green']) {
      cache.set(WebApp, objectOf(WebApp, shard, { metadata: { labels: { shard } } }));
    }
    await eventually(() => seen.length > 0);
    expect(seen).toEqual(['blue']);
  });

  test('a deletion has a higher priority than a change', async () => {
    const { manager, cache } = managers.make();
    const seen: string[] = [];
    addOrderedController(manager, async ({ name }) => void seen.push(name));
    for (const name of ['gone', 'old']) cache.set(WebApp, objectOf(WebApp, name));
    await running(manager);
    await eventually(() => seen.length === 2);
    cache.set(WebApp, objectOf(WebApp, 'new'));
    cache.delete(WebApp, { namespace: 'default', name: 'gone' });
    await eventually(() => seen.length === 4);
    expect(seen.slice(2)).toEqual(['gone', 'new']);
  });

  test('a debounced source waits, and another one does not', async () => {
    useFakeTime();
    const { manager, cache } = managers.make();
    const seen: string[] = [];
    addCalmController(manager, async ({ name }) => void seen.push(name));
    manager.start().catch(nothing);
    await jest.advanceTimersByTimeAsync(1);
    const { apiVersion, kind, metadata } = cache.set(WebApp, objectOf(WebApp, 'user'));
    await jest.advanceTimersByTimeAsync(0);
    expect(seen).toEqual(['user']);
    const owner = { apiVersion, kind, name: metadata?.name ?? '', uid: 'u', controller: true };
    const owned = { metadata: { ownerReferences: [owner] } };
    for (let events = 0; events < 4; events += 1) {
      cache.set(Deployment, objectOf(Deployment, 'd', owned));
      await jest.advanceTimersByTimeAsync(1000);
    }
    expect(seen).toEqual(['user']);
    await jest.advanceTimersByTimeAsync(1000);
    expect(seen).toEqual(['user', 'user']);
  });

  test('a child that changes without end leads to a run in two seconds, its owner at once', async () => {
    useFakeTime();
    const { manager, cache } = managers.make();
    let runs = 0;
    addLimitedController(manager, async () => void (runs += 1));
    manager.start().catch(nothing);
    await jest.advanceTimersByTimeAsync(1);
    const touch = async (): Promise<void> => {
      cache.set(WebApp, objectOf(WebApp, 'user'));
      await jest.advanceTimersByTimeAsync(0);
    };
    for (let events = 0; events < 50; events += 1) await touch();
    expect(runs).toBe(50);
    const { apiVersion, kind } = objectOf(WebApp, 'user');
    const owner = { apiVersion, kind, name: 'user', uid: 'u', controller: true };
    const owned = { metadata: { ownerReferences: [owner] } };
    for (let events = 0; events < 50; events += 1) {
      cache.set(Deployment, objectOf(Deployment, 'd', owned));
      await jest.advanceTimersByTimeAsync(0);
    }
    expect(runs).toBe(70);
    await jest.advanceTimersByTimeAsync(1999);
    expect(runs).toBe(70);
    await jest.advanceTimersByTimeAsync(1);
    expect(runs).toBe(71);
  });

  test('an object runs again after the interval', async () => {
    useFakeTime();
    const { manager, cache } = managers.make();
    const seen: string[] = [];
    addPatrol(manager, async ({ name }) => void seen.push(name));
    cache.set(WebApp, objectOf(WebApp, 'quiet'));
    manager.start().catch(nothing);
    await jest.advanceTimersByTimeAsync(1);
    expect(seen).toEqual(['quiet']);
    await jest.advanceTimersByTimeAsync(36_000_000);
    expect(seen).toEqual(['quiet', 'quiet']);
  });
});
