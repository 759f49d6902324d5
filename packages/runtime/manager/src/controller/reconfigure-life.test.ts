import { describe, expect, jest, test } from '@jest/globals';
import { builtin, resourceId } from '@keelson/apimachinery';
import {
  eventually,
  gate,
  managersOfTest,
  nothing,
  objectOf,
  recordingLogger,
  running,
  toSelf,
  useFakeTime,
  WebApp,
} from '../testing/fixtures.test-support.ts';
import { createLogger } from '../logging/logger.ts';
import type { FakeCache } from '../testing/fake-cache.test-support.ts';
import type { ManagerOptions } from '../manager/manager-options.ts';
import type { Manager } from '../manager/manager.ts';
import type { Controller } from './controller.ts';
import type { ReconfigureResult } from './reconfiguration.ts';

const { Secret } = builtin;

const managers = managersOfTest();

const selected = (labelSelector: string) => ({ for: { resource: WebApp, labelSelector } });

/** A running controller whose next watches sync only when the test calls `sync`. */
async function waiting(options: ManagerOptions = {}): Promise<{
  manager: Manager;
  cache: FakeCache;
  controller: Controller;
  /** The selectors of the open watches. */
  selectors: () => string[];
  sync: (labelSelector: string) => void;
}> {
  const { manager, cache } = managers.make(options);
  const controller = manager.addController({ name: 'waiting', for: WebApp, reconcile: nothing });
  await running(manager);
  cache.syncsAtOnce = false;
  return {
    manager,
    cache,
    controller,
    selectors: () => Array.from(cache.handles, ({ query }) => query.labelSelector ?? ''),
    sync: (labelSelector) => {
      for (const handle of cache.handles)
        if (handle.query.labelSelector === labelSelector) handle.sync();
    },
  };
}

