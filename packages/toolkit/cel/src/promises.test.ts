import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { CelEnvironment, CelError, type CelErrorCode } from './index.ts';

function refusal(call: () => unknown): CelError {
  try {
    call();
  } catch (error) {
    if (error instanceof CelError) return error;
    throw error;
  }
  throw new Error('no error was thrown');
}

function codeOf(call: () => unknown): CelErrorCode {
  return refusal(call).code;
}

/** One test for each promise of `index.ts`, with the same words. */
describe('cel promises', () => {
  test('An expression that does not compile is refused with every error, its line and its column.', () => {
    const { code, facts } = refusal(() => new CelEnvironment().compile('a +\n  b'));
    expect(code).toBe('EXPRESSION_INVALID');
    expect(facts['reason']).toContain("ERROR: <input>:1:1: undeclared reference to 'a'");
    expect(facts['reason']).toContain("ERROR: <input>:2:3: undeclared reference to 'b'");
  });

  test('An expression of another type than the required one is refused before it is evaluated.', () => {
    const environment = new CelEnvironment({ variables: { name: 'string' } });
    const { code, facts } = refusal(() => environment.compile('name', { type: 'bool' }));
    expect(code).toBe('EXPRESSION_INVALID');
    expect(facts['reason']).toBe("expected type 'bool' but found 'string'");
    expect(environment.compile("name == 'a'", { type: 'bool' }).type).toBe('bool');
  });

  test('An evaluation ends with an error as soon as it costs more than its limit.', () => {
    const environment = new CelEnvironment({ variables: { items: 'list(int)' } });
    const expression = environment.compile('items.all(a, items.all(b, a == b))');
    const items = Array.from({ length: 100 }, () => 1);
    const { cost } = expression.evaluate({ items });
    expect(expression.evaluate({ items }, { costLimit: cost }).value).toBe(true);
    const least = { costLimit: cost - 1 };
    expect(codeOf(() => expression.evaluate({ items }, least))).toBe('COST_LIMIT_EXCEEDED');
  });

  test('The same expression and the same values give the same value at the same cost.', () => {
    const expression = new CelEnvironment({ variables: { items: 'list(string)' } }).compile(
      "items.map(each, each + '!').filter(each, each.size() > 2)",
    );
    fc.assert(
      fc.property(fc.array(fc.string()), (items) => {
        expect(expression.evaluate({ items })).toEqual(expression.evaluate({ items: [...items] }));
      }),
    );
  });

  test('A regular expression takes time in proportion to the text, whatever the pattern.', () => {
    const environment = new CelEnvironment({ variables: { text: 'string' } });
    const expression = environment.compile("text.matches('^(a+)+$')");
    const text = `${'a'.repeat(20_000)}!`;
    expect(expression.evaluate({ text }).value).toBe(false);
  });

  test('An int keeps all its 64 bits, and arithmetic that exceeds them fails.', () => {
    const expression = new CelEnvironment({ variables: { n: 'int' } }).compile('n + 1');
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 2n }), (n) => {
        expect(expression.evaluate({ n }).value).toBe(n + 1n);
      }),
    );
    expect(codeOf(() => expression.evaluate({ n: 2n ** 63n - 1n }))).toBe('EVALUATION_FAILED');
  });

  test('A value that does not fit the declared type of its variable is refused with its path.', () => {
    const environment = new CelEnvironment({ variables: { ports: 'map(string, list(int))' } });
    const expression = environment.compile('ports.size()');
    const { code, facts } = refusal(() => expression.evaluate({ ports: { http: [80, 'x'] } }));
    expect(code).toBe('VARIABLE_INVALID');
    expect(facts).toEqual({ variable: 'ports.http[1]', reason: 'must be int' });
  });

  test('No evaluation changes the values that it is given.', () => {
    const expression = new CelEnvironment({ variables: { self: 'dyn' } }).compile(
      'self.list.map(each, each * 2) + self.list',
    );
    const self = { list: [1, 2] };
    Object.freeze(self.list);
    Object.freeze(self);
    expect(expression.evaluate({ self }).value).toEqual([2n, 4n, 1n, 2n]);
    expect(self).toEqual({ list: [1, 2] });
  });
});
