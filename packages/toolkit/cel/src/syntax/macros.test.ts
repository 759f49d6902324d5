import { beforeAll, describe, expect, test } from '@jest/globals';
import {
  ExpressionResults,
  type JsonObject,
  type RuleResult,
} from '../testing/expression-results.test-support.ts';

// Results recorded from kube-apiserver 1.36.3 for the same rules and objects.
describe('macros', () => {
  let results: ExpressionResults;

  beforeAll(() => {
    results = new ExpressionResults();
  });

  test.each<[string, [JsonObject, RuleResult][]]>([
    [
      "self.list.all(x, x != 'a')",
      [
        [{ list: ['b'] }, true],
        [{ list: ['a'] }, false],
        [{ list: [] }, true],
      ],
    ],
    [
      "self.list.exists(x, x == 'a')",
      [
        [{ list: ['a'] }, true],
        [{ list: [] }, false],
      ],
    ],
    [
      "self.list.exists_one(x, x == 'a')",
      [
        [{ list: ['a', 'a'] }, false],
        [{ list: ['a'] }, true],
      ],
    ],
    [
      "self.list.all(i, x, i < 2 && x != '')",
      [
        [{ list: ['a', 'b'] }, true],
        [{ list: ['a', 'b', 'c'] }, false],
      ],
    ],
    [
      "self.list.exists(i, x, i == 1 && x == 'b')",
      [
        [{ list: ['a', 'b'] }, true],
        [{ list: ['b'] }, false],
      ],
    ],
    [
      "self.list.exists_one(i, x, x == 'b')",
      [
        [{ list: ['a', 'b'] }, true],
        [{ list: ['b', 'b'] }, false],
      ],
    ],
    ["self.list.existsOne(i, x, x == 'b')", [[{ list: ['a', 'b'] }, true]]],
    [
      'self.map.all(k, v, k != v)',
      [
        [{ map: { a: 'b' } }, true],
        [{ map: { a: 'a' } }, false],
      ],
    ],
    [
      "self.map.exists(k, v, k == 'a' && v == 'b')",
      [
        [{ map: { a: 'b' } }, true],
        [{ map: {} }, false],
      ],
    ],
    ["self.list.transformList(i, x, i > 0, x) == ['b']", [[{ list: ['a', 'b'] }, true]]],
    ["self.map.transformMap(k, v, v + '!') == {'a': 'b!'}", [[{ map: { a: 'b' } }, true]]],
    [
      "self.map.transformMap(k, v, k != 'a', v) == {'c':'d'}",
      [[{ map: { a: 'b', c: 'd' } }, true]],
    ],
    [
      "self.list.transformMapEntry(i, x, {x: i}) == {'a': 0, 'b': 1}",
      [
        [{ list: ['a', 'b'] }, true],
        [{ list: ['a', 'a'] }, 'error: insert failed: key a already exists'],
      ],
    ],
    [
      "self.list.transformMapEntry(i, x, i > 0, {x: i}) == {'b': 1}",
      [[{ list: ['a', 'b'] }, true]],
    ],
    ["self.map.map(k, k) == ['a']", [[{ map: { a: 'b' } }, true]]],
    ["self.map.filter(k, k != 'a').size() == 0", [[{ map: { a: 'b' } }, true]]],
    ["self.list.map(x, x != 'a', x + '!') == ['b!']", [[{ list: ['a', 'b'] }, true]]],
    [
      "self.list.map(x, self.list.map(y, x + y)) == [['aa','ab'],['ba','bb']]",
      [[{ list: ['a', 'b'] }, true]],
    ],
    [
      'self.list.all(x, self.list.exists_one(y, x == y))',
      [
        [{ list: ['a', 'b'] }, true],
        [{ list: ['a', 'a'] }, false],
      ],
    ],
    [
      'self.counts.all(x, 10 / x > 0)',
      [
        [{ counts: [1, 0] }, 'error: division by zero'],
        [{ counts: [0, 20] }, false],
        [{ counts: [0] }, 'error: division by zero'],
      ],
    ],
    [
      'self.counts.exists(x, 10 / x > 9)',
      [
        [{ counts: [0, 1] }, true],
        [{ counts: [0, 2] }, 'error: division by zero'],
      ],
    ],
    ['self.counts.exists_one(x, 10 / x > 9)', [[{ counts: [0, 1] }, 'error: division by zero']]],
    ['self.counts.map(x, 10 / x).size() == 2', [[{ counts: [0, 1] }, 'error: division by zero']]],
    ["[1,2,3].all(x, x > 0) && {'a':1}.all(k, k == 'a')", [[{}, true]]],
    ["self.ports.map(p, p.name) == ['a']", [[{ ports: [{ name: 'a' }] }, true]]],
    [
      'self.ports.all(p, has(p.port))',
      [
        [{ ports: [{ name: 'a', port: 1 }] }, true],
        [{ ports: [{ name: 'a' }] }, false],
      ],
    ],
    ['self.list.exists(x, x in self.map)', [[{ list: ['a'], map: { a: 'b' } }, true]]],
  ])('%s', (rule, expected) => {
    const found = expected.map(([spec]) => [spec, results.of(rule, spec)]);
    expect(found).toEqual(expected);
  });

  test.each([
    'self.list.all(__result__, true)',
    'self.list.exists(__result__, true)',
    'self.list.map(__result__, 1) == []',
    'self.list.filter(__result__, true) == []',
    'self.list.all(i, __result__, true)',
  ])('refuses the name of the accumulator in %s', (rule) => {
    expect(results.problems(rule)).toEqual([
      expect.stringMatching(/iteration variable overwrites accumulator variable$/),
    ]);
  });
});
