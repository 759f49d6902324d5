import { describe, expect, test } from '@jest/globals';
import { CelEnvironment } from './cel-environment.ts';
import type { CelResult } from './result-value.ts';

function evaluate(
  source: string,
  type: string,
  self: unknown,
  options: { costLimit?: number } = {},
): CelResult {
  const environment = new CelEnvironment({ variables: { self: type } });
  return environment.compile(source).evaluate({ self }, options).value;
}

describe('the values of variables', () => {
  test.each<[string, unknown, CelResult]>([
    ['bool', true, true],
    ['int', 3, 3n],
    ['int', 2n ** 63n - 1n, 2n ** 63n - 1n],
    ['uint', 2n ** 64n - 1n, 2n ** 64n - 1n],
    ['double', 3, 3],
    ['string', 'ä', 'ä'],
    ['bytes', Uint8Array.of(1), Uint8Array.of(1)],
    ['null', null, null],
    ['duration', '1h30m', '5400s'],
    ['timestamp', '2024-01-01T01:00:00+01:00', '2024-01-01T01:00:00+01:00'],
    ['timestamp', new Date(0), '1970-01-01T00:00:00Z'],
    ['list(int)', [1, 2], [1n, 2n]],
    ['map(string, int)', { a: 1, b: undefined }, { a: 1n }],
    ['map(int, string)', { 1: 'a' }, { 1: 'a' }],
    ['map(bool, int)', { true: 1 }, { true: 1n }],
    ['dyn', [1, 1.5, null, 'a', { b: [true] }], [1n, 1.5, null, 'a', { b: [true] }]],
    ['dyn', JSON.parse('{"__proto__":1}'), Object.fromEntries([['__proto__', 1n]])],
  ])('are converted to the type %s', (type, given, expected) => {
    expect(evaluate('self', type, given)).toEqual(expected);
  });

  test.each<[string, unknown, string]>([
    ['bool', 1, 'self, reason=must be bool'],
    ['int', 1.5, 'self, reason=must be int'],
    ['int', 2n ** 63n, 'self, reason=must be int'],
    ['int', 2 ** 60, 'self, reason=must be int'],
    ['uint', -1, 'self, reason=must be uint'],
    ['double', '1', 'self, reason=must be double'],
    ['string', null, 'self, reason=must be string'],
    ['null', 0, 'self, reason=must be null'],
    ['bytes', 'a', 'self, reason=must be bytes'],
    ['duration', 'soon', 'self, reason=must be duration'],
    ['timestamp', 'now', 'self, reason=must be timestamp'],
    ['timestamp', new Date(Number.NaN), 'self, reason=must be timestamp'],
    ['list(int)', {}, 'self, reason=must be list(int)'],
    ['map(string, int)', { a: { b: 1 } }, 'self.a, reason=must be int'],
    ['map(int, int)', { a: 1 }, 'self.a, reason=has a key that is not of type int'],
    ['dyn', [() => 1], 'self[0], reason=must be dyn'],
    ['dyn', 2n ** 64n, 'self, reason=must be dyn'],
  ])('are rejected if they do not have the type %s: %p', (type, given, words) => {
    expect(() => evaluate('self', type, given)).toThrow(`variable=${words}`);
  });

  test('are rejected if they contain themselves', () => {
    const circle: unknown[] = [];
    circle.push(circle);
    expect(() => evaluate('size(self)', 'dyn', circle)).toThrow('nested more than 1000 deep');
  });

  test('are required for every variable of the expression and rejected for undeclared ones', () => {
    const environment = new CelEnvironment({ variables: { a: 'int', b: 'int' } });
    const expression = environment.compile('a + 1');
    expect(expression.evaluate({ a: 1 }).value).toBe(2n);
    expect(() => expression.evaluate({ b: 1 })).toThrow('variable=a, reason=has no value');
    expect(() => expression.evaluate({ a: 1, c: 1 })).toThrow('variable=c, reason=is not declared');
  });
});

describe('the result of an expression', () => {
  test.each<[string, CelResult]>([
    ["optional.of('a')", 'a'],
    ['optional.none()', undefined],
    ['type(1)', 'int'],
    ["quantity('1500m').add(1)", '2500m'],
    ["ip('::1')", '::1'],
    ['{1: [1u]}', { 1: [1n] }],
    ["'a,b'.split(',')", ['a', 'b']],
    ['sets.contains([1, 2], [2])', true],
    ["format.named('dns1123Label').value().validate('A').hasValue()", true],
    ["url('https://a.example:80/b').getPort()", '80'],
    ["semver('1.2.3').isLessThan(semver('2.0.0'))", true],
    ["'%d items'.format([3])", '3 items'],
    ["timestamp('2024-02-29T00:00:00Z').getDayOfMonth()", 28n],
  ])('%s', (source, expected) => {
    expect(new CelEnvironment().compile(source).evaluate().value).toEqual(expected);
  });

  test('is an error with the message of kube-apiserver if the evaluation fails', () => {
    expect(() => evaluate('self.a', 'dyn', {})).toThrow('no such key: a');
    expect(() => evaluate('1 / self', 'int', 0)).toThrow('division by zero');
    expect(evaluate('self.a == 1 || true', 'dyn', {})).toBe(true);
  });

  test('accepts a cost limit of 0 and rejects a negative one', () => {
    expect(evaluate('1', 'int', 0, { costLimit: 0 })).toBe(1n);
    expect(() => evaluate('1', 'int', 0, { costLimit: -1 })).toThrow('evaluate.costLimit');
    expect(() => evaluate('1', 'int', 0, { costLimit: Number.NaN })).toThrow('evaluate.costLimit');
  });
});
