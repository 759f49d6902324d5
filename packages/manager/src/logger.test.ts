import { describe, expect, test } from '@jest/globals';
import { createLogger, type LoggerOptions } from './logger.ts';

function lines(level: LoggerOptions['level']): {
  log: ReturnType<typeof createLogger>;
  parsed: () => Record<string, unknown>[];
} {
  const written: string[] = [];
  const log = createLogger({
    ...(level === undefined ? {} : { level }),
    write: (line) => written.push(line),
  });
  return { log, parsed: () => written.map((line) => JSON.parse(line) as Record<string, unknown>) };
}

describe('the default logger', () => {
  test('writes one JSON object a line, with the facts of its parents', () => {
    const { log, parsed } = lines(undefined);
    log.child({ controller: 'a' }).child({ name: 'b' }).info({ step: 1 }, 'done');
    expect(parsed()).toEqual([
      {
        time: expect.any(String),
        level: 'info',
        message: 'done',
        controller: 'a',
        name: 'b',
        step: 1,
      },
    ]);
  });

  test('leaves out what is below its level', () => {
    const { log, parsed } = lines('warn');
    for (const level of ['debug', 'info', 'warn', 'error'] as const) log[level]({}, level);
    expect(parsed().map(({ level }) => level)).toEqual(['warn', 'error']);
    const silent = lines('silent');
    silent.log.error({}, 'nobody hears');
    expect(silent.parsed()).toEqual([]);
  });

  test('refuses options and levels that it does not know', () => {
    for (const [options, named] of [
      [{ lvel: 'info' }, 'createLogger.lvel'],
      [{ level: 'loud' }, 'createLogger.level'],
    ] as const) {
      expect(() => createLogger(options as never)).toThrow(named);
    }
  });

  test('tells errors with code and cause, and survives what JSON does not know', () => {
    const { log, parsed } = lines('debug');
    const error = new Error('outer', { cause: Object.assign(new Error('inner'), { code: 'E' }) });
    const circle: Record<string, unknown> = { big: 1n };
    circle['self'] = circle;
    log.error({ error, circle }, 'failed');
    const [line] = parsed();
    expect(line?.['error']).toMatchObject({
      name: 'Error',
      message: 'outer',
      stack: expect.stringContaining('logger.test') as unknown,
      cause: { message: 'inner', code: 'E' },
    });
    expect(line?.['circle']).toEqual({ big: '1', self: '(seen above)' });
  });
});
