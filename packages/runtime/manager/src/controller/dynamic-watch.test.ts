import { getEventListeners } from 'node:events';
import { describe, expect, jest, test } from '@jest/globals';
import { builtin } from '@keelson/apimachinery';
import type { DynamicWatch } from '../source-set/dynamic-watch.ts';
import {
  eventually,
  gate,
  managersOfTest,
  nothing,
  notingManager,
  objectOf,
  running,
  toSelf,
  useFakeTime,
  valueOf,
  watchOf,
  WebApp,
} from '../testing/fixtures.test-support.ts';

const { ConfigMap, Secret } = builtin;

const managers = managersOfTest();

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

describe('a dynamic watch', () => {
  test('enqueues existing objects and every later event, and nothing after its removal', async () => {
    const { cache, controller, seen } = await notingManager(managers);
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

  test('is removed at the end of its scope', async () => {
    const { cache, controller } = await notingManager(managers);
    {
      await using watch = controller.watch({ resource: ConfigMap, map: toSelf });
      await watch.synced;
      expect(cache.handles.size).toBe(2);
    }
    expect(cache.handles.size).toBe(1);
  });

  test('RC11 a watch of a server that hangs is added and removed at once, and its synced rejects', async () => {
    const { cache, controller } = await notingManager(managers);
    cache.syncsAtOnce = false;
    const watch = controller.watch({ resource: ConfigMap, map: toSelf });
    expect(watch.health?.state).toBe('syncing');
    await watch.remove();
    await expect(watch.synced).rejects.toMatchObject({ code: 'WATCH_REMOVED' });
    expect(cache.handles.size).toBe(1);
  });

  test('the synced of a watch rejects with the error of a cache that is closed', async () => {
    const { cache, controller } = await notingManager(managers);
    cache.syncsAtOnce = false;
    const watches = [
      controller.watch({ resource: ConfigMap, map: toSelf }),
      controller.watch({ resource: Secret, map: toSelf, required: true }),
    ];
    const ends = Promise.allSettled(watches.map(({ synced }) => synced));
    await cache.close();
    const rejected = { status: 'rejected', reason: new Error('released') };
    expect(await ends).toEqual([rejected, rejected]);
  });

  test('readiness depends on a watch that is added at run time only if it is required', async () => {
    const health = { port: 0, host: '127.0.0.1' };
    const { manager, cache } = managers.make({ servers: { health } });
    const controller = manager.addController({ name: 'ready', reconcile: nothing });
    await running(manager);
    const status = async (): Promise<number> =>
      (await fetch(`http://127.0.0.1:${manager.ports.health}/readyz`)).status;
    cache.syncsAtOnce = false;
    controller.watch({ resource: ConfigMap, map: toSelf });
    expect(await status()).toBe(200);
    controller.watch({ resource: Secret, required: true, map: toSelf });
    expect(await status()).toBe(503);
    expect([...cache.handles].map(({ required }) => required)).toEqual([false, true]);
  });

  test('RC06 a controller still receives events after the removal of a dynamic watch on the same kind', async () => {
    const { cache, controller, seen } = await notingManager(managers);
    const watch = controller.watch({ resource: WebApp, map: () => ({ name: 'mapped' }) });
    cache.set(WebApp, objectOf(WebApp, 'a'));
    await eventually(() => seen.length === 2);
    expect(seen.toSorted()).toEqual(['a', 'mapped']);
    await watch.remove();
    cache.set(WebApp, objectOf(WebApp, 'b'));
    await eventually(() => seen.length === 3);
    expect(seen.at(-1)).toBe('b');
  });

  test('RC14 a removal drops the requests that only its watch queued, and resolves after the running reconcile', async () => {
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

  test('RC14 a removal also waits for a run with a second cause', async () => {
    const { manager, cache } = managers.make();
    const end = gate();
    const order: string[] = [];
    const controller = manager.addController({
      name: 'shared',
      async reconcile({ name }) {
        await end.opened;
        order.push(name);
      },
    });
    const watch = controller.watch({ resource: ConfigMap, map: toSelf });
    controller.enqueue({ name: 'both' });
    cache.set(ConfigMap, objectOf(ConfigMap, 'both'));
    await running(manager);
    await eventually(() => controller.running === 1);
    const removed = watch.remove().then(() => order.push('removed'));
    await new Promise((resolve) => setImmediate(resolve));
    end.open();
    await removed;
    expect(order).toEqual(['both', 'removed']);
  });

  test('RC14 a run that fails after the removal of its only watch is not retried', async () => {
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

  test.each(['during the run', 'after the run'])(
    'RC14 requeueAfter survives a removal of the only watch of the request %s',
    async (time) => {
      useFakeTime();
      const { manager, cache } = managers.make();
      const end = gate();
      const causes: string[] = [];
      const controller = manager.addController({
        name: 'later',
        async reconcile(_request, context) {
          causes.push(...context.causes.map(({ reason }) => reason));
          await end.opened;
          return causes.length === 1 ? { requeueAfter: 1000 } : undefined;
        },
      });
      manager.start().catch(() => undefined);
      const watch = controller.watch({ resource: ConfigMap, map: toSelf });
      cache.set(ConfigMap, objectOf(ConfigMap, 'a'));
      await jest.advanceTimersByTimeAsync(1);
      const duringRun = time === 'during the run' ? watch.remove() : undefined;
      end.open();
      await jest.advanceTimersByTimeAsync(1);
      await (duringRun ?? watch.remove());
      expect(await valueOf(manager, 'keelson_requests_purged_total')).toBe(0);
      await jest.advanceTimersByTimeAsync(998);
      expect(causes).toEqual(['initial']);
      await jest.advanceTimersByTimeAsync(1);
      expect(causes).toEqual(['initial', 'requeue']);
    },
  );

  test('a removal ends when the running reconcile exceeds its timeout, or the signal aborts', async () => {
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

  test.each(['predicate', 'mapper', 'keyOf'] as const)(
    'RC14 an event whose %s removes the watch leads to no request',
    async (remover) => {
      const { manager, cache } = managers.make();
      const seen: string[] = [];
      let removal: Promise<void> | undefined;
      const removeIn = (place: typeof remover): void => {
        if (place === remover) removal ??= watch.remove();
      };
      const controller = manager.addController({
        name: 'noting',
        keyOf({ name }: { name: string }) {
          if (name !== 'after') removeIn('keyOf');
          return name;
        },
        reconcile: ({ name }) => void seen.push(name),
      });
      await running(manager);
      const watch = controller.watch({
        resource: ConfigMap,
        predicates: [() => (removeIn('predicate'), true)],
        map(view) {
          removeIn('mapper');
          return toSelf(view);
        },
      });
      await watch.synced;
      cache.set(ConfigMap, objectOf(ConfigMap, 'a'));
      await eventually(() => removal !== undefined);
      await removal;
      controller.enqueue({ name: 'after' });
      await eventually(() => seen.includes('after'));
      expect(seen).toEqual(['after']);
    },
  );

  test('a removal does not wait for a reconcile that has already exceeded its timeout', async () => {
    useFakeTime();
    const { manager, cache } = managers.make();
    const end = gate();
    const controller = manager.addController({
      name: 'stuck',
      timeout: '1m',
      reconcile: () => end.opened,
    });
    manager.start().catch(nothing);
    await jest.advanceTimersByTimeAsync(1);
    const watch = controller.watch({ resource: ConfigMap, map: toSelf });
    cache.set(ConfigMap, objectOf(ConfigMap, 'a'));
    await jest.advanceTimersByTimeAsync(60_001);
    await watch.remove();
    expect([controller.running, cache.handles.size]).toEqual([1, 0]);
    end.open();
    await jest.advanceTimersByTimeAsync(1);
  });

  test('a removal leaves no listener on the signal of its caller', async () => {
    const { manager, cache } = managers.make();
    const end = gate();
    const controller = manager.addController({ name: 'slow', reconcile: () => end.opened });
    await running(manager);
    const watch = controller.watch({ resource: ConfigMap, map: toSelf });
    cache.set(ConfigMap, objectOf(ConfigMap, 'a'));
    await eventually(() => controller.running === 1);
    const { signal } = new AbortController();
    const removed = watch.remove({ signal });
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    end.open();
    await removed;
    expect(getEventListeners(signal, 'abort')).toEqual([]);
    const aborted = AbortSignal.abort(new Error('enough'));
    await expect(watch.remove({ signal: aborted })).rejects.toThrow('enough');
    expect(getEventListeners(aborted, 'abort')).toEqual([]);
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

  test('RC14 a removal during the stop of its controller waits for the runs of the watch', async () => {
    const { manager, cache } = managers.make({ gracePeriod: '1h' });
    const end = gate();
    const order: string[] = [];
    const controller = manager.addController({
      name: 'stopping',
      async reconcile() {
        await end.opened;
        order.push('run');
      },
    });
    await running(manager);
    const watch = controller.watch({ resource: ConfigMap, map: toSelf });
    cache.set(ConfigMap, objectOf(ConfigMap, 'a'));
    await eventually(() => controller.running === 1);
    const stopped = controller.stop();
    const removed = watch.remove().then(() => order.push('removed'));
    await new Promise((resolve) => setImmediate(resolve));
    end.open();
    await Promise.all([stopped, removed]);
    expect(order).toEqual(['run', 'removed']);
  });

  test('RC14 other callers of a removal that a run began resume when that run has ended', async () => {
    const { manager, cache } = managers.make();
    const end = gate();
    const order: string[] = [];
    const watches: DynamicWatch[] = [];
    const controller = manager.addController({
      name: 'self-removing',
      async reconcile() {
        await watches[0]?.remove();
        order.push('removed for the run');
        await end.opened;
        order.push('run');
      },
    });
    await running(manager);
    watches.push(controller.watch({ resource: ConfigMap, map: toSelf }));
    cache.set(ConfigMap, objectOf(ConfigMap, 'a'));
    await eventually(() => order.length === 1);
    const removed = watches[0]?.remove().then(() => order.push('removed for others'));
    await new Promise((resolve) => setImmediate(resolve));
    end.open();
    await removed;
    expect(order).toEqual(['removed for the run', 'run', 'removed for others']);
  });

  test('RC14 two runs that each remove the watch of the other both end', async () => {
    const { manager, cache } = managers.make({ gracePeriod: '1h' });
    const watches = new Map<string, DynamicWatch>();
    const both = gate();
    const ended: string[] = [];
    const controller = manager.addController({
      name: 'crossed',
      concurrency: 2,
      async reconcile({ name }) {
        if (controller.running === 2) both.open();
        await both.opened;
        await watches.get(name === 'one' ? 'two' : 'one')?.remove();
        ended.push(name);
      },
    });
    await running(manager);
    watches.set('one', controller.watch({ resource: ConfigMap, map: toSelf }));
    watches.set('two', controller.watch({ resource: Secret, map: toSelf }));
    cache.set(ConfigMap, objectOf(ConfigMap, 'one'));
    cache.set(Secret, objectOf(Secret, 'two'));
    await eventually(() => ended.length === 2);
    expect(ended.toSorted()).toEqual(['one', 'two']);
    expect(cache.handles.size).toBe(0);
  });

  test('RC14 a removal does not wait for a run in a barrier, and waits for one that has left it', async () => {
    const { manager, cache } = managers.make();
    const ends = { first: gate(), second: gate() };
    const order: string[] = [];
    const watches: DynamicWatch[] = [];
    const controller = manager.addController({
      name: 'waiting',
      concurrency: 2,
      async reconcile({ name }) {
        if (name === 'first') {
          await watches[1]?.remove();
          order.push('barrier left');
        }
        await ends[name as 'first' | 'second'].opened;
        order.push(name);
      },
    });
    await running(manager);
    watches.push(controller.watch({ resource: ConfigMap, map: toSelf }));
    watches.push(controller.watch({ resource: Secret, map: toSelf }));
    cache.set(Secret, objectOf(Secret, 'second'));
    await eventually(() => controller.running === 1);
    cache.set(ConfigMap, objectOf(ConfigMap, 'first'));
    await eventually(() => controller.running === 2);
    await watches[0]?.remove();
    order.push('removed while it waited');
    ends.second.open();
    await eventually(() => order.includes('barrier left'));
    const again = watches[0]?.remove().then(() => order.push('removed again'));
    ends.first.open();
    await again;
    expect(order).toEqual([
      'removed while it waited',
      'second',
      'barrier left',
      'first',
      'removed again',
    ]);
  });

  test('RC14 a removal does not wait for a run that waits for the end of a controller', async () => {
    const { manager, cache } = managers.make({ gracePeriod: '1h' });
    const both = gate();
    const ended: string[] = [];
    const stopped = manager.addController({
      name: 'stopped',
      async reconcile() {
        await both.opened;
        await watch.remove();
        ended.push('stopped');
      },
    });
    const stopping = manager.addController({
      name: 'stopping',
      async reconcile() {
        both.open();
        await stopped.stop();
        ended.push('stopping');
      },
    });
    const watch = stopping.watch({ resource: ConfigMap, map: toSelf });
    await running(manager);
    stopped.enqueue({ name: 'a' });
    await eventually(() => stopped.running === 1);
    cache.set(ConfigMap, objectOf(ConfigMap, 'b'));
    await eventually(() => ended.length === 2);
    expect(ended).toEqual(['stopped', 'stopping']);
  });

  test('a run that stops its controller waits for the other runs', async () => {
    const { manager } = managers.make({ gracePeriod: '1h' });
    const end = gate();
    const order: string[] = [];
    const controller = manager.addController({
      name: 'stopped',
      concurrency: 2,
      async reconcile({ name }) {
        if (name === 'other') await end.opened;
        else await controller.stop();
        order.push(name);
      },
    });
    await running(manager);
    controller.enqueue({ name: 'other' });
    await eventually(() => controller.running === 1);
    controller.enqueue({ name: 'stopping' });
    await eventually(() => controller.running === 2);
    await turns(5);
    expect(order).toEqual([]);
    end.open();
    await eventually(() => order.length === 2);
    expect(order).toEqual(['other', 'stopping']);
  });

  test('two runs that both stop their controller end, and the name is free', async () => {
    const { manager } = managers.make({ gracePeriod: '1h' });
    const both = gate();
    let ended = 0;
    const controller = manager.addController({
      name: 'stopping',
      concurrency: 2,
      async reconcile() {
        if (controller.running === 2) both.open();
        await both.opened;
        await controller.stop();
        ended += 1;
      },
    });
    await running(manager);
    controller.enqueue({ name: 'a' });
    controller.enqueue({ name: 'b' });
    await eventually(() => ended === 2);
    await controller.stop();
    manager.addController({ name: 'stopping', reconcile: nothing });
  });

  test('RC14 the removal of a ninth source waits for its run, and a retry survives the removal of eight sources', async () => {
    const { manager, cache } = managers.make({ controllers: { backoff: { base: '1h' } } });
    const end = gate();
    const order: string[] = [];
    const controller = manager.addController({
      name: 'many-sources',
      async reconcile({ name }) {
        if (name !== 'shared') return;
        await end.opened;
        order.push('run');
        throw new Error('no');
      },
    });
    const watches = Array.from({ length: 9 }, (_, at) =>
      controller.watch({ resource: at % 2 === 0 ? ConfigMap : Secret, map: toSelf }),
    );
    cache.set(ConfigMap, objectOf(ConfigMap, 'shared'));
    cache.set(Secret, objectOf(Secret, 'shared'));
    await running(manager);
    await eventually(() => controller.running === 1);
    const removed = watches[8]?.remove().then(() => order.push('removed'));
    await new Promise((resolve) => setImmediate(resolve));
    end.open();
    await removed;
    expect(order).toEqual(['run', 'removed']);
    await Promise.all(watches.slice(0, 7).map((watch) => watch.remove()));
    expect(await valueOf(manager, 'keelson_requests_purged_total')).toBe(0);
    await watches[7]?.remove();
    expect(await valueOf(manager, 'keelson_requests_purged_total')).toBe(1);
  });

  test.each([
    ['while it runs', false],
    ['while its retry waits', true],
  ])(
    'a failed run of an existing object is retried although its watch was removed %s',
    async (_, waits) => {
      useFakeTime();
      const { manager, cache } = managers.make({ controllers: { backoff: { base: '1s' } } });
      const end = gate();
      const runs: string[][] = [];
      const controller = manager.addController({
        name: 'retrying',
        for: WebApp,
        async reconcile(_request, { causes }) {
          runs.push(causes.map(({ source, reason }) => `${source} ${reason}`));
          if (runs.length !== 2) return;
          if (!waits) await end.opened;
          throw new Error('no');
        },
      });
      manager.start().catch(() => undefined);
      await jest.advanceTimersByTimeAsync(1);
      cache.set(WebApp, objectOf(WebApp, 'a'));
      await jest.advanceTimersByTimeAsync(1);
      const toApp = (): { namespace: string; name: string } => ({
        namespace: 'default',
        name: 'a',
      });
      const watch = controller.watch({ resource: ConfigMap, map: toApp });
      cache.set(ConfigMap, objectOf(ConfigMap, 'b'));
      await jest.advanceTimersByTimeAsync(1);
      const removed = watch.remove();
      end.open();
      await removed;
      await jest.advanceTimersByTimeAsync(1000);
      const expected = [['for WebApp added'], ['watch ConfigMap added'], ['controller retry']];
      expect(runs).toEqual(expected);
    },
  );

  test('causes have the time since each source queued the request', async () => {
    useFakeTime();
    const { manager, cache } = managers.make();
    const seen: [string, number][][] = [];
    const controller = manager.addController({
      name: 'aged',
      for: WebApp,
      reconcile: (_request, { causes }) =>
        void seen.push(causes.map(({ reason, age }) => [reason, age])),
    });
    cache.syncsAtOnce = false;
    manager.start().catch(() => undefined);
    await jest.advanceTimersByTimeAsync(1);
    controller.enqueue({ namespace: 'default', name: 'a' });
    await jest.advanceTimersByTimeAsync(300);
    cache.set(WebApp, objectOf(WebApp, 'a'));
    cache.sync(WebApp);
    await jest.advanceTimersByTimeAsync(1);
    expect(seen).toEqual([
      [
        ['manual', 300],
        ['initial', 0],
      ],
    ]);
  });

  test('the removal of a required watch during the start does not reject the start', async () => {
    const { manager, cache } = managers.make();
    cache.syncsAtOnce = false;
    const controller = manager.addController({ name: 'filling', for: WebApp, reconcile: nothing });
    const early = controller.watch({ resource: Secret, required: true, map: toSelf });
    const started = running(manager);
    await eventually(() => cache.handles.size === 2);
    const late = controller.watch({ resource: ConfigMap, required: true, map: toSelf });
    await early.remove();
    await late.remove();
    cache.sync(WebApp);
    await started;
    await controller.synced;
    expect(cache.handles.size).toBe(1);
  });

  test.each([
    ['while the controller fills', false],
    ['after it has synced and before its workers begin', true],
  ])(
    'no reconcile begins before the sync of a required watch that is added %s',
    async (_, hasSynced) => {
      const { manager, cache } = managers.make();
      cache.syncsAtOnce = false;
      const seen: string[] = [];
      const controller = manager.addController({
        name: 'filling',
        for: WebApp,
        reconcile: ({ name }) => void seen.push(name),
      });
      controller.enqueue({ name: 'queued' });
      manager.addController({ name: 'slow', watches: [watchOf(Secret)], reconcile: nothing });
      const started = running(manager);
      await eventually(() => cache.handles.size === 2);
      const add = (): DynamicWatch =>
        controller.watch({ resource: ConfigMap, required: true, map: toSelf });
      const first = hasSynced ? undefined : add();
      cache.sync(WebApp);
      if (hasSynced) await controller.synced;
      const watch = first ?? add();
      cache.sync(Secret);
      await turns(20);
      expect(seen).toEqual([]);
      cache.sync(ConfigMap);
      await Promise.all([watch.synced, started, controller.synced]);
      await eventually(() => seen.length === 1);
      expect(seen).toEqual(['queued']);
    },
  );

  test('CT05 a required watch that is added before the sync and exceeds the timeout rejects the start', async () => {
    useFakeTime({ setImmediate: true });
    const { manager, cache } = managers.make();
    cache.syncsAtOnce = false;
    const controller = manager.addController({
      name: 'filling',
      for: WebApp,
      cacheSyncTimeout: 30,
      reconcile: nothing,
    });
    const end = manager.start();
    end.catch(nothing);
    await eventually(() => cache.handles.size === 1);
    controller.watch({ resource: ConfigMap, required: true, map: toSelf });
    cache.sync(WebApp);
    await jest.advanceTimersByTimeAsync(30);
    await expect(end).rejects.toMatchObject({
      code: 'CACHE_SYNC_TIMEOUT',
      facts: { source: 'watch ConfigMap' },
    });
  });

  test('CT33 option errors name the option', async () => {
    const { controller } = await notingManager(managers);
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
    const watch = controller.watch({ resource: ConfigMap, map: toSelf });
    await expect(watch.remove({ sginal: undefined } as never)).rejects.toMatchObject({
      code: 'INVALID_OPTION',
      message: expect.stringContaining('remove.sginal') as unknown,
    });
  });
});