async function turns(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** The results and errors of calls, in the order in which they settle. */
function settling(calls: readonly Promise<ReconfigureResult>[]): unknown[] {
  const settled: unknown[] = [];
  for (const [at, call] of calls.entries()) {
    call.then(
      ({ started }) => settled.push([at, ...started]),
      (error: { code?: string }) => settled.push([at, error.code ?? error]),
    );
  }
  return settled;
}

describe('a change that waits for its watches', () => {
  test('is given up at the abort of its signal, and the former configuration stays', async () => {
    const { cache, controller, selectors } = await waiting();
    cache.set(WebApp, objectOf(WebApp, 'a'));
    const abort = new AbortController();
    const change = controller.reconfigure(
      { concurrency: 9, ...selected('a=1') },
      { signal: abort.signal },
    );
    await turns();
    expect(selectors()).toEqual(['', 'a=1']);
    abort.abort(new Error('given up'));
    await expect(change).rejects.toThrow('given up');
    await turns();
    expect([selectors(), cache.handlers]).toEqual([[''], 1]);
    cache.syncsAtOnce = true;
    expect(await controller.reconfigure({ timeout: 1000 })).toMatchObject({ kept: ['for WebApp'] });
  });

  test('is given up by a stop, which leaves no watch', async () => {
    const { cache, controller } = await waiting();
    const calls = [
      controller.reconfigure(selected('a=1')),
      controller.reconfigure({ concurrency: 3 }),
    ];
    const settled = settling(calls);
    await turns();
    await controller.stop();
    await turns();
    expect(settled).toHaveLength(2);
    expect(settled).toEqual(
      expect.arrayContaining([
        [0, 'CONTROLLER_STOPPED'],
        [1, 'CONTROLLER_STOPPED'],
      ]),
    );
    expect([cache.handles.size, cache.handlers]).toEqual([0, 0]);
  });

  test('waits while its kind is forbidden, without an effect on readiness', async () => {
    const { cache, controller, selectors, sync } = await waiting();
    const settled = settling([controller.reconfigure(selected('a=1'))]);
    for (const handle of cache.handles) if (!handle.hasSynced) handle.setHealth('forbidden', 'no');
    await turns();
    expect([settled, selectors()]).toEqual([[], ['', 'a=1']]);
    await controller.synced;
    sync('a=1');
    await turns();
    expect([settled, selectors()]).toEqual([[[0, 'for WebApp (a=1)']], ['a=1']]);
  });

  test('ends with CACHE_SYNC_TIMEOUT, and the former configuration stays', async () => {
    useFakeTime();
    const { logger, lines } = recordingLogger();
    const { manager, cache } = managers.make({ logger, controllers: { cacheSyncTimeout: '10s' } });
    const controller = manager.addController({ name: 'late', for: WebApp, reconcile: nothing });
    const started = running(manager);
    await jest.advanceTimersByTimeAsync(0);
    await started;
    cache.syncsAtOnce = false;
    const settled = settling([controller.reconfigure(selected('a=1'))]);
    await jest.advanceTimersByTimeAsync(9_999);
    expect(settled).toEqual([]);
    expect(lines).toContainEqual(
      expect.objectContaining({ message: 'controller waits for a watch', source: 'for WebApp' }),
    );
    await jest.advanceTimersByTimeAsync(1);
    expect(settled).toEqual([[0, 'CACHE_SYNC_TIMEOUT']]);
    expect(Array.from(cache.handles, ({ query }) => query.labelSelector)).toEqual([undefined]);
  });

  test('is followed by the later ones in their order', async () => {
    const { controller, selectors, sync } = await waiting();
    const calls = ['a=1', 'a=2', 'a=3'].map((selector) =>
      controller.reconfigure(selected(selector)),
    );
    const settled = settling(calls);
    await turns();
    expect(selectors()).toEqual(['', 'a=1']);
    for (const selector of ['a=1', 'a=2', 'a=3']) {
      sync(selector);
      await turns();
    }
    expect(settled).toEqual([
      [0, 'for WebApp (a=1)'],
      [1, 'for WebApp (a=2)'],
      [2, 'for WebApp (a=3)'],
    ]);
    expect(selectors()).toEqual(['a=3']);
  });

  test('lets no later one pass when it is given up before its turn', async () => {
    const { controller, selectors, sync } = await waiting();
    const abort = new AbortController();
    const calls = [
      controller.reconfigure(selected('a=1')),
      controller.reconfigure(selected('a=2'), { signal: abort.signal }),
      controller.reconfigure(selected('a=3')),
    ];
    const settled = settling(calls);
    abort.abort('given up');
    await turns();
    expect([settled, selectors()]).toEqual([[[1, 'given up']], ['', 'a=1']]);
    sync('a=1');
    await turns();
    sync('a=3');
    await turns();
    expect([settled.length, selectors()]).toEqual([3, ['a=3']]);
  });

  test('checks later ones together with it', async () => {
    const { controller, sync } = await waiting();
    const first = controller.reconfigure({ ...selected('a=1'), backoff: { base: 1, max: 2 } });
    const wrong = controller.reconfigure({ backoff: { base: '1s', max: 2 } });
    await expect(wrong).rejects.toMatchObject({ code: 'INVALID_OPTION' });
    sync('a=1');
    await first;
  });

  test('opens and closes the namespaces that the manager changes meanwhile', async () => {
    const { manager, cache, controller } = await waiting({ namespaces: ['a', 'b'] });
    const change = controller.reconfigure(selected('x=1'));
    await turns();
    await manager.setNamespaces(['b', 'c']);
    const open = (): string[] =>
      Array.from(cache.handles, ({ query }) => `${query.namespace} ${query.labelSelector ?? ''}`);
    expect(open().toSorted()).toEqual(['b ', 'b x=1', 'c ', 'c x=1']);
    cache.sync(WebApp);
    expect(await change).toMatchObject({ stopped: ['for WebApp in b', 'for WebApp in c'] });
    expect(open()).toEqual(['b x=1', 'c x=1']);
  });

  test('continues without a watch that is removed meanwhile', async () => {
    const { manager, cache } = managers.make();
    const controller = manager.addController({
      name: 'a',
      for: WebApp,
      namespaces: ['a'],
      reconcile: nothing,
    });
    await running(manager);
    const watch = controller.watch({ resource: Secret, map: toSelf });
    await watch.synced;
    cache.syncsAtOnce = false;
    const change = controller.reconfigure({ namespaces: ['b'] });
    await turns();
    expect(cache.namespacesOf(Secret)).toEqual(['a', 'b']);
    await watch.remove();
    cache.sync(WebApp);
    await change;
    expect([cache.namespacesOf(Secret), cache.namespacesOf(WebApp)]).toEqual([[], ['b']]);
  });
});

describe('namespaces that change after a change that waits', () => {
  async function waitingWithNamespaces(): Promise<{
    cache: FakeCache;
    controller: Controller;
    /** Lets the first change begin. */
    begin: () => void;
    onInForce: (act: () => void) => void;
  }> {
    let inForce = nothing;
    const write = (line: string): void => {
      if (line.includes('"controller reconfigured"')) inForce();
    };
    const { manager, cache } = managers.make({ logger: createLogger({ level: 'info', write }) });
    const controller = manager.addController({
      name: 'waiting',
      for: WebApp,
      namespaces: ['a'],
      reconcile: nothing,
    });
    await running(manager);
    cache.syncsAtOnce = false;
    controller.reconfigure({ reads: [Secret] }).catch(nothing);
    await turns();
    return {
      cache,
      controller,
      begin: () => cache.sync(Secret),
      onInForce: (act) => void (inForce = act),
    };
  }

  test('are checked and copied at the call', async () => {
    const { cache, controller, begin } = await waitingWithNamespaces();
    const signal = 'no signal' as unknown as AbortSignal;
    const errors: unknown[] = [];
    for (const call of [controller.setNamespaces([]), controller.setNamespaces(['b'], { signal })])
      call.catch(({ code }: { code: unknown }) => errors.push(code));
    await turns();
    expect(errors).toEqual(['INVALID_OPTION', 'INVALID_OPTION']);
    const given = ['b'];
    const change = controller.setNamespaces(given);
    given.push('c');
    begin();
    await change;
    expect(cache.namespacesOf(WebApp)).toEqual(['b']);
  });

  test('change although a signal has ended the wait', async () => {
    const { cache, controller, begin } = await waitingWithNamespaces();
    const abort = new AbortController();
    const errors: unknown[] = [];
    controller.setNamespaces(['b'], { signal: abort.signal }).catch((error) => errors.push(error));
    abort.abort('no time');
    await turns();
    expect([errors, cache.namespacesOf(WebApp)]).toEqual([['no time'], ['a']]);
    begin();
    await turns();
    expect(cache.namespacesOf(WebApp)).toEqual(['b']);
  });

  test('change in the order of the calls, also while the last ones wait', async () => {
    const { cache, controller, begin, onInForce } = await waitingWithNamespaces();
    for (let call = 0; call < 20; call += 1) void controller.setNamespaces(['b']);
    const last = Promise.withResolvers<void>();
    const change = async (): Promise<void> => {
      // The first change has ended, and the twenty others take turns.
      for (let step = 0; step < 30; step += 1) await Promise.resolve();
      await controller.setNamespaces(['c']);
    };
    onInForce(() => last.resolve(change()));
    begin();
    await last.promise;
    await turns();
    expect(cache.namespacesOf(WebApp)).toEqual(['c']);
  });
});

describe('a change that is in force', () => {
  test('resolves when the reconciles that the former watches caused have ended', async () => {
    const end = gate();
    const { manager, cache } = managers.make();
    cache.set(WebApp, objectOf(WebApp, 'a'));
    const controller = manager.addController({
      name: 'busy',
      for: WebApp,
      reconcile: () => end.opened,
    });
    await running(manager);
    await eventually(() => controller.running === 1);
    const settled = settling([
      controller.reconfigure(selected('a=1')),
      controller.reconfigure(selected('a=2')),
    ]);
    await turns();
    // The second change does not wait for the runs of the first.
    const second = [1, 'for WebApp (a=2)'];
    expect([settled, cache.handles.size]).toEqual([[second], 2]);
    end.open();
    await turns();
    expect([settled, cache.handles.size]).toEqual([[second, [0, 'for WebApp (a=1)']], 1]);
  });

  test('stays in force when the signal ends the wait', async () => {
    const end = gate();
    const { manager, cache } = managers.make();
    cache.set(WebApp, objectOf(WebApp, 'a'));
    const controller = manager.addController({
      name: 'busy',
      for: WebApp,
      reconcile: () => end.opened,
    });
    await running(manager);
    await eventually(() => controller.running === 1);
    const abort = new AbortController();
    const change = controller.reconfigure(selected('a=1'), { signal: abort.signal });
    await turns();
    abort.abort(new Error('no time'));
    await expect(change).rejects.toThrow('no time');
    end.open();
    await turns();
    expect(Array.from(cache.handles, ({ query }) => query.labelSelector)).toEqual(['a=1']);
  });

  test('may be made by a reconcile of the controller', async () => {
    const { manager, cache } = managers.make();
    cache.set(WebApp, objectOf(WebApp, 'a'));
    const results: ReconfigureResult[] = [];
    const controller: Controller = manager.addController({
      name: 'own',
      for: WebApp,
      reconcile: async () => void results.push(await controller.reconfigure(selected('a=1'))),
    });
    await running(manager);
    await eventually(() => results.length === 1 && controller.running === 0);
    expect(results[0]?.started).toEqual(['for WebApp (a=1)']);
    expect(cache.handles.size).toBe(1);
  });

  test('before the start opens only the last watches', async () => {
    const { manager, cache } = managers.make();
    const controller = manager.addController({ name: 'early', for: WebApp, reconcile: nothing });
    await controller.reconfigure({ ...selected('a=1'), reads: [Secret] });
    expect(cache.acquired).toEqual([]);
    await running(manager);
    expect(cache.acquired).toHaveLength(2);
    expect(Array.from(cache.handles, ({ query }) => query.labelSelector)).toEqual([
      'a=1',
      undefined,
    ]);
  });

  test('which begins before the start, and ends after it, opens its watches', async () => {
    const { manager, cache } = managers.make();
    cache.set(WebApp, objectOf(WebApp, 'a', { metadata: { labels: { a: '1' } } }));
    const seen: string[] = [];
    const controller = manager.addController({
      name: 'early',
      for: WebApp,
      reconcile: ({ name }) => void seen.push(name),
    });
    const change = controller.reconfigure({ ...selected('a=1'), reads: [Secret] });
    running(manager).catch(nothing);
    expect((await change).started).toEqual(['for WebApp (a=1)', 'reads Secret']);
    await turns();
    expect([cache.handles.size, seen]).toEqual([2, ['a']]);
  });

  test('that cannot open a watch changes nothing', async () => {
    const { cache, controller } = await waiting();
    const acquire = cache.acquire.bind(cache);
    cache.acquire = (query, options) => {
      if (resourceId(query.resource) === resourceId(Secret)) throw new Error('refused');
      return acquire(query, options);
    };
    const change = controller.reconfigure({ ...selected('a=1'), reads: [Secret], concurrency: 3 });
    await expect(change).rejects.toThrow('refused');
    expect([cache.handles.size, cache.handlers]).toEqual([1, 1]);
    const named = { name: 'same', apply: (object: never) => object };
    await controller.reconfigure({ reads: [] });
    cache.acquire = acquire;
    cache.syncsAtOnce = true;
    await controller.reconfigure({ reads: [{ resource: Secret, transform: named }] });
    const other = { name: 'same', apply: (object: never) => object };
    await expect(
      controller.reconfigure({ reads: [{ resource: Secret, transform: other }] }),
    ).rejects.toMatchObject({ code: 'TRANSFORM_CONFLICT' });
  });
});
