import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { builtin } from '@keelson/apimachinery';
import type { Controller } from '../controller/controller.ts';
import {
  blockedWorld,
  reportsOf,
  type BlockedWorld,
} from '../testing/blocked-world.test-support.ts';
import {
  eventually,
  gate,
  managersOfTest,
  nothing,
  objectOf,
  running,
  WebApp,
} from '../testing/fixtures.test-support.ts';

const { Secret } = builtin;
const managers = managersOfTest();

afterEach(() => {
  jest.restoreAllMocks();
});

describe('code after an await that blocks the event loop', () => {
  /** Two controllers whose reconciles wait for a gate; then that of `web` blocks. */
  async function afterAwait(world: BlockedWorld, blocked: number): Promise<Controller> {
    const { clock, manager, cache } = world;
    const [opened, never] = [gate(), gate()];
    let waiting = 0;
    const web = manager.addController({
      name: 'web',
      for: WebApp,
      async reconcile() {
        waiting += 1;
        await opened.opened;
        clock.block(blocked);
      },
    });
    manager.addController({
      name: 'idle',
      for: Secret,
      async reconcile(_request, { signal }) {
        waiting += 1;
        signal.addEventListener('abort', never.open);
        await never.opened;
      },
    });
    manager.addController({ name: 'without-runs', for: builtin.ConfigMap, reconcile: nothing });
    await running(manager);
    cache.set(WebApp, objectOf(WebApp, 'a'));
    cache.set(Secret, objectOf(Secret, 's'));
    await eventually(() => waiting === 2);
    await clock.pass(1000);
    opened.open();
    await eventually(() => web.running === 0);
    return web;
  }

  test('leads to a warning that names the runs that were active', async () => {
    const world = blockedWorld(managers);
    const { clock, manager, warnings } = world;
    await afterAwait(world, 500);
    expect(warnings()).toEqual([]);
    await clock.pass(1000);
    expect(warnings()).toEqual([
      {
        level: 'warn',
        message: 'event loop was blocked, perhaps by one of these runs',
        candidates: ['idle default/s', 'web default/a'],
        others: 0,
        blockedMs: 500,
        cpuMs: expect.any(Number),
        suppressed: 0,
      },
    ]);
    expect(await reportsOf(manager, { controller: '', role: 'unknown' })).toEqual([1, 0.5]);
  });

  test('names the runnables until their end', async () => {
    const { clock, manager, warnings } = blockedWorld(managers);
    const [first, second] = [gate(), gate()];
    manager.addRunnable({
      name: 'sweeper',
      async run() {
        await first.opened;
        clock.block(500);
        await second.opened;
      },
    });
    manager.addRunnable({ name: 'other', run: () => second.opened });
    await running(manager);
    first.open();
    await clock.pass(1000);
    expect(warnings()).toMatchObject([
      { candidates: ['runnable sweeper', 'runnable other'], others: 0, blockedMs: 500 },
    ]);
    const timers = jest.getTimerCount();
    second.open();
    await clock.pass(1000);
    expect(jest.getTimerCount()).toBe(timers - 1);
  });

  test('is not reported below warnAfter', async () => {
    const world = blockedWorld(managers);
    await afterAwait(world, 199);
    await world.clock.pass(1000);
    expect(world.warnings()).toEqual([]);
  });

  test('is named with the request and its last await, if awaits are traced', async () => {
    const { clock, manager, cache, warnings } = blockedWorld(managers, { traceAwaits: true });
    const opened = gate();
    const finish = gate();
    let at = '';
    const controller = manager.addController({
      name: 'web',
      for: WebApp,
      async reconcile() {
        await opened.opened;
        at = new Error().stack ?? '';
        await finish.opened;
        clock.block(500);
      },
    });
    await running(manager);
    cache.set(WebApp, objectOf(WebApp, 'a'));
    await eventually(() => controller.running === 1);
    opened.open();
    await eventually(() => at !== '');
    finish.open();
    await eventually(() => controller.running === 0);
    await clock.pass(1000);
    const [file, line] = placeOf(at);
    expect(warnings()).toEqual([
      {
        level: 'warn',
        message: 'user code blocked the event loop',
        controller: 'web',
        role: 'reconcile',
        namespace: 'default',
        name: 'a',
        reconcileId: expect.any(String),
        blockedMs: 500,
        awaitedAt: [expect.stringContaining(`${file}:${Number(line) + 1}:`) as unknown],
        suppressed: 0,
      },
    ]);
    expect(await reportsOf(manager, { controller: 'web', role: 'reconcile' })).toEqual([1, 0.5]);
    expect(await reportsOf(manager, { controller: '', role: 'unknown' })).toEqual([]);
  });
});

/** The file and the line of the first frame of a stack. */
function placeOf(stack: string): string[] {
  const [, file = '', line = ''] = /\(?([^( ]+):(\d+):\d+\)?$/m.exec(stack) ?? [];
  return [file, line];
}

describe('a stopped manager', () => {
  test('has no timer left, also after the end of a run that outlived it', async () => {
    const { clock, manager, cache, warnings } = blockedWorld(managers, { traceAwaits: true });
    const finish = gate();
    const controller = manager.addController({
      name: 'web',
      for: WebApp,
      async reconcile() {
        await finish.opened;
        clock.block(500);
      },
    });
    await running(manager);
    cache.set(WebApp, objectOf(WebApp, 'a'));
    await eventually(() => controller.running === 1);
    expect(jest.getTimerCount()).toBeGreaterThan(0);
    const stopped = manager.stop();
    await clock.pass(1000);
    await stopped;
    const stillRuns = warnings().length;
    expect(jest.getTimerCount()).toBe(0);
    finish.open();
    await eventually(() => controller.running === 0);
    await clock.pass(10_000);
    expect(warnings()).toHaveLength(stillRuns);
    expect(jest.getTimerCount()).toBe(0);
  });

  test('the timer ends when no run is left', async () => {
    const { clock, manager, cache } = blockedWorld(managers);
    const seen: string[] = [];
    manager.addController({
      name: 'web',
      for: WebApp,
      reconcile: ({ name }) => void seen.push(name),
    });
    await running(manager);
    const before = jest.getTimerCount();
    cache.set(WebApp, objectOf(WebApp, 'a'));
    await eventually(() => seen.length === 1);
    expect(jest.getTimerCount()).toBe(before + 1);
    await clock.pass(200);
    expect(jest.getTimerCount()).toBe(before);
  });
});
