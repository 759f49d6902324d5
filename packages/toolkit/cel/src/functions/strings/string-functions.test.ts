import { beforeAll, describe, expect, test } from '@jest/globals';
import {
  ExpressionResults,
  type JsonObject,
  type RuleResult,
} from '../../testing/expression-results.test-support.ts';

// Results recorded from kube-apiserver 1.36.3 for the same rules and objects.
describe('string functions', () => {
  let results: ExpressionResults;

  beforeAll(() => {
    results = new ExpressionResults();
  });

  test.each<[string, [JsonObject, RuleResult][]]>([
    [
      "self.text.charAt(1) == 'b'",
      [
        [{ text: 'ab' }, true],
        [{ text: 'a' }, false],
        [{ text: '' }, 'error: index out of range: 1'],
      ],
    ],
    ["self.text.charAt(0) == '😀'", [[{ text: '😀a' }, true]]],
    [
      "self.text.charAt(2) == ''",
      [
        [{ text: '😀a' }, true],
        [{ text: 'a' }, 'error: index out of range: 2'],
      ],
    ],
    [
      "self.text.indexOf('b') == 1",
      [
        [{ text: '😀b' }, true],
        [{ text: 'ab' }, true],
        [{ text: 'a' }, false],
      ],
    ],
    [
      "self.text.indexOf('b', 2) == 2",
      [
        [{ text: 'abb' }, true],
        [{ text: 'ab' }, false],
        [{ text: 'b' }, false],
      ],
    ],
    ["self.text.indexOf('', 2) == 2", [[{ text: 'abb' }, true]]],
    ["self.text.indexOf('b', -1) == 2", [[{ text: 'abb' }, 'error: index out of range: -1']]],
    [
      "self.text.lastIndexOf('b') == 2",
      [
        [{ text: 'abb' }, true],
        [{ text: 'ab' }, false],
        [{ text: '' }, false],
      ],
    ],
    [
      "self.text.lastIndexOf('b', 1) == 1",
      [
        [{ text: 'abb' }, true],
        [{ text: 'b' }, false],
      ],
    ],
    ["self.text.lastIndexOf('') == 3", [[{ text: 'abb' }, true]]],
    ["self.text.lastIndexOf('bb', 2) == 1", [[{ text: 'abb' }, true]]],
    ["self.text.lastIndexOf('b', -1) == 1", [[{ text: 'abb' }, 'error: index out of range: -1']]],
    ["self.text.lowerAscii() == 'aäÄ'", [[{ text: 'AäÄ' }, true]]],
    ["self.text.upperAscii() == 'AÄä'", [[{ text: 'aÄä' }, true]]],
    ["self.text.replace('', '-') == '-a-b-'", [[{ text: 'ab' }, true]]],
    ["self.text.replace('', '-', 2) == '-a-b'", [[{ text: 'ab' }, true]]],
    ["self.text.replace('a', 'b', 1) == 'ba'", [[{ text: 'aa' }, true]]],
    ["self.text.replace('a', 'b', 0) == 'aa'", [[{ text: 'aa' }, true]]],
    ["self.text.replace('a', 'b', -1) == 'bb'", [[{ text: 'aa' }, true]]],
    [
      "self.text.split(',') == ['a','b']",
      [
        [{ text: 'a,b' }, true],
        [{ text: 'a' }, false],
      ],
    ],
    ["self.text.split(',', 0) == []", [[{ text: 'a,b' }, true]]],
    ["self.text.split(',', 1) == ['a,b']", [[{ text: 'a,b' }, true]]],
    ["self.text.split(',', 2) == ['a','b,c']", [[{ text: 'a,b,c' }, true]]],
    ["self.text.split(',', -1).size() == 3", [[{ text: 'a,b,c' }, true]]],
    ["self.text.split('') == ['a','b']", [[{ text: 'ab' }, true]]],
    [
      "self.text.substring(1) == 'b'",
      [
        [{ text: 'ab' }, true],
        [{ text: '' }, 'error: index out of range: 1'],
      ],
    ],
    [
      "self.text.substring(1, 2) == 'b'",
      [
        [{ text: 'abc' }, true],
        [{ text: 'a' }, 'error: index out of range: 2'],
      ],
    ],
    [
      "self.text.substring(2, 1) == 'b'",
      [[{ text: 'abc' }, 'error: invalid substring range. start: 2, end: 1']],
    ],
    ["self.text.substring(-1) == 'b'", [[{ text: 'abc' }, 'error: index out of range: -1']]],
    [
      "self.text.trim() == 'a'",
      [
        [{ text: ' \t\na\u00a0\u2003' }, true],
        [{ text: '\u200ba' }, false],
      ],
    ],
    [
      "self.list.join(',') == 'a,b'",
      [
        [{ list: ['a', 'b'] }, true],
        [{ list: [] }, false],
      ],
    ],
    ["self.list.join() == 'ab'", [[{ list: ['a', 'b'] }, true]]],
    ['strings.quote(self.text) == \'"a\\\\n\\""\'', [[{ text: 'a\n' }, false]]],
    ['strings.quote(self.text) == \'"a"\'', [[{ text: 'a' }, true]]],
    [
      "self.text.contains('a') && self.text.startsWith('a') && self.text.endsWith('a')",
      [
        [{ text: 'a' }, true],
        [{ text: 'ab' }, false],
      ],
    ],
    [
      'self.text.size() == 1',
      [
        [{ text: '😀' }, true],
        [{ text: 'ab' }, false],
      ],
    ],
    ['size(self.text) == 1', [[{ text: 'a' }, true]]],
    [
      'self.text < self.other',
      [
        [{ text: 'a', other: 'b' }, true],
        [{ text: 'b', other: 'a' }, false],
        [{ text: '😀', other: '\uffee' }, false],
      ],
    ],
    ["self.text + self.other == 'ab'", [[{ text: 'a', other: 'b' }, true]]],
  ])('%s', (rule, expected) => {
    const found = expected.map(([spec]) => [spec, results.of(rule, spec)]);
    expect(found).toEqual(expected);
  });
});
