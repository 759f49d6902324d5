import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { builtin } from '@keelson/apimachinery';
import type { Controller } from '../controller/controller.ts';
import { createManager } from '../manager/controller-manager.ts';
import type { Manager } from '../manager/manager.ts';
import type { ManagerOptions } from '../manager/manager-options.ts';
import type { FakeCache } from '../testing/fake-cache.test-support.ts';
import {
  eventually,
  gate,
  managersOfTest,
  nothing,
  objectOf,
  recordingLogger,
  running,
  toSelf,
  WebApp,
} from '../testing/fixtures.test-support.ts';
import { LoopClock } from '../testing/loop-clock.test-support.ts';
import { TerminalError } from '../reconcile/terminal-error.ts';

const { Secret } = builtin;
const METRIC = 'keelson_event_loop_blocked_seconds';
const managers = managersOfTest();

afterEach(() => {
  jest.restoreAllMocks();
});

interface World {
  readonly clock: LoopClock;
  readonly manager: Manager;
  readonly cache: FakeCache;
  /** The warnings, without their time. */
  readonly warnings: () => object[];
}

function worldOf(eventLoop: ManagerOptions['eventLoop'] = {}): World {
  const clock = new LoopClock();
  const { logger, lines } = recordingLogger();
  const { manager, cache } = managers.make({ logger, eventLoop });
  const warnings = (): object[] =>
    lines
      .filter(({ level }) => level === 'warn')
      .map((line) => Object.fromEntries(Object.entries(line).filter(([key]) => key !== 'time')));
  return { clock, manager, cache, warnings };
}

interface Sample {
  readonly metricName: string;
  readonly labels: object;
  readonly value: number;
}

/** The number and the seconds of the series of this role. */
async function metricOf(manager: Manager, labels: object): Promise<number[]> {
  const metric = await manager.registry.getSingleMetric(METRIC)?.get();
  const values = (metric?.values ?? []) as readonly object[] as readonly Sample[];
  const ofSeries = values.filter((each) => JSON.stringify(each.labels) === JSON.stringify(labels));
  return ['count', 'sum'].flatMap((suffix) =>
    ofSeries.filter((each) => each.metricName === `${METRIC}_${suffix}`).map(({ value }) => value),
  );
}

