import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createLogger, type Logger } from '../logging/logger.ts';
import { HealthChecks } from '../servers/health-checks.ts';
import { Routes } from '../servers/routes.ts';
import {
  eventually,
  managersOfTest,
  objectOf,
  recordingLogger,
  running,
  silent,
  toSelf,
  valueOf,
  WebApp,
} from '../testing/fixtures.test-support.ts';

const managers = managersOfTest();
const boom = new Error('boom');

const rejected = (): Promise<never> => Promise.reject(boom);

const THEN = ['th', 'en'].join('');

/** A thenable that rejects. */
function rejecting(): object {
  const value = (_: unknown, reject: (error: unknown) => void): void => reject(boom);
  return Object.defineProperty({}, THEN, { value });
}

/** A thenable whose `then` throws. */
function throwing(): object {
  const get = (): never => {
    throw boom;
  };
  return Object.defineProperty({}, THEN, { get });
}

/** An error whose members have no text. */
function textless(): Error {
  const value: unknown = Object.create(null);
  return Object.defineProperties(new Error('textless'), { name: { value }, message: { value } });
}

const faults: Readonly<Record<string, () => never>> = {
  throws: () => {
    throw boom;
  },
  'throws an error without a text': () => {
    throw textless();
  },
  rejects: () => Promise.reject(boom) as never,
  'returns a thenable that rejects': () => rejecting() as never,
  'returns a thenable whose then throws': () => throwing() as never,
};

/** A logger whose lines go nowhere, with one faulty method. */
function faultyLogger(method: keyof Logger, fault: () => never): Logger {
  const nowhere = (): undefined => undefined;
  const logger: Logger = {
    debug: nowhere,
    info: nowhere,
    warn: nowhere,
    error: nowhere,
    child: () => logger,
  };
  return Object.assign(logger, { [method]: fault });
}

