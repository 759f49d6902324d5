import { beforeAll, describe, expect, test } from '@jest/globals';
import {
  ExpressionResults,
  type JsonObject,
  type RuleResult,
} from '../testing/expression-results.test-support.ts';

// Results recorded from kube-apiserver 1.36.3 for the same rules and objects.
describe('operators and conversions', () => {
  let results: ExpressionResults;

  beforeAll(() => {
    results = new ExpressionResults();
  });

  test.each<[string, [JsonObject, RuleResult][]]>([
    [
      "self.bytes == b'hi'",
      [
        [{ bytes: 'aGk=' }, true],
        [{ bytes: 'aGo=' }, false],
      ],
    ],
    [
      'self.count / 2 == 1 && self.count % 2 == 1',
      [
        [{ count: 3 }, true],
        [{ count: -3 }, false],
      ],
    ],
    ['-self.count == -3', [[{ count: 3 }, true]]],
    [
      'self.count * 9223372036854775807 > 0',
      [
        [{ count: 1 }, true],
        [{ count: 2 }, 'error: integer overflow'],
      ],
    ],
    ['self.count + 9223372036854775807 > 0', [[{ count: 1 }, 'error: integer overflow']]],
    ['self.count - 9223372036854775807 - 10 < 0', [[{ count: -1 }, 'error: integer overflow']]],
    ['-(-9223372036854775807 - self.count) > 0', [[{ count: 1 }, 'error: integer overflow']]],
    ['(-9223372036854775807 - self.count) / -1 > 0', [[{ count: 1 }, 'error: integer overflow']]],
    [
      'self.ratio / 0.0 > 1.0',
      [
        [{ ratio: 1 }, true],
        [{ ratio: 0 }, 'error: NaN values cannot be ordered'],
        [{ ratio: -1 }, false],
      ],
    ],
    [
      'int(self.ratio) == 1',
      [
        [{ ratio: 1.9 }, true],
        [{ ratio: -1.9 }, false],
        [{ ratio: 1e30 }, 'error: integer overflow'],
      ],
    ],
    [
      'int(self.text) == 12',
      [
        [{ text: '12' }, true],
        [{ text: '+12' }, true],
        [{ text: '0x12' }, "error: type conversion error from 'string' to 'int'"],
        [{ text: '1_2' }, "error: type conversion error from 'string' to 'int'"],
        [{ text: ' 12' }, "error: type conversion error from 'string' to 'int'"],
        [{ text: '99999999999999999999' }, "error: type conversion error from 'string' to 'int'"],
        [{ text: '' }, "error: type conversion error from 'string' to 'int'"],
      ],
    ],
    [
      'double(self.text) == 1.5',
      [
        [{ text: '1.5' }, true],
        [{ text: '15e-1' }, true],
        [{ text: 'x' }, "error: type conversion error from 'string' to 'double'"],
        [{ text: 'NaN' }, false],
        [{ text: 'Inf' }, false],
      ],
    ],
    [
      'bool(self.text)',
      [
        [{ text: 'true' }, true],
        [{ text: 't' }, true],
        [{ text: '1' }, true],
        [{ text: 'yes' }, "error: type conversion error from 'string' to 'bool'"],
        [{ text: 'FALSE' }, false],
      ],
    ],
    [
      'uint(self.count) == 3u',
      [
        [{ count: 3 }, true],
        [{ count: -3 }, 'error: unsigned integer overflow'],
      ],
    ],
    [
      'uint(self.text) == 3u',
      [
        [{ text: '3' }, true],
        [{ text: '-3' }, "error: type conversion error from 'string' to 'uint'"],
      ],
    ],
    [
      'uint(self.ratio) == 3u',
      [
        [{ ratio: 3.5 }, true],
        [{ ratio: -1 }, 'error: unsigned integer overflow'],
      ],
    ],
    [
      '3u - uint(self.count) == 1u',
      [
        [{ count: 2 }, true],
        [{ count: 4 }, 'error: unsigned integer overflow'],
      ],
    ],
    ["string(self.count) == '3'", [[{ count: 3 }, true]]],
    ["string(self.ratio) == '1.5'", [[{ ratio: 1.5 }, true]]],
    ["string(self.ratio) == '2'", [[{ ratio: 2 }, true]]],
    ["string(self.ratio) == '1e+21'", [[{ ratio: 1e21 }, true]]],
    ["string(self.ratio) == '1e-07'", [[{ ratio: 1e-7 }, true]]],
    ["string(self.ratio) == '0.0001'", [[{ ratio: 0.0001 }, true]]],
    ["string(self.on) == 'true'", [[{ on: true }, true]]],
    ["string(self.bytes) == 'hi'", [[{ bytes: 'aGk=' }, true]]],
    ["bytes(self.text) == b'hi'", [[{ text: 'hi' }, true]]],
    ['size(self.bytes) == 2', [[{ bytes: 'aGk=' }, true]]],
    ['self.ratio > 1', [[{ ratio: 1.5 }, true]]],
    ['self.ratio == 1.0', [[{ ratio: 1 }, true]]],
    ['self.count > 1.5', [[{ count: 2 }, true]]],
    ['type(self.count) == int', [[{ count: 2 }, true]]],
    [
      'type(self.list) == list && type(self.map) == map && type(self.inner) == map',
      [[{ list: [], map: {}, inner: {} }, true]],
    ],
    ['type(null) == null_type', [[{}, true]]],
    ['type(type(1)) == type', [[{}, true]]],
    ['false && 1/0 == 1 || true', [[{}, true]]],
    ['1/0 == 1 && false', [[{}, false]]],
    ['(1/0 == 1 || true)', [[{}, true]]],
    [
      "(self.count == 1 ? self.text : self.other) == 'a'",
      [
        [{ count: 1, text: 'a' }, true],
        [{ count: 2, text: 'a', other: 'b' }, false],
      ],
    ],
    [
      "{1: 'a', 2: 'b'}[self.count] == 'a'",
      [
        [{ count: 1 }, true],
        [{ count: 3 }, 'error: no such key: 3'],
      ],
    ],
    [
      '{true: 1}[self.on] == 1',
      [
        [{ on: true }, true],
        [{ on: false }, 'error: no such key: false'],
      ],
    ],
    ['self.count == 0x10', [[{ count: 16 }, true]]],
    [
      'self.ratio == .5 || self.ratio == 1e3',
      [
        [{ ratio: 0.5 }, true],
        [{ ratio: 1000 }, true],
      ],
    ],
    ['self.count == -1', [[{ count: -1 }, true]]],
    ['!!self.on', [[{ on: true }, true]]],
    ['--self.count == 1', [[{ count: 1 }, true]]],
    [
      '-9223372036854775808 % self.count == 0',
      [
        [{ count: -1 }, 'error: integer overflow'],
        [{ count: 1 }, true],
        [{ count: 0 }, 'error: modulus by zero'],
      ],
    ],
    [
      '[1, 2][?dyn(self.ratio)].hasValue()',
      [
        [
          { ratio: -9223372036854775808 },
          'error: unsupported index value -9.223372036854776e+18 in list',
        ],
        [{ ratio: 1 }, true],
        [{ ratio: -1 }, false],
      ],
    ],
  ])('%s', (rule, expected) => {
    const found = expected.map(([spec]) => [spec, results.of(rule, spec)]);
    expect(found).toEqual(expected);
  });
});
