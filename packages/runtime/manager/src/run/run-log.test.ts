import { describe, expect, test } from '@jest/globals';
import { pino } from 'pino';
import {
  eventually,
  managersOfTest,
  nothing,
  objectOf,
  recordingLogger,
  running,
  WebApp,
} from '../testing/fixtures.test-support.ts';
import type { Logger } from '../logging/logger.ts';
import type { Controller } from '../controller/controller.ts';
import { createLogger } from '../logging/logger.ts';

const managers = managersOfTest();

async function controllerWith(logger: Logger): Promise<Controller> {
  const { manager, cache } = managers.make({ logger });
  const controller = manager.addController({
    name: 'web-app',
    for: WebApp,
    reconcile: () => ({ requeueAfter: '1h' }),
  });
  await running(manager);
  cache.set(WebApp, objectOf(WebApp, 'a'));
  return controller;
}

describe('the log of a run', () => {
  test('is one line at debug with the request, the causes, the result and the next run', async () => {
    const { logger, lines } = recordingLogger();
    await controllerWith(logger);
    await eventually(() => lines.some(({ message }) => message === 'reconciled'));
    expect(lines.find(({ message }) => message === 'reconciled')).toMatchObject({
      level: 'debug',
      controller: 'web-app',
      namespace: 'default',
      name: 'a',
      reconcileId: expect.any(String),
      attempt: 1,
      causes: [{ source: 'for WebApp', reason: 'added' }],
      result: 'requeue_after',
      duration: expect.any(Number),
      nextRun: expect.any(Number),
    });
  });

  test.each<[string, (write: (line: string) => void) => Logger]>([
    ['the default logger', (write) => createLogger({ write })],
    ['pino', (write) => pino({}, { write }) as Logger],
  ])('has the level of its controller, which changes at run time, with %s', async (_what, make) => {
    const lines: string[] = [];
    const controller = await controllerWith(make((line) => void lines.push(line)));
    const count = (): number => lines.filter((line) => line.includes('"reconciled"')).length;
    await eventually(() => controller.running === 0 && controller.explain().requests === 1);
    expect([controller.logLevel, count()]).toEqual(['info', 0]);
    controller.logLevel = 'debug';
    controller.enqueue({ namespace: 'default', name: 'b' });
    await eventually(() => count() === 1);
    controller.logLevel = 'silent';
    controller.enqueue({ namespace: 'default', name: 'c' });
    await eventually(
      () => controller.explain({ namespace: 'default', name: 'c' }).runs.length === 1,
    );
    expect(count()).toBe(1);
    expect(() => (controller.logLevel = 'loud' as never)).toThrow(
      expect.objectContaining({ code: 'INVALID_OPTION' }),
    );
  });

  test('refuses logLevel for a logger without a level', () => {
    const plain: Logger = {
      debug: nothing,
      info: nothing,
      warn: nothing,
      error: nothing,
      child: () => plain,
    };
    const { manager } = managers.make({ logger: plain });
    const controller = manager.addController({ name: 'plain', reconcile: nothing });
    expect(controller.logLevel).toBeUndefined();
    expect(() => (controller.logLevel = 'debug')).toThrow(
      expect.objectContaining({ code: 'INVALID_OPTION' }),
    );
    const options = { name: 'other', reconcile: nothing, logLevel: 'debug' } as const;
    expect(() => manager.addController(options)).toThrow(
      expect.objectContaining({ code: 'INVALID_OPTION' }),
    );
    const { manager: leveled } = managers.make();
    expect(leveled.addController(options).logLevel).toBe('debug');
  });
});

describe('a failed start', () => {
  test('is one error with its code, its cause and where its cure is', async () => {
    const { logger, lines } = recordingLogger();
    const { manager: first } = managers.make({
      servers: { health: { port: 0, host: '127.0.0.1' } },
    });
    await running(first);
    const port = first.ports.health ?? 0;
    const { manager } = managers.make({
      logger,
      servers: { health: { port, host: '127.0.0.1' } },
    });
    await expect(manager.start()).rejects.toMatchObject({ code: 'PORT_IN_USE' });
    const errors = lines.filter(({ level }) => level === 'error');
    expect(errors).toEqual([
      {
        time: expect.any(String),
        level: 'error',
        message: 'manager did not start',
        code: 'PORT_IN_USE',
        err: { name: 'ManagerError', message: expect.any(String), code: 'PORT_IN_USE' },
        causes: [expect.stringContaining('EADDRINUSE')],
        cure: 'keelson why PORT_IN_USE',
        docs: expect.stringMatching(/errors\.md#port_in_use$/),
      },
    ]);
  });
});
