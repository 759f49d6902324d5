import { beforeAll, describe, expect, test } from '@jest/globals';
import {
  ExpressionResults,
  type JsonObject,
  type RuleResult,
} from '../testing/expression-results.test-support.ts';

// Results recorded from kube-apiserver 1.36.3 for the same rules and objects.
describe('optional values', () => {
  let results: ExpressionResults;

  beforeAll(() => {
    results = new ExpressionResults();
  });

  test.each<[string, [JsonObject, RuleResult][]]>([
    [
      "self.text.matches('(?i)^ABC$')",
      [
        [{ text: 'abc' }, true],
        [{ text: 'abd' }, false],
      ],
    ],
    ["self.text.matches('(?P<n>a)')", [[{ text: 'a' }, true]]],
    [
      "self.?text.orValue('none') == 'none'",
      [
        [{}, true],
        [{ text: 'a' }, false],
      ],
    ],
    [
      'self.?inner.?deep.?x.orValue(1) == 1',
      [
        [{}, true],
        [{ inner: {} }, true],
        [{ inner: { deep: { x: 2 } } }, false],
      ],
    ],
    [
      'self.?inner.deep.x.orValue(1) == 1',
      [
        [{}, true],
        [{ inner: {} }, true],
        [{ inner: { deep: { x: 2 } } }, false],
      ],
    ],
    [
      "self.map[?'a'].hasValue()",
      [
        [{ map: { a: 'b' } }, true],
        [{ map: {} }, false],
      ],
    ],
    [
      "self.list[?1].orValue('x') == 'x'",
      [
        [{ list: ['a'] }, true],
        [{ list: ['a', 'b'] }, false],
      ],
    ],
    [
      "self.?list[0].orValue('x') == 'x'",
      [
        [{ list: ['a'] }, false],
        [{}, true],
        [{ list: [] }, true],
      ],
    ],
    [
      "self.?text.hasValue() && self.?text.value() == 'a'",
      [
        [{ text: 'a' }, true],
        [{}, false],
      ],
    ],
    ["self.?text.value() == 'a'", [[{}, 'error: optional.none() dereference']]],
    ["optional.of(self.text).value() == 'a'", [[{ text: 'a' }, true]]],
    ['optional.none().hasValue()', [[{}, false]]],
    [
      'optional.ofNonZeroValue(self.text).hasValue()',
      [
        [{ text: 'a' }, true],
        [{ text: '' }, false],
      ],
    ],
    [
      "self.?text.or(self.?other).orValue('z') == 'b'",
      [
        [{ text: 'b' }, true],
        [{ other: 'b' }, true],
        [{}, false],
      ],
    ],
    [
      "self.?inner.optFlatMap(i, i.?text).orValue('none') == 'a'",
      [
        [{ inner: { text: 'a' } }, true],
        [{ inner: {} }, false],
        [{}, false],
      ],
    ],
    [
      "[?self.?text, 'b'].size() == 1",
      [
        [{}, true],
        [{ text: 'a' }, false],
      ],
    ],
    [
      "{?'a': self.?text, 'b': 'c'}.size() == 1",
      [
        [{}, true],
        [{ text: 'a' }, false],
      ],
    ],
    [
      "optional.unwrap([self.?text, self.?other]) == ['a']",
      [
        [{ text: 'a' }, true],
        [{ text: 'a', other: 'b' }, false],
      ],
    ],
    [
      "[self.?text].unwrapOpt() == ['a']",
      [
        [{ text: 'a' }, true],
        [{}, false],
      ],
    ],
    [
      'has(self.?inner.text)',
      [
        [{ inner: { text: 'a' } }, true],
        [{ inner: {} }, false],
        [{}, false],
      ],
    ],
    [
      'self.?count.optMap(c, c + 1) == optional.of(2)',
      [
        [{ count: 1 }, true],
        [{}, false],
      ],
    ],
  ])('%s', (rule, expected) => {
    const found = expected.map(([spec]) => [spec, results.of(rule, spec)]);
    expect(found).toEqual(expected);
  });
});
