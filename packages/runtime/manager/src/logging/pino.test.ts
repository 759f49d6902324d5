import { describe, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { eventually, managersOfTest, running } from '../testing/fixtures.test-support.ts';
import { createLogger, type Logger } from './logger.ts';

const managers = managersOfTest();

type Line = Readonly<Record<string, unknown>>;

/** Two loggers with the same interface, each with its written lines. */
function loggers(): [name: string, logger: Logger, lines: Line[]][] {
  const ofPino: Line[] = [];
  const ours: Line[] = [];
  const keep = (lines: Line[]) => (line: string) => void lines.push(JSON.parse(line) as Line);
  return [
    ['pino', pino({ level: 'debug' }, { write: keep(ofPino) }), ofPino],
    ['the default logger', createLogger({ level: 'debug', write: keep(ours) }), ours],
  ];
}

describe('a logger of a manager', () => {
  test.each(loggers())(
    '%s writes a failed reconcile with its error under err',
    async (_name, logger, lines) => {
      const { manager } = managers.make({ logger });
      const cause = new Error('the disk is full');
      const controller = manager.addController({
        name: 'failing',
        reconcile() {
          throw new Error('no backup', { cause });
        },
      });
      await running(manager);
      controller.enqueue({ name: 'a' });
      await eventually(() => lines.some(({ err }) => err !== undefined));
      const line = lines.find(({ err }) => err !== undefined);
      expect(line).toMatchObject({ controller: 'failing', name: 'a', attempt: 1 });
      expect(line).not.toHaveProperty('error');
      expect(line?.['err']).toMatchObject({
        message: expect.stringContaining('no backup') as unknown,
        stack: expect.stringContaining('pino.test') as unknown,
      });
      expect(JSON.stringify(line)).toContain('the disk is full');
    },
  );

  test.each(loggers())(
    '%s writes a failed runnable, check and source with their errors under err',
    async (_name, logger, lines) => {
      const { manager } = managers.make({
        logger,
        servers: { health: { port: 0, host: '127.0.0.1' } },
      });
      manager.addReadyCheck('database', () => {
        throw new Error('no database');
      });
      manager.addController({
        name: 'fed',
        sources: [{ name: 'odd', requests: numbersOnly }],
        reconcile: () => undefined,
      });
      await running(manager);
      await fetch(`http://127.0.0.1:${manager.ports.health}/readyz`);
      manager.addRunnable({ name: 'breaks', run: () => Promise.reject(new Error('no luck')) });
      const failed = (): Line[] => lines.filter(({ err }) => err !== undefined);
      await eventually(() => failed().length === 3);
      const messages = failed().map(({ err }) => (err as { message: unknown }).message);
      expect(messages).toEqual(expect.arrayContaining(['no database', 'no luck']));
      expect(lines.filter((line) => 'error' in line)).toEqual([]);
    },
  );
});

/** Yields one invalid request. */
async function* numbersOnly(): AsyncGenerator<never> {
  yield 1 as never;
  await new Promise(() => undefined);
}
