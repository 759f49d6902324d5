import { describe, expect, jest, test } from '@jest/globals';
import { builtin } from '@keelson/apimachinery';
import type { DynamicWatch } from './controller.ts';
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
  WebApp,
} from './fixtures.test-support.ts';

const { ConfigMap, Secret } = builtin;

const managers = managersOfTest();

describe('a dynamic watch', () => {
  test('brings the objects there are and every later event, and nothing after its removal', async () => {
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

  test('RC11 a watch whose server hangs is added and removed at once, and its synced rejects', async () => {
    const { cache, controller } = await notingManager(managers);
    cache.syncsAtOnce = false;
    const watch = controller.watch({ resource: ConfigMap, map: toSelf });
    expect(watch.health?.state).toBe('syncing');
    await watch.remove();
    await expect(watch.synced).rejects.toMatchObject({ code: 'WATCH_REMOVED' });
    expect(cache.handles.size).toBe(1);
  });

  test('readiness depends on a watch that is added at run time only if it says so', async () => {
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

  test('RC06 a static controller and a dynamic watch on one kind; the dynamic one leaves: the controller still gets events', async () => {
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

  test('RC14 a removal also waits for a run that something else had asked for as well', async () => {
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

  test('RC14 a removal that begins while the controller stops waits for the runs that the watch caused', async () => {
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

  test('RC14 a removal that a run began is over for others when that run has ended', async () => {
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
