import { beforeAll, describe, expect, test } from '@jest/globals';
import {
  ExpressionResults,
  type JsonObject,
  type RuleResult,
} from '../../testing/expression-results.test-support.ts';

// Results recorded from kube-apiserver 1.36.3 for the same rules and objects.
describe('format', () => {
  let results: ExpressionResults;

  beforeAll(() => {
    results = new ExpressionResults();
  });

  test.each<[string, [JsonObject, RuleResult][]]>([
    [
      "'%s %d %f'.format([self.text, self.count, self.ratio]) == 'a 1 1.500000'",
      [[{ text: 'a', count: 1, ratio: 1.5 }, true]],
    ],
    ["'%.2f'.format([self.ratio]) == '1.50'", [[{ ratio: 1.5 }, true]]],
    ["'%.2f'.format([self.ratio]) == '1,234,567.50'", [[{ ratio: 1234567.5 }, true]]],
    ["'%.2e'.format([self.ratio]) == '1.50\u202f×\u202f10⁰⁰'", [[{ ratio: 1.5 }, false]]],
    ["'%e'.format([self.ratio]) == '1.234567\u202f×\u202f10⁰³'", [[{ ratio: 1234.567 }, false]]],
    ["'%.1e'.format([self.ratio]) == '1.5\u202f×\u202f10⁻⁰⁴'", [[{ ratio: 0.00015 }, false]]],
    [
      "'%b %o %x %X'.format([self.count, self.count, self.count, self.count]) == '1010 12 a A'",
      [[{ count: 10 }, true]],
    ],
    ["'%x'.format([self.text]) == '6869'", [[{ text: 'hi' }, true]]],
    ["'%b'.format([self.on]) == '1'", [[{ on: true }, true]]],
    ['\'%s\'.format([self.list]) == \'["a", "b"]\'', [[{ list: ['a', 'b'] }, true]]],
    ['\'%s\'.format([self.map]) == \'{"a":"b", "c":"d"}\'', [[{ map: { c: 'd', a: 'b' } }, true]]],
    ["'%s'.format([self.ratios]) == '[1.500000, 2.000000]'", [[{ ratios: [1.5, 2] }, true]]],
    [
      "'%s'.format([self.ratio]) == '1.5'",
      [
        [{ ratio: 1.5 }, true],
        [{ ratio: 2 }, false],
      ],
    ],
    ["'%s'.format([self.wait]) == '60s'", [[{ wait: '1m' }, true]]],
    ["'%s'.format([[self.wait]]) == '[duration(\"60s\")]'", [[{ wait: '1m' }, true]]],
    [
      "'%s'.format([self.when]) == '2021-01-01T00:00:00Z'",
      [[{ when: '2021-01-01T00:00:00Z' }, true]],
    ],
    ["'%%%s'.format([self.text]) == '%a'", [[{ text: 'a' }, true]]],
    [
      "self.text.format([self.other]) == 'x'",
      [
        [{ text: '%s', other: 'x' }, true],
        [
          { text: '%d', other: 'x' },
          'error: error during formatting: decimal clause can only be used on integers, was given string',
        ],
        [{ text: '%s%s', other: 'x' }, 'error: index 1 out of range'],
        [
          { text: '%y', other: 'x' },
          'error: could not parse formatting clause: unrecognized formatting clause "y"',
        ],
        [{ text: '%', other: 'x' }, 'error: unexpected end of string'],
        [
          { text: '%.2', other: 'x' },
          'error: could not parse formatting clause: error while parsing precision: could not find end of precision specifier',
        ],
      ],
    ],
    ["'%s'.format([null]) == 'null'", [[{}, true]]],
    ["'%s'.format([type(self.count)]) == 'int'", [[{ count: 1 }, true]]],
    ["'%s'.format([b'hi']) == 'hi'", [[{}, true]]],
    ["'%s'.format([self.ratio]) == '1e+21'", [[{ ratio: 1e21 }, true]]],
  ])('%s', (rule, expected) => {
    const found = expected.map(([spec]) => [spec, results.of(rule, spec)]);
    expect(found).toEqual(expected);
  });

  test('%s refuses bytes that are not UTF-8', () => {
    const words =
      'could not convert argument "invalid UTF-8 in bytes, cannot convert to string" to string';
    for (const bytes of [String.raw`b'\xff'`, String.raw`b'\xed\xa0\x80'`, String.raw`b'a\xc3'`]) {
      const rule = `'%s'.format([[${bytes}][size(self.text)]]) == ''`;
      expect(results.of(rule, { text: '' })).toBe(`error: error during formatting: ${words}`);
    }
    expect(results.of(String.raw`'%s'.format([b'\xc3\xa9']) == 'é'`, {})).toBe(true);
  });

  test.each<[string, [JsonObject, string][]]>([
    [
      "'%s'.format([self.when])",
      [[{ when: '2021-01-01T00:00:00.1+02:00' }, '2021-01-01T00:00:00.1+02:00']],
    ],
    ["'%s'.format([self.day])", [[{ day: '2021-02-03' }, '2021-02-03T00:00:00Z']]],
    [
      "'%s'.format([self.wait])",
      [
        [{ wait: '1h' }, '3600s'],
        [{ wait: '3 days' }, '259200s'],
        [{ wait: '1d' }, '86400s'],
        [{ wait: '1.5h' }, '5400s'],
        [{ wait: '2w' }, '1209600s'],
        [{ wait: '-1h' }, '-3600s'],
        [{ wait: '5 minutes' }, '300s'],
      ],
    ],
    [
      "'%.0f|%.3f|%.30f'.format([self.ratio, self.ratio, self.ratio])",
      [
        [{ ratio: 2.5 }, `2|2.500|2.5${'0'.repeat(29)}`],
        [{ ratio: 0.5 }, `0|0.500|0.5${'0'.repeat(29)}`],
        [{ ratio: -3.5 }, `-4|-3.500|-3.5${'0'.repeat(29)}`],
        [
          { ratio: 1234567.0005 },
          '1,234,567|1,234,567.001|1,234,567.000500000081956386566162109375',
        ],
        [{ ratio: 0.1 }, '0|0.100|0.100000000000000005551115123126'],
      ],
    ],
    ["'%f'.format([self.ratio])", [[{ ratio: 1e22 }, '10,000,000,000,000,000,000,000.000000']]],
    ["'%.1200f'.format([self.ratio])", [[{ ratio: 1.5 }, `1.5${'0'.repeat(1200 - 4 * 256 - 1)}`]]],
    ["'%.256f|%.257f'.format([self.ratio, self.ratio])", [[{ ratio: 1.5 }, '2|1.5']]],
    [
      "'%s'.format([self.ratios])",
      [[{ ratios: [1e21, -0.5] }, '[1000000000000000000000.000000, -0.500000]']],
    ],
    ["'%s'.format([[-0.0]])", [[{}, '[-0.000000]']]],
    ["'%.999999999f'.format([self.ratio])", [[{ ratio: 1.5 }, '%!(NOVERB)']]],
    ["'%.999999999e'.format([self.ratio])", [[{ ratio: 1.5 }, '%!(NOVERB)']]],
  ])('%s returns a string', (expression, expected) => {
    const made = expected.map(([spec]) => [spec, results.textOf(expression, spec)]);
    expect(made).toEqual(expected);
  });
});
