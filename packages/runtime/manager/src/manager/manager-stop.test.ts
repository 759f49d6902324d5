import { getEventListeners, once } from 'node:events';
import { describe, expect, test } from '@jest/globals';
import { Registry } from 'prom-client';
import type { Controller } from '../controller/controller.ts';
import {
  eventually,
  gate,
  managersOfTest,
  nothing,
  objectOf,
  recordingLogger,
  running,
  valueOf,
  WebApp,
} from '../testing/fixtures.test-support.ts';
import { phases } from '../phases/phase.ts';

const managers = managersOfTest();

describe('stopping', () => {
  test('MG10 a failing runnable stops the manager with its error', async () => {
    const { manager } = managers.make();
    const fail = gate();
    const error = new Error('the runnable broke');
    manager.addRunnable({
      name: 'breaks',
      async run() {
        await fail.opened;
        throw error;
      },
    });
    const end = manager.start();
    await manager.started;
    fail.open();
    await expect(end).rejects.toBe(error);
  });

  test('MG12 stop ends the phases in reverse order and waits for each', async () => {
    const { manager } = managers.make({ gracePeriod: '1m' });
    const order: string[] = [];
    for (const phase of phases) {
      manager.addRunnable({
        name: phase,
        phase,
        async run({ signal }) {
          await once(signal, 'abort');
          await new Promise((resolve) => setImmediate(resolve));
          order.push(phase);
        },
      });
    }
    await running(manager);
    await manager.stop();
    expect(order).toEqual(phases.toReversed());
  });

  test('MG13 additions throw from the request to stop on', async () => {
    const { manager } = managers.make({ gracePeriod: '1h' });
    const end = gate();
    manager.addRunnable({ name: 'slow', run: () => end.opened });
    await running(manager);
    const expectRefusal = (): void => {
      const refused = expect.objectContaining({ code: 'MANAGER_STOPPED' });
      expect(() => manager.addRunnable({ name: 'late', run: nothing })).toThrow(refused);
      expect(() => manager.addController({ name: 'late', reconcile: nothing })).toThrow(refused);
    };
    const stopped = manager.stop();
    expectRefusal();
    await new Promise((resolve) => setImmediate(resolve));
    expectRefusal();
    end.open();
    await stopped;
    expectRefusal();
  });

  test('MG14 the AbortError of a stop is neither logged nor thrown by start', async () => {
    const { logger, lines } = recordingLogger();
    const { manager } = managers.make({ logger });
    manager.addRunnable({
      name: 'obeys',
      async run({ signal }) {
        await once(signal, 'abort');
        throw new DOMException('This operation was aborted', 'AbortError');
      },
    });
    manager.addRunnable({
      name: 'passes on',
      async run({ signal }) {
        await once(signal, 'abort');
        throw signal.reason;
      },
    });
    const end = manager.start();
    await manager.started;
    await manager.stop();
    await end;
    expect(lines.filter(({ level }) => level === 'error' || level === 'warn')).toEqual([]);
  });

  test('MG16 a stop with grace period 0 does not wait', async () => {
    const { manager } = managers.make({ gracePeriod: 0 });
    const end = gate();
    let signal: AbortSignal | undefined;
    const controller = manager.addController({
      name: 'stubborn',
      async reconcile(_request, context) {
        signal = context.signal;
        await end.opened;
      },
    });
    await running(manager);
    controller.enqueue({ name: 'a' });
    await eventually(() => controller.running === 1);
    await manager.stop();
    expect(signal?.aborted).toBe(true);
    expect(controller.running).toBe(1);
    end.open();
    await eventually(() => controller.running === 0);
  });

  test('MG16 the abort reason is STOPPING, also for a signal that is first read after the abort', async () => {
    const { manager } = managers.make({ gracePeriod: 0 });
    const end = gate();
    const reasons: unknown[] = [];
    const controller = manager.addController({
      name: 'stubborn',
      concurrency: 2,
      async reconcile({ name }, context) {
        const early = name === 'early' ? context.signal : undefined;
        await end.opened;
        reasons.push((early ?? context.signal).reason);
      },
    });
    await running(manager);
    for (const name of ['early', 'late']) controller.enqueue({ name });
    await eventually(() => controller.running === 2);
    await manager.stop();
    end.open();
    await eventually(() => reasons.length === 2);
    const stopping = { code: 'STOPPING', facts: { controller: 'stubborn' } };
    expect(reasons).toMatchObject([stopping, stopping]);
  });

  test('a stopped manager leaves no listener on the signal of start', async () => {
    const { manager } = managers.make();
    const { signal } = new AbortController();
    const end = manager.start({ signal });
    await manager.started;
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    await manager.stop();
    await end;
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  test('MG26 running reconciles may finish within the grace period, and no new one starts', async () => {
    const { manager } = managers.make({ gracePeriod: '1h' });
    const end = gate();
    const seen: string[] = [];
    const controller = manager.addController({
      name: 'busy',
      async reconcile({ name }, { signal }) {
        await end.opened;
        seen.push(`${name} ${signal.aborted}`);
      },
    });
    const over = manager.start();
    await manager.started;
    controller.enqueue({ name: 'running' });
    controller.enqueue({ name: 'queued' });
    await eventually(() => controller.running === 1);
    const stopped = manager.stop();
    await new Promise((resolve) => setImmediate(resolve));
    end.open();
    await stopped;
    await over;
    expect(seen).toEqual(['running false']);
  });

  test('MG26 running reconciles can read the cache until they end, also after a stop of the controller or a removal', async () => {
    const { manager, cache } = managers.make({ gracePeriod: '1h' });
    cache.set(WebApp, objectOf(WebApp, 'a'));
    const end = gate();
    const held: number[] = [];
    const add = (name: string): Controller =>
      manager.addController({
        name,
        for: WebApp,
        async reconcile() {
          await end.opened;
          held.push([...cache.handles].filter(({ owner }) => owner.startsWith(name)).length);
        },
      });
    const alone = add('alone');
    const together = add('together');
    await running(manager);
    await eventually(() => alone.running + together.running === 2);
    const stops = [alone.stop(), manager.stop()];
    await new Promise((resolve) => setImmediate(resolve));
    end.open();
    await Promise.all(stops);
    expect(held).toEqual([1, 1]);
    expect(cache.handles.size).toBe(0);
  });

  test('MG12 stop waits for every run of a runnable that was added twice', async () => {
    const { manager } = managers.make({ gracePeriod: '1h' });
    const ends = [gate(), gate()];
    let ended = 0;
    const starts: number[] = [];
    const twice = {
      name: 'twice',
      async run() {
        const own = ends[starts.push(0) - 1];
        await own?.opened;
        ended += 1;
      },
    };
    manager.addRunnable(twice);
    manager.addRunnable(twice);
    await running(manager);
    let isStopped = false;
    const stopped = manager.stop().then(() => (isStopped = true));
    ends[1]?.open();
    await eventually(() => ended === 1);
    expect(isStopped).toBe(false);
    ends[0]?.open();
    await stopped;
    expect(ended).toBe(2);
  });

  test('start rejects with an error of the stop, and no resource stays open', async () => {
    const before = process.getActiveResourcesInfo();
    const registry = new Registry();
    registry.removeSingleMetric = () => {
      throw new Error('the registry is read-only');
    };
    const { manager } = managers.make({ registry });
    const end = manager.start();
    await manager.started;
    const ends = await Promise.allSettled([manager.stop(), end]);
    expect(ends).toMatchObject([
      { status: 'fulfilled' },
      { status: 'rejected', reason: { message: 'the registry is read-only' } },
    ]);
    await eventually(() => addedSince(before).length === 0);
  });

  test('CT30, MG21 a stopped manager, and a controller that never started, leave no resource open', async () => {
    await new Promise((resolve) => setImmediate(resolve));
    const before = process.getActiveResourcesInfo();
    const { manager, cache } = managers.make({
      servers: { metrics: { port: 0, host: '127.0.0.1' } },
    });
    const controller = manager.addController({ name: 'a', for: WebApp, reconcile: nothing });
    expect(cache.handles.size).toBe(0);
    await running(manager);
    const { metrics: port } = manager.ports;
    controller.enqueue({ name: 'later' }, { after: '1h' });
    await manager.stop();
    // Compared after some turns of the event loop: a closed server is listed until the next turn, and prom-client
    // schedules a turn after each garbage collection for the life of the process.
    await eventually(() => addedSince(before).length === 0);
    expect(cache.handles.size).toBe(0);
    expect(cache.closed).toBe(false);
    await expect(fetch(`http://127.0.0.1:${port}/metrics`)).rejects.toThrow('fetch failed');
    expect(await valueOf(manager, 'workqueue_depth', { controller: 'a' })).toBeUndefined();
  });
});

/** The active resources of the process that were not active before. */
function addedSince(before: readonly string[]): string[] {
  const left = process.getActiveResourcesInfo();
  for (const resource of before) {
    if (left.includes(resource)) left.splice(left.indexOf(resource), 1);
  }
  return left;
}
