import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { builtin } from '@keelson/apimachinery';
import { createManager } from '../manager/controller-manager.ts';
import { blockedWorld, reportsOf } from '../testing/blocked-world.test-support.ts';
import {
  eventually,
  managersOfTest,
  nothing,
  objectOf,
  running,
  toSelf,
  WebApp,
} from '../testing/fixtures.test-support.ts';
import type { LoopClock } from '../testing/loop-clock.test-support.ts';
import { TerminalError } from '../reconcile/terminal-error.ts';

const { Secret } = builtin;
const managers = managersOfTest();

afterEach(() => {
  jest.restoreAllMocks();
});

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
      const { clock, manager, cache, warnings } = blockedWorld(managers);
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
      expect(await reportsOf(manager, { controller: 'web', role })).toEqual([1, 0.3]);
    },
  );

  test('a runnable before its first await is named', async () => {
    const { clock, manager, warnings } = blockedWorld(managers);
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
    expect(await reportsOf(manager, { controller: '', role: 'runnable' })).toEqual([1, 0.3]);
  });

  test('the limit is warnAfter, and 0 switches the reports off', async () => {
    for (const [warnAfter, blocked, count] of [
      ['300ms', 299, 0],
      ['300ms', 300, 1],
      [0, 100_000, 0],
    ] as const) {
      const { clock, manager, cache, warnings } = blockedWorld(managers, { warnAfter });
      const reconcile = jest.fn(() => clock.block(blocked));
      manager.addController({ name: 'web', for: WebApp, reconcile: async () => reconcile() });
      await running(manager);
      cache.set(WebApp, objectOf(WebApp, 'a'));
      await eventually(() => reconcile.mock.calls.length === 1);
      await clock.pass(10_000);
      const reports = Array.from({ length: count }, () => ({ role: 'reconcile' }));
      expect(warnings()).toMatchObject(reports);
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
    const { clock, manager, cache, warnings } = blockedWorld(managers);
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
    expect(await reportsOf(manager, series)).toEqual([6, expect.closeTo(3)]);
  });
});
