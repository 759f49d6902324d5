import { describe, expect, jest, test } from '@jest/globals';
import * as fc from 'fast-check';
import { createLogger, type LoggerOptions } from './logger.ts';

/** The share of the random runs: a tenth in `npm test`, all in `.ci/run`. */
const multiple = Number(process.env['KEELSON_RUNS'] ?? 1);

type Log = ReturnType<typeof createLogger>;

function lines(level: LoggerOptions['level']): {
  log: Log;
  parsed: () => Record<string, unknown>[];
  written: string[];
} {
  const written: string[] = [];
  const log = createLogger({
    ...(level === undefined ? {} : { level }),
    write: (line) => written.push(line),
  });
  const parsed = (): Record<string, unknown>[] =>
    written.map((line) => JSON.parse(line) as Record<string, unknown>);
  return { log, parsed, written };
}

/** An error with a chain of this many causes. */
function chainOf(length: number): Error {
  let error = new Error('the first cause');
  for (let at = 0; at < length; at += 1) error = new Error(`error ${at}`, { cause: error });
  return error;
}

function nested(depth: number): object {
  let value: object = {};
  for (let at = 0; at < depth; at += 1) value = at % 2 === 0 ? { value } : [value];
  return value;
}

const throwing = (): never => {
  throw new Error('not to be read');
};
const revoked = Proxy.revocable({}, {});
revoked.revoke();

/** Facts from user code that may make a logger throw or run for long. */
const hostile: Record<string, () => unknown> = {
  'a chain of 1 500 causes': () => chainOf(1500),
  'a chain of 20 000 causes': () => chainOf(20_000),
  'a circular chain of causes': () => {
    const error = new Error('first');
    error.cause = new Error('second', { cause: error });
    return error;
  },
  'an error whose cause is nested 20 000 deep': () => new Error('outer', { cause: nested(20_000) }),
  'an object nested 20 000 deep': () => nested(20_000),
  'a toJSON that throws': () => ({ toJSON: throwing }),
  'a toJSON that returns another such object': () => {
    const again = (): object => ({ toJSON: again });
    return again();
  },
  'a getter that throws': () => ({
    get member() {
      return throwing();
    },
  }),
  'an error with getters that throw': () =>
    Object.defineProperties(new Error('odd'), {
      message: { get: throwing },
      stack: { get: throwing },
      cause: { get: throwing },
      code: { get: throwing },
      name: { get: throwing },
    }),
  'a revoked proxy': () => revoked.proxy,
  'a proxy whose traps throw': () => new Proxy({}, { ownKeys: throwing, get: throwing }),
  'a string of 10 MB': () => 'x'.repeat(10_000_000),
  'a list of a million': () => Array.from({ length: 1_000_000 }, (_, at) => at),
  'an object of a hundred thousand members': () =>
    Object.fromEntries(Array.from({ length: 100_000 }, (_, at) => [`member${at}`, at])),
  'a tree with a million leaves': () => {
    const level = (depth: number): unknown[] =>
      Array.from({ length: 10 }, () => (depth === 0 ? 'leaf' : level(depth - 1)));
    return level(5);
  },
  'an AggregateError of 10 000 errors': () =>
    new AggregateError(
      Array.from({ length: 10_000 }, (_, at) => new Error(`error ${at}`)),
      'many',
    ),
  'a huge buffer': () => Buffer.alloc(10_000_000),
  'a huge bigint': () => 2n ** 1_000_000n,
  'an invalid date': () => new Date(Number.NaN),
  'an own member __proto__': () => JSON.parse('{"__proto__":{"polluted":true}}') as unknown,
  'a symbol': () => Symbol('tag'),
  'a function': () => throwing,
  'an object without a prototype': () => Object.create(null) as unknown,
};

