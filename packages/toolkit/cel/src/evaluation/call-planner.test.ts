import { beforeAll, describe, expect, test } from '@jest/globals';
import {
  ExpressionResults,
  type JsonObject,
  type RuleResult,
} from '../testing/expression-results.test-support.ts';

// Results recorded from kube-apiserver 1.36.3 for the same rules and objects.
describe('calls on values of dynamic type', () => {
  let results: ExpressionResults;

  beforeAll(() => {
    results = new ExpressionResults();
  });

  test.each<[string, [JsonObject, RuleResult][]]>([
    [
      'self.either > 1',
      [
        [{ either: 2 }, true],
        [{ either: 'a' }, "error: 'no such overload'"],
        [{ either: 1 }, false],
      ],
    ],
    [
      "self.either.startsWith('a')",
      [
        [{ either: 'ab' }, true],
        [{ either: 1 }, "error: 'no such overload'"],
      ],
    ],
    [
      "'%d'.format([self.either]) == '1'",
      [
        [{ either: 1 }, true],
        [
          { either: 'a' },
          'error: error during formatting: decimal clause can only be used on integers, was given string',
        ],
      ],
    ],
    ['dyn(self.count) == 2.0', [[{ count: 2 }, true]]],
    ['dyn(self.count) == 2u', [[{ count: 2 }, true]]],
    ["dyn(self.count) == '2'", [[{ count: 2 }, false]]],
    [
      'type(self.either) == string',
      [
        [{ either: 'a' }, true],
        [{ either: 1 }, false],
      ],
    ],
    ['self.either && true', [[{ either: 1 }, "error: 'no such overload'"]]],
    [
      'self.either == 1',
      [
        [{ either: 1 }, true],
        [{ either: '1' }, false],
        [{ either: 'a' }, false],
      ],
    ],
    [
      'self.either in [1, 2]',
      [
        [{ either: 1 }, true],
        [{ either: '1' }, false],
      ],
    ],
    [
      'self.either + 1 == 2',
      [
        [{ either: 1 }, true],
        [{ either: '1' }, "error: 'no such overload'"],
      ],
    ],
    [
      'size(self.either) == 2',
      [
        [{ either: 'ab' }, true],
        [{ either: 1 }, "error: 'no such overload: size'"],
      ],
    ],
    [
      "string(self.either) == '1'",
      [
        [{ either: 1 }, true],
        [{ either: '1' }, true],
      ],
    ],
    [
      'int(self.either) == 1',
      [
        [{ either: 1 }, true],
        [{ either: '1' }, true],
        [{ either: 'x' }, "error: type conversion error from 'string' to 'int'"],
      ],
    ],
    [
      "self.either.lowerAscii() == 'a'",
      [
        [{ either: 1 }, "error: 'no such overload: lowerAscii(int)'"],
        [{ either: 'a' }, true],
      ],
    ],
    [
      'self.either.getHours() == 1',
      [
        [{ either: 1 }, "error: 'no such overload: getHours(int)'"],
        [{ either: 'a' }, "error: 'no such overload: getHours(string)'"],
      ],
    ],
    [
      "duration(self.either) == duration('1s')",
      [
        [{ either: 1 }, "error: type conversion error from 'int' to 'google.protobuf.Duration'"],
        [
          { either: 'a' },
          "error: type conversion error from 'string' to 'google.protobuf.Duration'",
        ],
      ],
    ],
    [
      'self.either.size() == 1',
      [
        [{ either: 1 }, "error: 'no such overload: size'"],
        [{ either: 'a' }, true],
      ],
    ],
    [
      "self.either.matches('a')",
      [
        [{ either: 1 }, "error: 'no such overload'"],
        [{ either: 'a' }, true],
      ],
    ],
    [
      "matches(self.either, 'a')",
      [
        [{ either: 1 }, "error: 'no such overload'"],
        [{ either: 'a' }, true],
      ],
    ],
    [
      "self.either.contains('a')",
      [
        [{ either: 1 }, "error: 'no such overload'"],
        [{ either: 'a' }, true],
      ],
    ],
    [
      'self.either.all(x, x == 1)',
      [
        [{ either: 1 }, "error: got 'types.Int', expected iterable type"],
        [{ either: 'a' }, "error: got 'types.String', expected iterable type"],
      ],
    ],
    [
      'self.either[0] == 1',
      [
        [{ either: 1 }, 'error: no such key: 0'],
        [{ either: 'a' }, 'error: no such key: 0'],
      ],
    ],
    [
      'self.either.foo == 1',
      [
        [{ either: 1 }, 'error: no such key: foo'],
        [{ either: 'a' }, 'error: no such key: foo'],
      ],
    ],
    [
      'has(self.either.foo)',
      [
        [{ either: 1 }, false],
        [{ either: 'a' }, false],
      ],
    ],
    [
      'self.either.sum() == 1',
      [
        [{ either: 1 }, "error: 'no such overload: sum(int)'"],
        [{ either: 'a' }, "error: 'no such overload: sum(string)'"],
      ],
    ],
    [
      "self.either in ['a']",
      [
        [{ either: 1 }, false],
        [{ either: 'a' }, true],
      ],
    ],
    [
      "'a' in self.either",
      [
        [{ either: 1 }, "error: 'no such overload'"],
        [{ either: 'a' }, "error: 'no such overload'"],
      ],
    ],
    [
      '-self.either == -1',
      [
        [{ either: 1 }, true],
        [{ either: 'a' }, "error: 'no such overload'"],
      ],
    ],
    [
      'self.either - 1 == 0',
      [
        [{ either: 1 }, true],
        [{ either: 'a' }, "error: 'no such overload'"],
      ],
    ],
    [
      'self.either * 2 == 2',
      [
        [{ either: 1 }, true],
        [{ either: 'a' }, "error: 'no such overload'"],
      ],
    ],
    [
      'self.either < 2',
      [
        [{ either: 1 }, true],
        [{ either: 'a' }, "error: 'no such overload'"],
      ],
    ],
    [
      '!dyn(self.either)',
      [
        [{ either: 1 }, "error: 'no such overload'"],
        [{ either: 'a' }, "error: 'no such overload'"],
      ],
    ],
    [
      'dyn(self.either) && true',
      [
        [{ either: 1 }, "error: 'no such overload'"],
        [{ either: 'a' }, "error: 'no such overload'"],
      ],
    ],
    [
      'self.either.orValue(1) == 1',
      [
        [{ either: 1 }, true],
        [{ either: 'a' }, false],
      ],
    ],
    [
      'self.either.isSorted()',
      [
        [{ either: 1 }, "error: 'no such overload: isSorted(int)'"],
        [{ either: 'a' }, "error: 'no such overload: isSorted(string)'"],
      ],
    ],
    [
      "self.either.split(',').size() == 1",
      [
        [{ either: 1 }, "error: 'no such overload: split(int, string)'"],
        [{ either: 'a' }, true],
      ],
    ],
    [
      'timestamp(self.either) == timestamp(1)',
      [
        [{ either: 1 }, true],
        [
          { either: 'a' },
          "error: type conversion error from 'string' to 'google.protobuf.Timestamp'",
        ],
      ],
    ],
    [
      'bool(self.either)',
      [
        [{ either: 1 }, "error: 'no such overload: bool(int)'"],
        [{ either: 'a' }, "error: type conversion error from 'string' to 'bool'"],
      ],
    ],
    [
      'double(self.either) == 1.0',
      [
        [{ either: 1 }, true],
        [{ either: 'a' }, "error: type conversion error from 'string' to 'double'"],
      ],
    ],
    [
      "self.either.indexOf('a') == 0",
      [
        [{ either: 1 }, "error: 'no such overload: indexOf(int, string)'"],
        [{ either: 'a' }, true],
      ],
    ],
    [
      "self.either.join() == 'a'",
      [
        [{ either: 1 }, "error: 'no such overload: join(int)'"],
        [{ either: 'a' }, "error: 'no such overload: join(string)'"],
      ],
    ],
    [
      "strings.quote(self.either) == 'a'",
      [
        [{ either: 1 }, "error: 'no such overload: strings.quote(int)'"],
        [{ either: 'a' }, false],
      ],
    ],
    [
      "self.either.format([1]) == 'a'",
      [
        [{ either: 1 }, "error: 'no such overload: format(int, list)'"],
        [{ either: 'a' }, true],
      ],
    ],
    [
      '[self.either].map(x, x + 1) == [2]',
      [
        [{ either: 1 }, true],
        [{ either: 'a' }, "error: 'no such overload'"],
      ],
    ],
    [
      'self.either.?foo.orValue(1) == 1',
      [
        [{ either: 1 }, true],
        [{ either: 'a' }, true],
      ],
    ],
    [
      'self.either[?0].orValue(1) == 1',
      [
        [{ either: 1 }, true],
        [{ either: 'a' }, true],
      ],
    ],
    [
      'type(self.either) == int',
      [
        [{ either: 1 }, true],
        [{ either: 'a' }, false],
      ],
    ],
    [
      'sets.contains([self.either], [1])',
      [
        [{ either: 1 }, true],
        [{ either: 'a' }, false],
      ],
    ],
    [
      'self.either.startsWith(self.either)',
      [
        [{ either: 1 }, "error: 'no such overload'"],
        [{ either: 'a' }, true],
      ],
    ],
    [
      'self.either ? 1 == 1 : 2 == 2',
      [
        [{ either: 1 }, "error: 'no such overload'"],
        [{ either: 'a' }, "error: 'no such overload'"],
      ],
    ],
    [
      "self.either >= 'a'",
      [
        [{ either: 1 }, "error: 'no such overload'"],
        [{ either: 'a' }, true],
      ],
    ],
    [
      '[self.either].max() == 1',
      [
        [{ either: 1 }, true],
        [{ either: 'a' }, false],
      ],
    ],
    [
      'self.either.reverse() == [1]',
      [
        [{ either: 1 }, "error: 'no such overload: reverse(int)'"],
        [{ either: 'a' }, "error: 'no such overload: reverse(string)'"],
      ],
    ],
  ])('%s', (rule, expected) => {
    const found = expected.map(([spec]) => [spec, results.of(rule, spec)]);
    expect(found).toEqual(expected);
  });
});