describe('the functions of users that a manager calls', () => {
  const unhandled: unknown[] = [];
  const listener = (error: unknown): number => unhandled.push(error);

  beforeEach(() => {
    unhandled.length = 0;
    process.on('unhandledRejection', listener);
    process.on('uncaughtException', listener);
  });

  afterEach(() => {
    process.off('unhandledRejection', listener);
    process.off('uncaughtException', listener);
    expect(unhandled).toEqual([]);
  });

  describe.each(['debug', 'info', 'warn', 'error', 'child'] as const)('Logger.%s', (method) => {
    test.each(Object.entries(faults))(
      'that %s affects no run, and is counted',
      async (_, fault) => {
        const { manager } = managers.make({ logger: faultyLogger(method, fault) });
        const runs: number[] = [];
        const controller = manager.addController({
          name: 'logs',
          backoff: { base: 1, max: 1 },
          reconcile(_request, { attempt, log }) {
            runs.push(attempt);
            for (const level of ['debug', 'info', 'warn', 'error'] as const) log[level]({}, 'line');
            if (attempt === 1) throw new Error('planned');
          },
        });
        await running(manager);
        controller.enqueue({ name: 'a' });
        await eventually(() => runs.length === 2 && controller.running === 0);
        await manager.stop();
        await setImmediate();
        expect(await valueOf(manager, 'keelson_log_errors_total')).toBeGreaterThan(0);
      },
    );
  });

  test.each(Object.entries(faults))(
    'a getter Logger.level that %s affects nothing',
    async (_, get) => {
      const logger: Logger = Object.defineProperty({ ...silent, child: () => logger }, 'level', {
        get,
      });
      const { manager } = managers.make({ logger });
      let runs = 0;
      const controller = manager.addController({ name: 'logs', reconcile: () => void (runs += 1) });
      await running(manager);
      controller.enqueue({ name: 'a' });
      await eventually(() => runs === 1 && controller.running === 0);
      await setImmediate();
    },
  );

  test.each(Object.entries(faults))(
    'LoggerOptions.write that %s drops the line',
    async (_, write) => {
      createLogger({ write }).child({ a: 1 }).info({}, 'line');
      await setImmediate();
    },
  );

  test.each(Object.entries(faults))('a reconcile that %s is retried', async (_, fault) => {
    const { logger, lines } = recordingLogger();
    const { manager } = managers.make({ logger });
    let calls = 0;
    const controller = manager.addController({
      name: 'fails',
      backoff: { base: 1, max: 1 },
      reconcile() {
        calls += 1;
        if (calls <= 2) return fault();
      },
    });
    await running(manager);
    controller.enqueue({ name: 'a' });
    await eventually(() => calls === 3 && controller.running === 0);
    expect(lines.filter(({ message }) => message === 'reconcile failed')).toHaveLength(2);
    expect(await valueOf(manager, 'controller_runtime_reconcile_errors_total')).toBe(2);
  });

  test('a result of a reconcile with promises that reject is reported, and the run succeeds', async () => {
    const { logger, lines } = recordingLogger();
    const { manager } = managers.make({ logger });
    const results: readonly unknown[] = [
      { requeueAfter: rejected() },
      { requeueAfter: '1h', note: rejected() },
      { retry: rejected(), priority: rejected() },
      [rejected()],
      Object.defineProperty({}, 'retry', { enumerable: true, get: rejected }),
    ];
    const left = [...results];
    const reconcile = (): never => left.shift() as never;
    const controller = manager.addController({ name: 'odd', reconcile });
    await running(manager);
    for (const [at] of results.entries()) controller.enqueue({ name: `a${at}` });
    await eventually(() => left.length === 0 && controller.running === 0);
    await setImmediate();
    const invalid = lines.filter(({ message }) => message === 'invalid result of reconcile');
    expect(invalid).toHaveLength(results.length);
    expect(controller.length).toBe(0);
  });

  test('a promise that rejects in a member that the request drops does not end the process', async () => {
    const { manager } = managers.make();
    const runs: object[] = [];
    const reconcile = (request: object): void => void runs.push(request);
    const controller = manager.addController({ name: 'odd', for: WebApp, reconcile });
    await running(manager);
    const request = { namespace: 'default', name: 'a', uid: rejected() };
    controller.enqueue(request);
    await eventually(() => runs.length === 1 && controller.running === 0);
    await setImmediate();
    expect(runs).toEqual([{ namespace: 'default', name: 'a' }]);
  });

  test.each(Object.entries(faults))(
    'onWatchRemoved that %s ends the removal, and is counted and logged once',
    async (_, onWatchRemoved) => {
      const { logger, lines } = recordingLogger();
      const { manager, cache } = managers.make({ logger });
      const controller = manager.addController({ name: 'watches', reconcile() {} });
      await running(manager);
      const watch = controller.watch({ resource: WebApp, map: toSelf, onWatchRemoved });
      cache.set(WebApp, objectOf(WebApp, 'a'));
      await watch.remove();
      expect(lines.filter(({ message }) => message === 'source failed')).toHaveLength(1);
      expect(await valueOf(manager, 'keelson_handler_errors_total')).toBe(1);
    },
  );

  test.each(Object.entries(faults))('a runnable that %s rejects the start', async (_, run) => {
    const { manager } = managers.make();
    manager.addRunnable({ name: 'fails', run });
    await expect(manager.start()).rejects.toBeDefined();
  });

  test.each(Object.entries(faults))('a health check that %s fails', async (_, check) => {
    const checks = new HealthChecks(['/healthz'], 500, silent);
    checks.add('odd', check);
    const response = await checks.respond(new URL('http://a/healthz'));
    expect(response?.status).toBe(500);
  });

  test.each(['status', 'type', 'body'])(
    'a route with a promise that rejects as its %s responds with an error',
    async (member) => {
      const routes = new Routes('health', silent);
      routes.add('/odd', () => ({ body: 'a', [member]: rejected() }));
      expect((await routes.respond(new URL('http://a/odd')))?.status).toBe(500);
      await setImmediate();
    },
  );

  test.each(Object.entries(faults))(
    'a route that %s responds with an error',
    async (_, handler) => {
      const { logger, lines } = recordingLogger();
      const routes = new Routes('health', logger);
      routes.add('/odd', handler);
      expect((await routes.respond(new URL('http://a/odd')))?.status).toBe(500);
      expect(lines.filter(({ message }) => message === 'route failed')).toHaveLength(1);
    },
  );
});