describe('the default logger', () => {
  test('writes one JSON object per line, with the facts of its parents', () => {
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

  test('writes to standard error by default, with one listener for the error of a closed pipe', () => {
    const others = process.stderr.listeners('error');
    process.stderr.removeAllListeners('error');
    const written: string[] = [];
    // As Node.js does for a closed pipe: the callback of the write, then the event.
    const stderr = jest.spyOn(process.stderr, 'write').mockImplementation(((
      text: string,
      end?: (error: Error) => void,
    ) => {
      written.push(text);
      const error = new Error('EPIPE');
      end?.(error);
      process.stderr.emit('error', error);
      return true;
    }) as never);
    try {
      const log = createLogger();
      log.info({}, 'done');
      log.child({ controller: 'a' }).info({}, 'done');
      expect(written).toHaveLength(2);
      expect(written[0]).toMatch(/"message":"done"}\n$/);
      expect(process.stderr.listenerCount('error')).toBe(1);
    } finally {
      stderr.mockRestore();
      process.stderr.removeAllListeners('error');
      for (const listener of others) process.stderr.on('error', listener as () => void);
    }
  });

  test('does not write lines below its level', () => {
    const { log, parsed } = lines('warn');
    for (const level of ['debug', 'info', 'warn', 'error'] as const) log[level]({}, level);
    expect(parsed().map(({ level }) => level)).toEqual(['warn', 'error']);
    const silent = lines('silent');
    silent.log.error({}, 'not written');
    expect(silent.parsed()).toEqual([]);
  });

  test('rejects unknown options and levels', () => {
    for (const [options, named] of [
      [{ lvel: 'info' }, 'createLogger.lvel'],
      [{ level: 'loud' }, 'createLogger.level'],
    ] as const) {
      expect(() => createLogger(options as never)).toThrow(named);
    }
  });

  test('writes errors with code and cause, and values that JSON cannot represent', () => {
    const { log, parsed } = lines('debug');
    const err = new Error('outer', { cause: Object.assign(new Error('inner'), { code: 'E' }) });
    const circle: Record<string, unknown> = {
      big: 1n,
      map: new Map([['key', 1]]),
      set: new Set([1]),
      date: new Date(0),
      nothing: undefined,
      infinite: Infinity,
    };
    circle['self'] = circle;
    log.error({ err, circle }, 'failed');
    const [line] = parsed();
    expect(line?.['err']).toMatchObject({
      name: 'Error',
      message: 'outer',
      stack: expect.stringContaining('logger.test') as unknown,
      cause: { message: 'inner', code: 'E' },
    });
    expect(line?.['circle']).toEqual({
      big: '1',
      map: [['key', 1]],
      set: [1],
      date: '1970-01-01T00:00:00.000Z',
      infinite: 'Infinity',
      self: '(circular)',
    });
  });

  test('a child keeps the facts of its creation', () => {
    const { log, parsed } = lines('debug');
    const facts = { step: 1 };
    const child = log.child(facts);
    facts.step = 2;
    child.info({}, 'done');
    expect(parsed()[0]).toMatchObject({ step: 1 });
  });

  test('writes a value at each place that refers to it', () => {
    const { log, parsed } = lines('debug');
    const shared = { a: 1 };
    log.info({ first: shared, second: shared }, 'shared');
    expect(parsed()[0]).toMatchObject({ first: { a: 1 }, second: { a: 1 } });
  });

  test('writes the errors of an AggregateError', () => {
    const { log, parsed } = lines('debug');
    const err = new AggregateError([new Error('one'), 'two'], 'both');
    log.error({ err }, 'failed');
    expect(parsed()[0]?.['err']).toMatchObject({
      name: 'AggregateError',
      message: 'both',
      errors: [{ message: 'one' }, 'two'],
    });
  });

  test.each(Object.entries(hostile))('never throws and writes a short line: %s', (_name, make) => {
    const { log, parsed, written } = lines('debug');
    const value = make();
    log.child({ parent: value }).error({ err: value, within: { value } }, 'failed');
    log.error(value as never, 'failed');
    log.error({}, value as never);
    expect(parsed().map(({ level }) => level)).toEqual(['error', 'error', 'error']);
    for (const line of written) expect(line.length).toBeLessThan(200_000);
  });

  test('writes any value as one line of printable characters that parses', () => {
    // `fc.string` would make a table of a million characters first.
    const text = fc.uint16Array().map((units) => String.fromCharCode(...units).toWellFormed());
    const anything = fc.anything({
      withBigInt: true,
      withDate: true,
      withMap: true,
      withSet: true,
      withNullPrototype: true,
      withObjectString: true,
      withSparseArray: true,
      withTypedArray: true,
      key: text,
      values: [text, fc.integer(), fc.double(), fc.boolean(), fc.constantFrom(null, undefined)],
      maxDepth: 12,
    });
    fc.assert(
      fc.property(anything, anything, text, (value, facts, message) => {
        const { log, parsed, written } = lines('debug');
        log
          .child(facts as never)
          .error({ err: new Error(message, { cause: value }), value }, message);
        expect(written).toHaveLength(1);
        expect(written[0]).not.toMatch(/\p{Cc}|[\u200E\u200F\u2028-\u202E\u2066-\u2069]/u);
        expect(parsed()[0]).toMatchObject({ level: 'error', err: { name: 'Error' } });
      }),
      { numRuns: Math.ceil(300 * multiple) },
    );
  });

  test('never throws when its line cannot be written', () => {
    const log = createLogger({ write: throwing });
    expect(() => log.info({}, 'lost')).not.toThrow();
  });

  test.each<[string, unknown, unknown]>([
    ['a string of 8192 characters', 'x'.repeat(8192), 'x'.repeat(8192)],
    ['a longer text', 'x'.repeat(8193), `${'x'.repeat(8192)}… (cut, 8193 characters)`],
    ['a list of 100 items', itemsOf(100), itemsOf(100)],
    ['a longer list', itemsOf(102), [...itemsOf(100), '(2 more)']],
    ['an object of 100 members', membersOf(100), membersOf(100)],
    ['a larger object', membersOf(102), { ...membersOf(100), '(left out)': 2 }],
    ['a key of 128 characters', { ['k'.repeat(128)]: 1 }, { ['k'.repeat(128)]: 1 }],
    ['a longer key', { ['k'.repeat(129)]: 1 }, { ['k'.repeat(128)]: 1 }],
    ['objects within objects', nestedTo(7), nestedTo(7)],
    ['objects that lie deeper', nestedTo(8), nestedTo(7, '(too deep)')],
    ['a bigint below 2^256', 2n ** 256n - 1n, String(2n ** 256n - 1n)],
    ['a larger bigint', 2n ** 256n, '(large bigint)'],
    ['a bigint above -2^256', 1n - 2n ** 256n, String(1n - 2n ** 256n)],
    ['a smaller bigint', -(2n ** 256n), '(large bigint)'],
  ])('bounds %s', (_name, given, written) => {
    const { log, parsed } = lines(undefined);
    log.info({ given }, 'bounded');
    expect(parsed()[0]).toMatchObject({ given: written });
    expect(Object.keys(Object(parsed()[0]?.['given']))).toEqual(Object.keys(Object(written)));
  });

  test('bounds the characters of all strings of a line together', () => {
    const { log, parsed } = lines(undefined);
    const texts = Array.from({ length: 8 }, () => 'x'.repeat(8192));
    log.info({ texts, last: 'x', empty: '' }, '');
    expect(parsed()[0]).toMatchObject({ texts, last: '… (cut, 1 characters)', empty: '' });
  });

  test('bounds the values of a line together', () => {
    const { log, parsed } = lines(undefined);
    const list = itemsOf(100);
    // The message counts as a value, and each list counts in addition to its items.
    const full = Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`list${at}`, list]));
    log.info({ ...full, last: itemsOf(89), over: 1 }, 'many');
    log.info({ ...full, last: itemsOf(91) }, 'many');
    expect(parsed()[0]).toMatchObject({ ...full, last: itemsOf(89), over: '(left out)' });
    expect(parsed()[1]).toMatchObject({ ...full, last: [...itemsOf(89), '(2 more)'] });
  });

  test('facts cannot overwrite level, time and message', () => {
    const { log, parsed } = lines('debug');
    const facts = { level: 'debug', time: 'never', message: 'forged' };
    log.child(facts).error(facts, 'real');
    expect(parsed()[0]).toMatchObject({
      level: 'error',
      time: expect.stringMatching(/^\d{4}-/) as unknown,
      message: 'real',
      'facts.level': 'debug',
      'facts.time': 'never',
      'facts.message': 'forged',
    });
  });

  test('escapes control and bidirectional characters, in keys too', () => {
    const { log, parsed, written } = lines('debug');
    const odd =
      '\n\r\u001B[31m\u007F\u009B\u2028\u2029\u200E\u200F\u202A\u202E\u2066\u2069\u061C\uFEFF';
    log.info({ [odd]: odd }, odd);
    expect(written[0]).toMatch(/^[ -~]+$/);
    expect(parsed()[0]).toMatchObject({ message: odd, [odd]: odd });
  });
});

function itemsOf(count: number): number[] {
  return Array.from({ length: count }, (_, at) => at);
}

function membersOf(count: number): Record<string, unknown> {
  return Object.fromEntries(itemsOf(count).map((at) => [`member${at}`, at]));
}

/** Nested objects, of which the innermost contains the given value. */
function nestedTo(depth: number, innermost: unknown = {}): unknown {
  return depth === 1 ? { inner: innermost } : { inner: nestedTo(depth - 1, innermost) };
}
