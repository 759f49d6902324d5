import { beforeAll, describe, expect, test } from '@jest/globals';
import {
  ExpressionResults,
  type JsonObject,
  type RuleResult,
} from '../testing/expression-results.test-support.ts';

// Results recorded from kube-apiserver 1.36.3 for the same rules and objects.
describe('functions of time', () => {
  let results: ExpressionResults;

  beforeAll(() => {
    results = new ExpressionResults();
  });

  test.each<[string, [JsonObject, RuleResult][]]>([
    ["string(self.wait) == '90.5s'", [[{ wait: '1m30.5s' }, true]]],
    [
      "string(self.when) == '2021-01-01T00:00:00.5Z'",
      [
        [{ when: '2021-01-01T00:00:00.5Z' }, true],
        [{ when: '2021-01-01T01:00:00.5+01:00' }, false],
      ],
    ],
    ['type(self.when) == google.protobuf.Timestamp', [[{ when: '2021-01-01T00:00:00Z' }, true]]],
    [
      "self.when > timestamp('2020-01-01T00:00:00Z')",
      [
        [{ when: '2021-01-01T00:00:00Z' }, true],
        [{ when: '2019-01-01T00:00:00Z' }, false],
      ],
    ],
    [
      "self.when - timestamp('2021-01-01T00:00:00Z') == duration('1.5s')",
      [[{ when: '2021-01-01T00:00:01.5Z' }, true]],
    ],
    [
      "self.when + self.wait == timestamp('2021-01-01T01:00:00Z')",
      [[{ when: '2021-01-01T00:00:00Z', wait: '1h' }, true]],
    ],
    [
      'self.when.getFullYear() == 2021 && self.when.getMonth() == 11 && self.when.getDate() == 31 && self.when.getDayOfMonth() == 30 && self.when.getDayOfWeek() == 5 && self.when.getDayOfYear() == 364',
      [[{ when: '2021-12-31T23:59:59.123Z' }, true]],
    ],
    [
      'self.when.getHours() == 23 && self.when.getMinutes() == 59 && self.when.getSeconds() == 59 && self.when.getMilliseconds() == 123',
      [[{ when: '2021-12-31T23:59:59.123Z' }, true]],
    ],
    [
      "self.when.getHours('Europe/Vienna') == 0 && self.when.getFullYear('Europe/Vienna') == 2022",
      [[{ when: '2021-12-31T23:59:59Z' }, true]],
    ],
    [
      "self.when.getHours('-05:30') == 18 && self.when.getMinutes('-05:30') == 29",
      [[{ when: '2021-12-31T23:59:59Z' }, true]],
    ],
    ["self.when.getHours('05:30') == 5", [[{ when: '2021-12-31T23:59:59Z' }, true]]],
    [
      "self.when.getHours('Nowhere/X') == 5",
      [[{ when: '2021-12-31T23:59:59Z' }, 'error: unknown time zone Nowhere/X']],
    ],
    [
      'self.wait.getHours() == 1 && self.wait.getMinutes() == 90 && self.wait.getSeconds() == 5400 && self.wait.getMilliseconds() == 5400000',
      [[{ wait: '1h30m' }, true]],
    ],
    ["self.day == timestamp('2021-01-02T00:00:00Z')", [[{ day: '2021-01-02' }, true]]],
    [
      'timestamp(self.text) < timestamp(self.other)',
      [
        [{ text: '2021-01-01T00:00:00Z', other: '2021-01-01T00:00:00.000000001Z' }, true],
        [
          { text: 'x', other: 'y' },
          "error: type conversion error from 'string' to 'google.protobuf.Timestamp'",
        ],
        [
          { text: '2021-13-01T00:00:00Z', other: '2021-01-01T00:00:00Z' },
          "error: type conversion error from 'string' to 'google.protobuf.Timestamp'",
        ],
      ],
    ],
    ["timestamp(self.count) == timestamp('1970-01-01T00:00:01Z')", [[{ count: 1 }, true]]],
    ['int(self.when) == 1', [[{ when: '1970-01-01T00:00:01.9Z' }, true]]],
    [
      "duration(self.text) == duration('1h')",
      [
        [{ text: '60m' }, true],
        [{ text: '3600s' }, true],
        [{ text: '1h0m' }, true],
        [{ text: '-1h' }, false],
        [
          { text: '1d' },
          "error: type conversion error from 'string' to 'google.protobuf.Duration'",
        ],
        [{ text: '1' }, "error: type conversion error from 'string' to 'google.protobuf.Duration'"],
        [{ text: '0' }, false],
        [{ text: '.5h30m' }, true],
      ],
    ],
    ["self.wait + duration('1m') == duration('2m')", [[{ wait: '1m' }, true]]],
    [
      "self.wait < duration('2m')",
      [
        [{ wait: '1m' }, true],
        [{ wait: '3m' }, false],
      ],
    ],
    [
      "self.wait == duration('1us')",
      [
        [{ wait: '1us' }, true],
        [{ wait: '1\u00b5s' }, true],
      ],
    ],
    ["self.waits.sum() == duration('3m')", [[{ waits: ['1m', '2m'] }, true]]],
    ["string(self.wait) == '12345678.12345679s'", [[{ wait: '12345678.123456789s' }, true]]],
    ["string(self.wait) == '0.000000001s'", [[{ wait: '1ns' }, true]]],
    ["string(self.wait) == '-0.0000015s'", [[{ wait: '-1.5us' }, true]]],
    ["string(self.wait) == '9223372036.854776s'", [[{ wait: '9223372036854775807ns' }, true]]],
    ["duration('0.9999999999999999999999s') == duration('1s')", [[{}, true]]],
    ["duration('0.999999999999s') == duration('999999999ns')", [[{}, true]]],
    [
      "{duration('12345678.123456789s'): 1, duration('12345678.123456788s'): 2}.size() == 2",
      [[{}, true]],
    ],
    [
      'self.when - timestamp(0) < duration("0s")',
      [
        [{ when: '1677-09-21T00:12:43.145224193Z' }, 'error: integer overflow'],
        [{ when: '1677-09-21T00:12:44Z' }, true],
      ],
    ],
    [
      'self.when - self.wait > self.when',
      [
        [
          { when: '2024-01-01T00:00:00Z', wait: '-9223372036854775808ns' },
          'error: integer overflow',
        ],
        [{ when: '2024-01-01T00:00:00Z', wait: '-9223372036854775807ns' }, true],
      ],
    ],
  ])('%s', (rule, expected) => {
    const found = expected.map(([spec]) => [spec, results.of(rule, spec)]);
    expect(found).toEqual(expected);
  });
});