describe('user code that blocks the event loop', () => {
  const message = 'user code blocked the event loop';
  const event = { controller: 'web', role: 'event', source: 'watch Secret', object: 'default/s' };
  const request = { namespace: 'default', name: 'a', reconcileId: expect.any(String) as unknown };

  const cases: readonly (readonly [string, object, (clock: LoopClock) => object])[] = [
    [
      'a reconcile before its first await',
      { controller: 'web', role: 'reconcile', ...request },
      (clock) => ({ reconcile: async () => clock.block(300) }),
    ],
    [
      'a reconcile that throws',
      { controller: 'web', role: 'reconcile', ...request },
      (clock) => ({
        reconcile: () => {
          clock.block(300);
          throw new TerminalError('at once');
        },
      }),
    ],
    [
      'a mapper',
      event,
      (clock) => ({
        watches: [
          {
            resource: Secret,
            map: (secret: { name: string }) => {
              clock.block(300);
              return toSelf(secret);
            },
          },
        ],
      }),
    ],
    [
      'a predicate',
      event,
      (clock) => ({
        watches: [
          {
            resource: Secret,
            map: nothing,
            predicates: [() => clock.block(300) === undefined],
          },
        ],
      }),
    ],
    [
      'an async-iterable source',
      { controller: 'web', role: 'source', source: 'queue' },
      (clock) => ({
        sources: [
          {
            name: 'queue',
            requests: async function* () {
              clock.block(300);
              yield { namespace: 'default', name: 'queued' };
            },
          },
        ],
      }),
    ],
    [
      'an error policy',
      { controller: 'web', role: 'errorPolicy', ...request },
      (clock) => ({
        reconcile: () => Promise.reject(new Error('fails')),
        errorPolicy: () => {
          clock.block(300);
          return 'terminal';
        },
      }),
    ],
    [
      'a dead-letter callback',
      { controller: 'web', role: 'onDeadLetter', ...request },
      (clock) => ({
        reconcile: () => Promise.reject(new Error('fails')),
        maxAttempts: 1,
        onDeadLetter: () => clock.block(300),
      }),
    ],
  ];

  test.each(cases)(
    '%s is named in one warning and in the metric',
    async (_name, facts, optionsOf) => {
      const { clock, manager, cache, warnings } = worldOf();
      const options = { reconcile: nothing, ...optionsOf(clock) };
      manager.addController({ name: 'web', for: WebApp, ...options });
      await running(manager);
      cache.set(WebApp, objectOf(WebApp, 'a'));
      cache.set(Secret, objectOf(Secret, 's'));
      await eventually(() => warnings().length > 0);
      await clock.pass(10_000);
      expect(warnings()).toEqual([
        { level: 'warn', message, ...facts, blockedMs: 300, suppressed: 0 },
      ]);
      const { role } = facts as { role: string };
      expect(await metricOf(manager, { controller: 'web', role })).toEqual([1, 0.3]);
    },
  );

  test('a runnable before its first await is named', async () => {
    const { clock, manager, warnings } = worldOf();
    manager.addRunnable({ name: 'sweeper', run: async () => clock.block(300) });
    await running(manager);
    expect(warnings()).toEqual([
      {
        level: 'warn',
        message,
        runnable: 'sweeper',
        role: 'runnable',
        blockedMs: 300,
        suppressed: 0,
      },
    ]);
    expect(await metricOf(manager, { controller: '', role: 'runnable' })).toEqual([1, 0.3]);
  });

  test('the limit is warnAfter, and 0 switches the reports off', async () => {
    for (const [warnAfter, blocked, count] of [
      ['300ms', 299, 0],
      ['300ms', 300, 1],
      [0, 100_000, 0],
    ] as const) {
      const { clock, manager, warnings } = worldOf({ warnAfter });
      manager.addRunnable({ name: 'sweeper', run: async () => clock.block(blocked) });
      await running(manager);
      await clock.pass(10_000);
      expect(warnings()).toHaveLength(count);
    }
  });

  test('traces need a limit', () => {
    const eventLoop = { warnAfter: 0, traceAwaits: true };
    expect(() => createManager({ eventLoop })).toThrow('createManager.eventLoop.traceAwaits');
  });

  test('the guide shows the options', async () => {
    // #region options
    const manager = createManager({
      eventLoop: { warnAfter: '100ms', traceAwaits: true },
    });
    // #endregion options
    await manager.stop();
  });

  test('a source is logged once a minute with the number of reports that were left out', async () => {
    const { clock, manager, cache, warnings } = worldOf();
    const map = (): undefined => clock.block(300) as undefined;
    manager.addController({
      name: 'web',
      watches: [
        { resource: Secret, map },
        { resource: builtin.ConfigMap, map },
      ],
      reconcile: nothing,
    });
    await running(manager);
    for (let at = 0; at < 4; at += 1) cache.set(Secret, objectOf(Secret, 's'));
    cache.set(builtin.ConfigMap, objectOf(builtin.ConfigMap, 'c'));
    await clock.pass(60_000);
    cache.set(Secret, objectOf(Secret, 's'));
    expect(warnings()).toMatchObject([
      { source: 'watch Secret', suppressed: 0 },
      { source: 'watch ConfigMap', suppressed: 0 },
      { source: 'watch Secret', suppressed: 3 },
    ]);
    const series = { controller: 'web', role: 'event' };
    expect(await metricOf(manager, series)).toEqual([6, expect.closeTo(3)]);
  });
});

describe('code after an await that blocks the event loop', () => {
  /** Two controllers whose reconciles wait for a gate; then that of `web` blocks. */
  async function afterAwait(world: World, blocked: number): Promise<Controller> {
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
    const world = worldOf();
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
    expect(await metricOf(manager, { controller: '', role: 'unknown' })).toEqual([1, 0.5]);
  });

  test('is not reported below warnAfter', async () => {
    const world = worldOf();
    await afterAwait(world, 199);
    await world.clock.pass(1000);
    expect(world.warnings()).toEqual([]);
  });

  test('is named with the request and its last await, if awaits are traced', async () => {
    const { clock, manager, cache, warnings } = worldOf({ traceAwaits: true });
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
    expect(await metricOf(manager, { controller: 'web', role: 'reconcile' })).toEqual([1, 0.5]);
    expect(await metricOf(manager, { controller: '', role: 'unknown' })).toEqual([]);
  });
});

/** The file and the line of the first frame of a stack. */
function placeOf(stack: string): string[] {
  const [, file = '', line = ''] = /\(?([^( ]+):(\d+):\d+\)?$/m.exec(stack) ?? [];
  return [file, line];
}

describe('a stopped manager', () => {
  test('has no timer left, also after the end of a run that outlived it', async () => {
    const { clock, manager, cache, warnings } = worldOf({ traceAwaits: true });
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
    const { clock, manager, cache } = worldOf();
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
