import { once } from 'node:events';
import { describe, expect, jest, test } from '@jest/globals';
import type { Controller } from '../controller/controller.ts';
import {
  eventually,
  gate,
  managersOfTest,
  nothing,
  recordingLogger,
  running,
  useFakeTime,
  valueOf,
  WebApp,
} from '../testing/fixtures.test-support.ts';
import type { Request } from '../reconcile/request.ts';

const managers = managersOfTest();

describe('stopping from within', () => {
  test('a reconcile may stop its manager, and its controller', async () => {
    const { manager } = managers.make({ gracePeriod: '1h' });
    const stopsItself: Controller = manager.addController({
      name: 'stops-itself',
      reconcile: () => stopsItself.stop(),
    });
    const stopsAll: Controller = manager.addController({
      name: 'stops-all',
      reconcile: () => manager.stop(),
    });
    const end = manager.start();
    await manager.started;
    stopsItself.enqueue({ name: 'a' });
    await eventually(() => stopsItself.running === 0);
    stopsAll.enqueue({ name: 'a' });
    await end;
  });

  test('a manager waits for a reconcile that stopped its own controller', async () => {
    const { manager } = managers.make({ gracePeriod: '1h' });
    const end = gate();
    const order: string[] = [];
    const controller: Controller = manager.addController({
      name: 'stops-itself',
      async reconcile() {
        await controller.stop();
        order.push('stopped for the run');
        await end.opened;
        order.push('run');
      },
    });
    await running(manager);
    controller.enqueue({ name: 'a' });
    await eventually(() => order.length === 1);
    expect(() => manager.addController({ name: 'stops-itself', reconcile: nothing })).toThrow(
      expect.objectContaining({ code: 'DUPLICATE_CONTROLLER' }),
    );
    const stopped = manager.stop().then(() => order.push('stopped for others'));
    await new Promise((resolve) => setImmediate(resolve));
    end.open();
    await stopped;
    expect(order).toEqual(['stopped for the run', 'run', 'stopped for others']);
  });

  test('two controllers whose reconciles stop each other end within the grace period', async () => {
    useFakeTime();
    const { manager } = managers.make({ gracePeriod: '10s' });
    const both: Controller[] = [];
    const bothRun = gate();
    for (const at of [0, 1]) {
      const reconcile = async (): Promise<void> => {
        await bothRun.opened;
        await both[1 - at]?.stop();
      };
      both.push(manager.addController({ name: `c${at}`, reconcile }));
    }
    manager.start().catch(nothing);
    await jest.advanceTimersByTimeAsync(1);
    for (const controller of both) controller.enqueue({ name: 'a' });
    await jest.advanceTimersByTimeAsync(1);
    bothRun.open();
    await jest.advanceTimersByTimeAsync(9999);
    expect(both.map((controller) => controller.running)).toEqual([1, 1]);
    await jest.advanceTimersByTimeAsync(1);
    expect(both.map((controller) => controller.running)).toEqual([0, 0]);
  });

  test('a runnable may stop its manager, and code of another manager waits for the end', async () => {
    const { manager } = managers.make({ gracePeriod: '1h' });
    const { manager: inner } = managers.make({ gracePeriod: '1h' });
    const order: string[] = [];
    inner.addRunnable({
      name: 'inner',
      async run({ signal }) {
        await once(signal, 'abort');
        await new Promise((resolve) => setImmediate(resolve));
        order.push('inner');
      },
    });
    manager.addRunnable({
      name: 'stops-all',
      async run() {
        await running(inner);
        await inner.stop();
        order.push('inner stopped');
        await manager.stop();
      },
    });
    await manager.start();
    expect(order).toEqual(['inner', 'inner stopped']);
  });

  test('a timer that a reconcile left behind may wait for the end of the manager', async () => {
    const { manager } = managers.make();
    const ended = gate();
    let stopped: Promise<string> | undefined;
    const controller = manager.addController({
      name: 'leaves-behind',
      reconcile() {
        stopped = ended.opened.then(async () => {
          await manager.stop();
          return order.join();
        });
      },
    });
    const order: string[] = [];
    const end = manager.start().then(() => order.push('end'));
    await manager.started;
    controller.enqueue({ name: 'a' });
    await eventually(() => stopped !== undefined && controller.running === 0);
    manager.addRunnable({
      name: 'slow',
      async run({ signal }) {
        await once(signal, 'abort');
        order.push('runnable');
      },
    });
    ended.open();
    expect(await stopped).toBe('runnable');
    await end;
  });

  test('a controller ends although a reconcile ignores its signal', async () => {
    useFakeTime();
    const { logger, lines } = recordingLogger();
    const { manager, cache } = managers.make({ logger, gracePeriod: '10s' });
    const never = gate();
    const controller = manager.addController({
      name: 'stubborn',
      for: WebApp,
      reconcile: () => never.opened,
    });
    manager.start().catch(nothing);
    await jest.advanceTimersByTimeAsync(1);
    controller.enqueue({ name: 'a' });
    await jest.advanceTimersByTimeAsync(1);
    let isStopped = false;
    const stopped = controller.stop().then(() => (isStopped = true));
    await jest.advanceTimersByTimeAsync(9999);
    expect({ isStopped, held: cache.handles.size }).toEqual({ isStopped: false, held: 1 });
    await jest.advanceTimersByTimeAsync(1);
    await stopped;
    expect(cache.handles.size).toBe(0);
    expect(await valueOf(manager, 'workqueue_depth', { controller: 'stubborn' })).toBeUndefined();
    expect(lines).toContainEqual(
      expect.objectContaining({
        message: 'reconciles still run after the stop',
        controller: 'stubborn',
        running: 1,
      }),
    );
    manager.addController({ name: 'stubborn', reconcile: nothing });
    never.open();
    await jest.advanceTimersByTimeAsync(1);
  });

  test('a source that stops its controller while it is closed does not stop it twice', async () => {
    const { logger, lines } = recordingLogger();
    const { manager } = managers.make({ logger });
    const never = gate();
    const refused: unknown[] = [];
    const controller: Controller = manager.addController({
      name: 'closing',
      sources: [{ name: 'eager', requests }],
      reconcile: nothing,
    });
    async function* requests(signal: AbortSignal): AsyncGenerator<Request> {
      signal.addEventListener('abort', () => {
        void controller.stop();
        try {
          controller.enqueue({ name: 'late' });
        } catch (error) {
          refused.push(error);
        }
      });
      await never.opened;
      yield { name: 'later' };
    }
    await running(manager);
    await controller.stop();
    expect(refused).toEqual([expect.objectContaining({ code: 'CONTROLLER_STOPPED' })]);
    expect(lines.filter(({ message }) => message === 'controller stopped')).toHaveLength(1);
    never.open();
  });
});
