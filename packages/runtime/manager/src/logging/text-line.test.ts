import { describe, expect, jest, test } from '@jest/globals';
import { createLogger } from './logger.ts';
import { foldedStack } from './folded-stack.ts';
import { textLine } from './text-line.ts';

function circular(): Error {
  const error = new Error('a');
  error.cause = error;
  return error;
}

/** The lines that a logger of the format `text` writes, without the time of the day. */
function written(act: (log: ReturnType<typeof createLogger>) => void): string[] {
  const lines: string[] = [];
  const write = (line: string): void => void lines.push(line.replace(/^[\d:.]{12} /, ''));
  act(createLogger({ format: 'text', level: 'debug', write }));
  return lines;
}

describe('the format text', () => {
  test('has the level, the message and the facts, with quotes only where they are needed', () => {
    const lines = written((log) => {
      const child = log.child({ controller: 'web-app' });
      child.info({ name: 'a', size: 3, note: 'two words', left: undefined }, 'done');
      child.warn({ list: [1, 2] }, 'odd');
    });
    expect(lines).toEqual([
      'INFO  done controller=web-app name=a size=3 note="two words"',
      'WARN  odd controller=web-app list=[1,2]',
    ]);
  });

  test('has the stack of an error and of its cause below the line', () => {
    const cause = new Error('inner');
    const error = Object.assign(new Error('outer', { cause }), { code: 'ODD' });
    const [line = ''] = written((log) => log.error({ err: error }, 'failed'));
    const [first, ...below] = line.split('\n');
    expect(first).toBe('ERROR failed err="Error ODD: outer"');
    expect(below[0]).toMatch(/^ {4}at .*text-line\.test\.ts/);
    expect(below).toContainEqual('    caused by: inner');
  });

  test.each<[string, unknown]>([
    ['null', null],
    ['a list of errors', [new Error('a')]],
    ['an error whose stack is no text', Object.assign(new Error('a'), { stack: 5 })],
    ['an error whose cause is itself', circular()],
    ['a nested object', { a: { b: { c: [1, { d: undefined }] } } }],
    ['an empty text', ''],
  ])('writes one line for %s', (_what, value) => {
    const [line = '', ...more] = written((log) => log.info({ value }, 'seen'));
    expect(more).toEqual([]);
    expect(line.split('\n')[0]).toMatch(/^INFO  seen value=\S/);
  });

  test('shows control characters of others as text', () => {
    const [line = ''] = written((log) =>
      log.info({ name: 'a\u001b[2Jb', other: '\u202Ex' }, 'x\ry'),
    );
    expect(line).toBe('INFO  x\\u000dy name=a\\u001b[2Jb other=\\u202ex');
  });

  test('is one line for a message and keys with line feeds', () => {
    const lines = written((log) => log.info({ 'k\nERROR forged': 1, 'a b=': 2 }, 'm\nforged'));
    expect(lines).toEqual([String.raw`INFO  m\nforged "k\nERROR forged"=1 "a b="=2`]);
  });

  test('shows a message that is not a string as JSON', () => {
    const swapped = written((log) => log.info('changed' as never, { namespace: 'a' } as never));
    expect(swapped).toEqual(['INFO  {"namespace":"a"} facts=changed']);
  });

  test('has colours only on a terminal with colours', () => {
    const facts = { time: '2026-01-01T10:20:30.456Z', level: 'warn', message: 'odd' };
    expect(textLine(facts, false)).toBe('10:20:30.456 WARN  odd');
    expect(textLine(facts, true)).toBe('10:20:30.456 \u001b[33mWARN \u001b[39m odd');
  });

  test('is the default on a terminal, and JSON elsewhere', () => {
    const texts: string[] = [];
    const stderr = jest.spyOn(process.stderr, 'write').mockImplementation(((text: string) => {
      texts.push(text);
      return true;
    }) as typeof process.stderr.write);
    const { isTTY } = process.stderr;
    try {
      process.stderr.isTTY = true;
      createLogger().info({ a: 1 }, 'seen');
      process.stderr.isTTY = false;
      createLogger().info({ a: 1 }, 'seen');
    } finally {
      process.stderr.isTTY = isTTY;
      stderr.mockRestore();
    }
    expect(texts[0]).toMatch(/INFO.* seen a=1\n$/);
    expect(JSON.parse(texts[1] ?? '')).toMatchObject({ level: 'info', message: 'seen', a: 1 });
  });
});

describe('foldedStack', () => {
  const own = ['/node_modules/@keelson/'];
  const of = (...frames: readonly string[]): string =>
    ['Error: odd', ...frames.map((frame) => `    at ${frame}`)].join('\n');

  test('replaces the frames of Keelson and Node.js around those of the user', () => {
    const stack = of(
      'reconcile (/app/a.ts:1:1)',
      'run (/app/node_modules/@keelson/manager/dist/index.js:1:1)',
      'process.processTicksAndRejections (node:internal/process/task_queues:105:5)',
      'outer (/app/b.ts:1:1)',
    );
    expect(foldedStack(stack, own)).toBe(
      [
        'Error: odd',
        '    at reconcile (/app/a.ts:1:1)',
        '    … 2 frames of Keelson and Node.js',
        '    at outer (/app/b.ts:1:1)',
      ].join('\n'),
    );
  });

  test('keeps the innermost frames of a stack without user code, and a text without frames', () => {
    const frame = 'f (/app/node_modules/@keelson/client/dist/index.js:1:1)';
    expect(foldedStack(of(frame, frame, frame, frame, frame), own).split('\n')).toEqual([
      'Error: odd',
      ...Array.from({ length: 3 }, () => `    at ${frame}`),
      '    … 2 frames of Keelson and Node.js',
    ]);
    expect(foldedStack('a text\nof two lines', own)).toBe('a text\nof two lines');
  });
});
