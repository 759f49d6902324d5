import { describe, expect, test } from '@jest/globals';
import { builtin } from '@keelson/apimachinery';
import {
  eventually,
  gate,
  managersOfTest,
  objectOf,
  running,
  valueOf,
  WebApp,
} from '../testing/fixtures.test-support.ts';
import type { FakeCache } from '../testing/fake-cache.test-support.ts';
import type { Manager } from '../manager/manager.ts';
import type { Controller } from './controller.ts';

const managers = managersOfTest();

/** Lets a source yield all that it may. */
async function turns(): Promise<void> {
  for (let count = 0; count < 20; count += 1) await new Promise(setImmediate);
}

/** A controller that records the names of its runs. */
async function recording(): Promise<{
  controller: Controller;
  manager: Manager;
  ran: string[];
  change: (name: string) => void;
  cache: FakeCache;
}> {
  const { manager, cache } = managers.make();
  const ran: string[] = [];
  const controller = manager.addController({
    name: 'web-app',
    for: WebApp,
    reconcile: ({ name }) => void ran.push(name),
  });
  await running(manager);
  const change = (name: string): void => void cache.set(WebApp, objectOf(WebApp, name));
  return { controller, manager, ran, change, cache };
}

describe('a paused controller', () => {
  test('keeps its requests in the queue, and runs them after the resume', async () => {
    const { controller, ran, change } = await recording();
    controller.pause();
    controller.pause();
    change('a');
    change('b');
    await eventually(() => controller.length === 2);
    expect(controller.isPaused).toBe(true);
    expect(controller.explain().obstacles).toEqual([expect.objectContaining({ code: 'paused' })]);
    expect(ran).toEqual([]);
    controller.resume();
    await eventually(() => ran.length === 2);
    expect(controller.isPaused).toBe(false);
    expect(controller.explain().obstacles).toEqual([]);
  });

  test('begins no run of a request that waited for the run of an earlier controller', async () => {
    const { manager, cache } = managers.make({ gracePeriod: 0 });
    const end = gate();
    const ran: string[] = [];
    const earlier = manager.addController({
      name: 'web-app',
      for: WebApp,
      reconcile: () => end.opened,
    });
    await running(manager);
    cache.set(WebApp, objectOf(WebApp, 'a'));
    await eventually(() => earlier.running === 1);
    await earlier.stop();
    const controller = manager.addController({
      name: 'web-app',
      for: WebApp,
      reconcile: ({ name }) => void ran.push(name),
    });
    cache.set(WebApp, objectOf(WebApp, 'b'));
    await eventually(() => ran.includes('b'));
    controller.pause();
    end.open();
    await eventually(() => earlier.running === 0);
    await new Promise(setImmediate);
    expect([controller.length, ran]).toEqual([1, ['b']]);
    controller.resume();
    await eventually(() => ran.length === 2);
    expect(ran).toEqual(['b', 'a']);
  });
});

