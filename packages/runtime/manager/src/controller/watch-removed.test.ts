import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { builtin } from '@keelson/apimachinery';
import {
  eventually,
  gate,
  managersOfTest,
  notingManager,
  objectOf,
  toSelf,
  useFakeTime,
} from '../testing/fixtures.test-support.ts';

const { ConfigMap, Secret } = builtin;

const managers = managersOfTest();

describe('onWatchRemoved', () => {
  afterEach(() => void jest.useRealTimers());

  test('R1-30 is called once, after the last event of the watch and the reconciles that it caused', async () => {
    const order: string[] = [];
    const entered = gate();
    const left = gate();
    const { cache, controller } = await notingManager(managers, async () => {
      entered.open();
      await left.opened;
      order.push('reconciled');
    });
    cache.set(ConfigMap, objectOf(ConfigMap, 'a'));
    const watch = controller.watch({
      resource: ConfigMap,
      map: toSelf,
      onWatchRemoved: () => order.push('removed'),
    });
    await entered.opened;
    const removals = [watch.remove(), watch.remove(), watch[Symbol.asyncDispose]()];
    expect(order).toEqual([]);
    left.open();
    await Promise.all(removals);
    await watch.remove();
    expect(order).toEqual(['reconciled', 'removed']);
  });

  test('R1-30 precedes the events of a later watch of the kind', async () => {
    const order: string[] = [];
    const entered = gate();
    const left = gate();
    const { cache, controller } = await notingManager(managers, async () => {
      entered.open();
      await left.opened;
    });
    cache.set(ConfigMap, objectOf(ConfigMap, 'a'));
    const options = {
      resource: ConfigMap,
      map: () => void order.push('event'),
    };
    const first = controller.watch({
      resource: ConfigMap,
      map: toSelf,
      onWatchRemoved: () => order.push('removed'),
    });
    await entered.opened;
    const removal = first.remove();
    const second = controller.watch(options);
    const unrelated = controller.watch({ resource: Secret, map: toSelf });
    await unrelated.synced;
    expect(order).toEqual([]);
    left.open();
    await removal;
    await second.synced;
    expect(order).toEqual(['removed', 'event']);
  });

  test('a change that only reads the kind does not wait for it', async () => {
    const left = gate();
    const { controller } = await notingManager(managers);
    const watch = controller.watch({
      resource: ConfigMap,
      map: toSelf,
      onWatchRemoved: () => left.opened,
    });
    await watch.synced;
    const removal = watch.remove();
    let started: readonly string[] = [];
    void controller.reconfigure({ reads: [ConfigMap] }).then((result) => ({ started } = result));
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    expect(started).toEqual(['reads ConfigMap']);
    left.open();
    await removal;
  });

  test('a watch that is removed while it is held back never opens', async () => {
    const left = gate();
    const { cache, controller } = await notingManager(managers);
    const first = controller.watch({
      resource: ConfigMap,
      map: toSelf,
      onWatchRemoved: () => left.opened,
    });
    await first.synced;
    const removal = first.remove();
    const second = controller.watch({ resource: ConfigMap, map: toSelf });
    await second.remove();
    left.open();
    await removal;
    expect([...cache.handles].map(({ owner }) => owner)).toEqual(['noting#1: for WebApp']);
    await expect(second.synced).rejects.toMatchObject({ code: 'WATCH_REMOVED' });
  });

  test('is called for what leaves a set, with the function of the newest set, and not for what stays', async () => {
    const removed: string[] = [];
    const { controller } = await notingManager(managers);
    const replace = (
      round: string,
      ...kinds: readonly (typeof ConfigMap | typeof Secret)[]
    ): Promise<unknown> =>
      controller.replaceWatches(
        'kinds',
        kinds.map((resource) => ({
          resource,
          map: toSelf,
          onWatchRemoved: () => removed.push(`${resource.kind} ${round}`),
        })) as never,
      );
    await replace('one', ConfigMap, Secret);
    await replace('two', ConfigMap);
    expect(removed).toEqual(['Secret one']);
    await replace('three');
    expect(removed).toEqual(['Secret one', 'ConfigMap two']);
  });

  test.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw new Error('broken');
      },
    ],
    ['rejects', () => Promise.reject(new Error('broken'))],
  ])(
    'one that %s neither fails the removal nor holds a later watch back',
    async (_, onWatchRemoved) => {
      const { controller, manager } = await notingManager(managers);
      const watch = controller.watch({ resource: ConfigMap, map: toSelf, onWatchRemoved });
      await watch.synced;
      await watch.remove();
      await controller.watch({ resource: ConfigMap, map: toSelf }).synced;
      const metrics = await manager.registry.metrics();
      expect(metrics).toContain('keelson_handler_errors_total{controller="noting"} 1');
    },
  );

  test('a removal whose wait is aborted calls it later, once', async () => {
    let calls = 0;
    const entered = gate();
    const left = gate();
    const { cache, controller } = await notingManager(managers, async () => {
      entered.open();
      await left.opened;
    });
    cache.set(ConfigMap, objectOf(ConfigMap, 'a'));
    const watch = controller.watch({
      resource: ConfigMap,
      map: toSelf,
      onWatchRemoved: () => (calls += 1),
    });
    await entered.opened;
    const signal = AbortSignal.abort(new Error('enough'));
    await expect(watch.remove({ signal })).rejects.toThrow('enough');
    expect(calls).toBe(0);
    left.open();
    await eventually(() => calls === 1);
    await watch.remove();
    expect(calls).toBe(1);
  });

  test('is not called when the controller stops', async () => {
    let calls = 0;
    const { controller } = await notingManager(managers);
    await controller.watch({ resource: ConfigMap, map: toSelf, onWatchRemoved: () => (calls += 1) })
      .synced;
    await controller.stop();
    expect(calls).toBe(0);
  });

  test('one that never ends holds a removal back until the stop of its controller, and no process alive', async () => {
    const { controller, manager } = await notingManager(managers);
    const watch = controller.watch({
      resource: ConfigMap,
      map: toSelf,
      onWatchRemoved: () => new Promise(() => undefined),
    });
    await watch.synced;
    useFakeTime({ setImmediate: true });
    const removal = watch.remove();
    await jest.advanceTimersByTimeAsync(1);
    expect(jest.getTimerCount()).toBe(1);
    const stopped = controller.stop();
    await jest.advanceTimersByTimeAsync(0);
    await Promise.all([stopped, removal]);
    expect(jest.getTimerCount()).toBe(0);
    jest.useRealTimers();
    const metrics = await manager.registry.metrics();
    expect(metrics).not.toContain('keelson_handler_errors_total{controller="noting"} 1');
  });

  test('may await the removal of its own watch, which ends with it', async () => {
    const { controller, manager } = await notingManager(managers);
    const order: string[] = [];
    const watch = controller.watch({
      resource: ConfigMap,
      map: toSelf,
      async onWatchRemoved() {
        await watch.remove();
        order.push('removed');
      },
    });
    await watch.synced;
    useFakeTime({ setImmediate: true });
    await watch.remove();
    order.push('end');
    expect(order).toEqual(['removed', 'end']);
    jest.useRealTimers();
    const metrics = await manager.registry.metrics();
    expect(metrics).toContain('keelson_handler_errors_total{controller="noting"} 0');
  });

  test('may await another removal of its kind, which does not wait for it', async () => {
    const { controller } = await notingManager(managers);
    const order: string[] = [];
    const other = controller.watch({
      resource: ConfigMap,
      map: toSelf,
      namespace: 'other',
      onWatchRemoved: () => order.push('other'),
    });
    const watch = controller.watch({
      resource: ConfigMap,
      map: toSelf,
      async onWatchRemoved() {
        await other.remove();
        order.push('removed');
      },
    });
    await watch.synced;
    await watch.remove();
    expect(order).toEqual(['other', 'removed']);
  });

  test('one that never ends holds the removal and later watches back for 30 s', async () => {
    const { controller, manager } = await notingManager(managers);
    const inner = Promise.withResolvers<void>();
    const watch = controller.watch({
      resource: ConfigMap,
      map: toSelf,
      // Waits for a watch that waits for this function.
      onWatchRemoved: () => {
        inner.resolve(controller.watch({ resource: ConfigMap, map: toSelf }).synced);
        return inner.promise;
      },
    });
    await watch.synced;
    useFakeTime({ setImmediate: true });
    const removal = watch.remove();
    await jest.advanceTimersByTimeAsync(29_999);
    const before = await manager.registry.metrics();
    expect(before).toContain('keelson_handler_errors_total{controller="noting"} 0');
    await jest.advanceTimersByTimeAsync(1);
    jest.useRealTimers();
    await removal;
    await inner.promise;
    const after = await manager.registry.metrics();
    expect(after).toContain('keelson_handler_errors_total{controller="noting"} 1');
  });
});
