import { beforeAll, describe, expect, test } from '@jest/globals';
import {
  ExpressionResults,
  type JsonObject,
  type RuleResult,
} from '../testing/expression-results.test-support.ts';

// Results recorded from kube-apiserver 1.36.3 for the same rules and objects.
describe('functions of lists and sets', () => {
  let results: ExpressionResults;

  beforeAll(() => {
    results = new ExpressionResults();
  });

  test.each<[string, [JsonObject, RuleResult][]]>([
    [
      'self.list.isSorted()',
      [
        [{ list: ['a', 'b'] }, true],
        [{ list: ['a', 'a'] }, true],
        [{ list: ['b', 'a'] }, false],
        [{ list: [] }, true],
      ],
    ],
    [
      'self.counts.sum() == 3',
      [
        [{ counts: [1, 2] }, true],
        [{ counts: [] }, false],
      ],
    ],
    [
      'self.counts.min() == 1 && self.counts.max() == 3',
      [
        [{ counts: [2, 1, 3] }, true],
        [{ counts: [] }, 'error: min called on empty list'],
      ],
    ],
    ['self.ratios.sum() == 3.5', [[{ ratios: [1.5, 2] }, true]]],
    [
      'self.bools.isSorted()',
      [
        [{ bools: [false, true] }, true],
        [{ bools: [true, false] }, false],
      ],
    ],
    [
      "self.list.indexOf('b') == 1",
      [
        [{ list: ['a', 'b'] }, true],
        [{ list: ['a'] }, false],
      ],
    ],
    ["self.list.lastIndexOf('b') == 2", [[{ list: ['a', 'b', 'b'] }, true]]],
    [
      "self.list.slice(1, 2) == ['b']",
      [
        [{ list: ['a', 'b', 'c'] }, true],
        [{ list: ['a'] }, 'error: cannot slice(1, 2), list is length 1'],
      ],
    ],
    [
      "self.list.slice(-1, 2) == ['b']",
      [[{ list: ['a', 'b', 'c'] }, 'error: cannot slice(-1, 2), negative indexes not supported']],
    ],
    ['self.nested.flatten() == [1,2,3]', [[{ nested: [[1, 2], [3]] }, true]]],
    ['[[[1]]].flatten(2) == [1]', [[{}, true]]],
    ["self.list.sort() == ['a','b']", [[{ list: ['b', 'a'] }, true]]],
    [
      "self.objects.sortBy(o, o.port).map(o, o.name) == ['a','b']",
      [
        [
          {
            objects: [
              { name: 'b', port: 2 },
              { name: 'a', port: 1 },
            ],
          },
          true,
        ],
      ],
    ],
    ["self.list.distinct() == ['a','b']", [[{ list: ['a', 'b', 'a'] }, true]]],
    ["self.list.reverse() == ['b','a']", [[{ list: ['a', 'b'] }, true]]],
    [
      "self.list.first().orValue('x') == 'a'",
      [
        [{ list: ['a'] }, true],
        [{ list: [] }, false],
      ],
    ],
    [
      "self.list.last().value() == 'b'",
      [
        [{ list: ['a', 'b'] }, true],
        [{ list: [] }, 'error: optional.none() dereference'],
      ],
    ],
    [
      "sets.contains(self.list, ['a'])",
      [
        [{ list: ['a', 'b'] }, true],
        [{ list: ['b'] }, false],
      ],
    ],
    [
      "sets.equivalent(self.list, ['a','b'])",
      [
        [{ list: ['b', 'a', 'a'] }, true],
        [{ list: ['a', 'b', 'c'] }, false],
        [{ list: ['b'] }, false],
      ],
    ],
    [
      "sets.intersects(self.list, ['a'])",
      [
        [{ list: ['a', 'b'] }, true],
        [{ list: ['b'] }, false],
      ],
    ],
    [
      "self.list.filter(x, x.startsWith('a')).map(x, size(x)).sum() == 3",
      [[{ list: ['a', 'ab', 'c'] }, true]],
    ],
    [
      'self.objects == self.objects.reverse()',
      [[{ objects: [{ name: 'a' }, { name: 'b' }] }, false]],
    ],
  ])('%s', (rule, expected) => {
    const found = expected.map(([spec]) => [spec, results.of(rule, spec)]);
    expect(found).toEqual(expected);
  });
});
