import { describe, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { eventually, managersOfTest, running, valueOf } from '../testing/fixtures.test-support.ts';
import { createLogger, guardedLogger, type Logger } from './logger.ts';

const managers = managersOfTest();

const fails = (): never => {
  throw new Error('the log is full');
};
const rejects = (): Promise<never> => Promise.reject(new Error('the log is full'));

function loggerOf(act: () => void): Logger {
  const logger: Logger = { debug: act, info: act, warn: act, error: act, child: () => logger };
  return logger;
}

const loggers: [name: string, logger: Logger][] = [
  ['one that throws', loggerOf(fails)],
  ['one that rejects', loggerOf(rejects)],
  ['one whose child throws', { ...loggerOf(fails), child: fails }],
  ['the default one, whose destination throws', createLogger({ level: 'debug', write: fails })],
  ['pino, whose destination throws', pino({ level: 'debug' }, { write: fails })],
];

describe('a logger that fails', () => {
  test.each(loggers)(
    'does not affect reconciles, retries, sources and the stop: %s',
    async (_name, logger) => {
      const { manager } = managers.make({ logger, gracePeriod: '1m' });
      const runs: string[] = [];
      const controller = manager.addController({
        name: 'unaffected',
        backoff: { base: 1, max: 1 },
        sources: [{ name: 'odd', requests: oddRequests }],
        reconcile({ name }, { log, attempt }) {
          log.info({ name }, 'begins');
          log.child({ step: 1 }).warn({}, 'goes on');
          runs.push(`${name} ${attempt}`);
          if (attempt < 3) throw new Error('not yet');
        },
      });
      const end = manager.start();
      await manager.started;
      await eventually(() => runs.length === 3);
      await eventually(() => controller.running === 0);
      expect(runs).toEqual(['good 1', 'good 2', 'good 3']);
      await manager.stop();
      await expect(end).resolves.toBeUndefined();
    },
  );

  test('is counted for each line that it did not write', async () => {
    const { manager } = managers.make({ logger: loggerOf(fails) });
    await running(manager);
    // The manager logs `manager started`.
    expect(await valueOf(manager, 'keelson_log_errors_total')).toBe(1);
  });

  test('writes the lines of a child that it cannot make, and counts the child', async () => {
    const messages: string[] = [];
    const childless = {
      ...loggerOf(() => undefined),
      info: (_facts: unknown, message: string) => void messages.push(message),
      child: fails,
    };
    const { manager } = managers.make({ logger: childless });
    const controller = manager.addController({
      name: 'logging',
      reconcile: (_request, { log }) => log.info({}, 'from the child'),
    });
    await running(manager);
    const before = (await valueOf(manager, 'keelson_log_errors_total')) ?? 0;
    controller.enqueue({ name: 'a' });
    await eventually(() => messages.includes('from the child'));
    expect(await valueOf(manager, 'keelson_log_errors_total')).toBeGreaterThan(before);
  });

  test('receives a failed line once more, with plain facts', async () => {
    const lines: unknown[] = [];
    const picky = loggerOf(() => undefined);
    picky.error = (facts) => {
      if (facts['err'] instanceof Error) fails();
      lines.push(facts);
    };
    const { manager } = managers.make({ logger: picky });
    const controller = manager.addController({ name: 'failing', reconcile: fails });
    await running(manager);
    controller.enqueue({ name: 'a' });
    await eventually(() => lines.length > 0);
    expect(lines[0]).toMatchObject({ err: { message: 'the log is full' }, attempt: 1 });
  });

  test('an unreadable thrown value is retried, logged and counted like other errors', async () => {
    const written: string[] = [];
    const logger = createLogger({ write: (line) => written.push(line) });
    const { manager } = managers.make({ logger });
    const revoked = Proxy.revocable({}, {});
    revoked.revoke();
    const unreadable = Object.defineProperties(new Error('odd'), {
      message: { get: fails },
      name: { get: fails },
      cause: { get: fails },
    });
    const values: unknown[] = [revoked.proxy, unreadable, undefined, Object.create(null)];
    const runs: string[] = [];
    const controller = manager.addController({
      name: 'odd',
      backoff: { base: 1, max: 1 },
      reconcile({ name }, { attempt }) {
        runs.push(`${name} ${attempt}`);
        if (attempt === 1) throw values[Number(name)];
      },
    });
    await running(manager);
    for (const at of values.keys()) controller.enqueue({ name: String(at) });
    await eventually(() => runs.length === 2 * values.length);
    await eventually(() => controller.running === 0);
    expect(written.filter((line) => line.includes('reconcile failed'))).toHaveLength(values.length);
  });
});

describe('the guard of a logger', () => {
  test('returns a logger of createLogger, and its children, as they are', () => {
    const logger = createLogger({ write: () => undefined });
    expect(guardedLogger(logger, fails)).toBe(logger);
    const child = logger.child({ step: 1 });
    expect(guardedLogger(child, fails)).toBe(child);
  });

  test('catches the errors of a copy with other methods', () => {
    let failures = 0;
    const copy = { ...createLogger({ write: () => undefined }), info: fails };
    guardedLogger(copy, () => (failures += 1)).info({}, 'not written');
    expect(failures).toBe(1);
  });
});

/** Yields an invalid request, then a valid one. */
async function* oddRequests(): AsyncGenerator<{ name: string }> {
  yield null as never;
  yield { name: 'good' };
}
