import { beforeAll, describe, expect, test } from '@jest/globals';
import {
  ExpressionResults,
  type JsonObject,
  type RuleResult,
} from '../testing/expression-results.test-support.ts';

// Results recorded from kube-apiserver 1.36.3 for the same rules and objects.
describe('functions of patterns', () => {
  let results: ExpressionResults;

  beforeAll(() => {
    results = new ExpressionResults();
  });

  test.each<[string, [JsonObject, RuleResult][]]>([
    [
      "self.text.matches(r'\\d+\\z')",
      [
        [{ text: '12' }, true],
        [{ text: 'a' }, false],
      ],
    ],
    [
      "self.text.matches('^\\\\pN+$')",
      [
        [{ text: '12' }, true],
        [{ text: 'a' }, false],
      ],
    ],
    [
      'self.text.matches(self.other)',
      [
        [{ text: 'a', other: 'a' }, true],
        [{ text: 'a', other: '(' }, 'error: error parsing regexp: missing closing ): `(`'],
        [{ text: 'b', other: 'a' }, false],
      ],
    ],
    [
      "self.text.find(self.other) == ''",
      [
        [
          { text: 'a', other: '(' },
          'error: Illegal regex: error parsing regexp: missing closing ): `(`',
        ],
      ],
    ],
    ["self.text.findAll('a*').size() == 3", [[{ text: 'baac' }, true]]],
    ["self.text.findAll('a*', 2).size() == 2", [[{ text: 'baac' }, true]]],
    ["self.text.findAll('a*') == ['', 'aa', '']", [[{ text: 'baac' }, true]]],
    [
      "matches(self.text, 'a+')",
      [
        [{ text: 'a' }, true],
        [{ text: 'b' }, false],
      ],
    ],
  ])('%s', (rule, expected) => {
    const found = expected.map(([spec]) => [spec, results.of(rule, spec)]);
    expect(found).toEqual(expected);
  });
});
