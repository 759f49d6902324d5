import { describe, expect, test } from '@jest/globals';
import { CelEnvironment } from './cel-environment.ts';

describe('an environment', () => {
  test.each([
    ['int', 'size([1, 2])'],
    ['map(string, double)', "{'a': 1.5}"],
    ['list(list(bool))', '[[true]]'],
    ['timestamp', "timestamp('2024-01-01T00:00:00Z')"],
    ['kubernetes.Quantity', "quantity('1Gi')"],
  ])('returns the type %s of %s', (type, source) => {
    expect(new CelEnvironment().compile(source).type).toBe(type);
  });

  test('returns the variables that an expression uses', () => {
    const environment = new CelEnvironment({ variables: { a: 'int', b: 'int' } });
    const { variables, source } = environment.compile('[1].all(b, b < a)');
    expect([...variables]).toEqual(['a']);
    expect(source).toBe('[1].all(b, b < a)');
  });

  test.each(['integer', 'list', 'map(int)', 'map(double, int)', 'list(list)', '', 7])(
    'rejects a variable of the type %j',
    (type) => {
      const variables = { self: type as string };
      expect(() => new CelEnvironment({ variables })).toThrow('CelEnvironment.variables.self');
    },
  );

  test('rejects a declared type that is nested too deep', () => {
    const self = `${'list('.repeat(10_000)}int${')'.repeat(10_000)}`;
    expect(() => new CelEnvironment({ variables: { self } })).toThrow('must be one of');
  });

  test('rejects invalid variable names and unknown options', () => {
    expect(() => new CelEnvironment({ variables: { 'a-b': 'int' } })).toThrow('letters, digits');
    const misspelt = { variable: {} } as object;
    expect(() => new CelEnvironment(misspelt)).toThrow('unknown option');
    const environment = new CelEnvironment();
    expect(() => environment.compile('1', { typ: 'int' } as object)).toThrow('unknown option');
    expect(() => environment.compile(1 as unknown as string)).toThrow('must be a string');
  });

  test('rejects an invalid pattern at compile time', () => {
    expect(() => new CelEnvironment().compile("'a'.matches('(')")).toThrow('invalid matches');
    expect(() => new CelEnvironment().compile("'a'.find('(')")).toThrow('missing closing )');
  });
});