describe('a paused request', () => {
  const request = { namespace: 'default', name: 'a' };

  test('does not run while others do, and runs once after the resume', async () => {
    const { controller, ran, change } = await recording();
    controller.pause(request);
    for (const name of ['a', 'b', 'a', 'c']) change(name);
    await eventually(() => ran.includes('c'));
    expect(ran).toEqual(['b', 'c']);
    expect(controller.explain(request).obstacles).toEqual([
      expect.objectContaining({ code: 'paused' }),
    ]);
    controller.resume(request);
    await eventually(() => ran.includes('a'));
    expect(ran).toEqual(['b', 'c', 'a']);
  });

  test('is counted and explained as ready when it is due', async () => {
    const { controller, manager, ran, change } = await recording();
    controller.pause(request);
    for (const name of ['a', 'b']) change(name);
    await eventually(() => ran.includes('b'));
    expect(controller.length).toBe(1);
    const depth = await valueOf(manager, 'workqueue_depth', {
      controller: 'web-app',
      priority: '0',
    });
    expect(depth).toBe(1);
    expect(controller.explain(request)).toMatchObject({
      state: 'ready',
      obstacles: [{ code: 'paused' }],
    });
    controller.resume(request);
    await eventually(() => ran.includes('a'));
    expect(controller.length).toBe(0);
  });

  test('that was not due does not run at the resume', async () => {
    const { controller, ran, change } = await recording();
    controller.pause(request);
    controller.resume(request);
    change('b');
    await eventually(() => ran.includes('b'));
    expect(ran).toEqual(['b']);
  });

  test('runs after the removal of a watch that was not its only cause', async () => {
    const { controller, ran, change, cache } = await recording();
    const watch = controller.watch({
      resource: builtin.Secret,
      map: ({ metadata }) => ({ namespace: 'default', name: metadata.name }),
    });
    controller.pause(request);
    change('a');
    change('b');
    await eventually(() => ran.includes('b'));
    for (const name of ['a', 'c']) cache.set(builtin.Secret, objectOf(builtin.Secret, name));
    await eventually(() => ran.includes('c'));
    await watch.remove();
    controller.resume(request);
    await eventually(() => ran.includes('a'));
    expect(ran).toEqual(['b', 'c', 'a']);
  });

  test('does not run after the removal of its only cause', async () => {
    const { controller, ran, change, cache } = await recording();
    const watch = controller.watch({
      resource: builtin.Secret,
      map: ({ metadata }) => ({ namespace: 'default', name: metadata.name }),
    });
    controller.pause(request);
    for (const name of ['a', 'c']) cache.set(builtin.Secret, objectOf(builtin.Secret, name));
    await eventually(() => ran.includes('c'));
    await watch.remove();
    expect(controller.explain(request)).toMatchObject({
      state: 'idle',
      obstacles: [{ code: 'paused' }],
      events: [{ decision: 'purged', purgedFor: 'watch-removed' }],
    });
    controller.resume(request);
    expect(controller.explain(request).obstacles).toContainEqual(
      expect.objectContaining({ code: 'watch-removed' }),
    );
    change('b');
    await eventually(() => ran.includes('b'));
    expect(ran).toEqual(['c', 'b']);
  });

  test('runs after a reconfiguration that replaces its watch', async () => {
    const { controller, ran, cache } = await recording();
    const metadata = { labels: { app: 'web' } };
    controller.pause(request);
    for (const name of ['a', 'b']) cache.set(WebApp, objectOf(WebApp, name, { metadata }));
    await eventually(() => ran.includes('b'));
    await controller.reconfigure({ for: { resource: WebApp, labelSelector: 'app' } });
    controller.resume(request);
    await eventually(() => ran.includes('a'));
  });

  test('counts for the maxPending of its source, which is not read further', async () => {
    const { manager } = managers.make();
    let yielded = 0;
    async function* requests() {
      while (yielded < 50) yield { name: `${yielded++}` };
    }
    const ran: string[] = [];
    const controller = manager.addController({
      name: 'fed',
      sources: [{ name: 'queue', requests, maxPending: 5 }],
      reconcile: ({ name }) => void ran.push(name),
    });
    for (let at = 0; at < 50; at += 1) controller.pause({ name: `${at}` });
    await running(manager);
    await eventually(() => controller.length === 5);
    await turns();
    expect([yielded, controller.length, ran]).toEqual([5, 5, []]);
    const labels = { controller: 'fed', source: 'queue' };
    expect(await valueOf(manager, 'keelson_source_pending_requests', labels)).toBe(5);
    controller.resume({ name: '0' });
    await eventually(() => ran.length === 1);
    await turns();
    expect([yielded, controller.length, ran]).toEqual([6, 5, ['0']]);
  });

  test('runs after the removal of eight of its ten watches', async () => {
    const { controller, ran, change, cache } = await recording();
    controller.pause(request);
    const watches = Array.from({ length: 10 }, () =>
      controller.watch({ resource: builtin.Secret, map: () => request }),
    );
    await Promise.all(watches.map(({ synced }) => synced));
    cache.set(builtin.Secret, objectOf(builtin.Secret, 'any'));
    change('b');
    await eventually(() => ran.includes('b'));
    await Promise.all(watches.slice(0, 8).map((watch) => watch.remove()));
    controller.resume(request);
    await eventually(() => ran.includes('a'));
    expect(ran).toEqual(['b', 'a']);
  });

  test('keeps the early run of its backoff, its priority and its causes until the resume', async () => {
    const { manager, cache } = managers.make();
    const seen: unknown[] = [];
    const controller = manager.addController({
      name: 'failing',
      for: WebApp,
      backoff: { base: '1h', max: '1h' },
      reconcile({ name }, { attempt, priority, causes }) {
        seen.push([name, attempt, priority, causes.map(({ reason }) => reason)]);
        if (name === 'a' && attempt === 1) throw new Error('no');
      },
    });
    await running(manager);
    cache.set(WebApp, objectOf(WebApp, 'a'));
    await eventually(() => seen.length === 1 && controller.running === 0);
    controller.pause(request);
    cache.set(WebApp, objectOf(WebApp, 'a', { metadata: { labels: { fixed: 'yes' } } }));
    controller.enqueue(request, { priority: 7 });
    controller.enqueue({ namespace: 'default', name: 'b' });
    await eventually(() => seen.length === 2);
    expect(controller.explain(request)).toMatchObject({
      state: 'ready',
      obstacles: [{ code: 'paused' }],
    });
    controller.resume(request);
    await eventually(() => seen.length === 3);
    expect(seen).toEqual([
      ['a', 1, 0, ['added']],
      ['b', 1, 0, ['manual']],
      ['a', 2, 7, ['added', 'retry', 'updated', 'manual']],
    ]);
  });

  test('is refused if it is invalid', async () => {
    const { controller } = await recording();
    expect(() => controller.pause({ name: '' })).toThrow(
      expect.objectContaining({ code: 'INVALID_OPTION' }),
    );
    await controller.stop();
    expect(() => controller.pause()).toThrow(
      expect.objectContaining({ code: 'CONTROLLER_STOPPED' }),
    );
    expect(() => controller.resume()).toThrow(
      expect.objectContaining({ code: 'CONTROLLER_STOPPED' }),
    );
  });
});
