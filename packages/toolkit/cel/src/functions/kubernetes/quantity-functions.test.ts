import { beforeAll, describe, expect, test } from '@jest/globals';
import {
  ExpressionResults,
  type JsonObject,
  type RuleResult,
} from '../../testing/expression-results.test-support.ts';

// Results recorded from kube-apiserver 1.36.3 for the same rules and objects.
describe('quantities', () => {
  let results: ExpressionResults;

  beforeAll(() => {
    results = new ExpressionResults();
  });

  test.each<[string, [JsonObject, RuleResult][]]>([
    [
      'sign(quantity(self.text)) == 1',
      [
        [{ text: '1' }, true],
        [{ text: '-1' }, false],
        [
          { text: 'x' },
          "error: quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
        ],
      ],
    ],
    [
      'isQuantity(self.text)',
      [
        [{ text: '1' }, true],
        [{ text: '1.5' }, true],
        [{ text: '1m' }, true],
        [{ text: '1Ki' }, true],
        [{ text: '1e3' }, true],
        [{ text: '1E3' }, true],
        [{ text: '1.5.5' }, false],
        [{ text: 'x' }, false],
        [{ text: '' }, false],
        [{ text: '+1' }, true],
        [{ text: '-1' }, true],
        [{ text: '.5' }, true],
        [{ text: '5.' }, true],
        [{ text: '1kk' }, false],
        [{ text: '1mi' }, false],
        [{ text: '1i' }, false],
        [{ text: '1e' }, false],
        [{ text: '0x1' }, false],
      ],
    ],
    [
      'quantity(self.text).asInteger() == 1',
      [
        [{ text: '1' }, true],
        [{ text: '1000m' }, 'error: cannot convert value to integer'],
        [{ text: '1m' }, 'error: cannot convert value to integer'],
        [{ text: '99999999999999999999' }, 'error: cannot convert value to integer'],
        [
          { text: 'x' },
          "error: quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
        ],
        [{ text: '1Ki' }, false],
        [{ text: '1e3' }, false],
      ],
    ],
    [
      "quantity(self.text).add(quantity('1')).compareTo(quantity('2')) == 0 && quantity(self.text).sub(1).compareTo(quantity('0')) == 0 && quantity(self.text) == quantity('1000m')",
      [
        [{ text: '1' }, true],
        [{ text: '2' }, false],
      ],
    ],
    [
      "quantity(self.text).isGreaterThan(quantity('1')) || quantity(self.text).isLessThan(quantity('1'))",
      [
        [{ text: '1' }, false],
        [{ text: '2' }, true],
      ],
    ],
    [
      "quantity(self.either) == quantity('1')",
      [
        [{ either: 1 }, "error: 'no such overload: quantity(int)'"],
        [
          { either: 'a' },
          "error: quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
        ],
      ],
    ],
    [
      "self.either.isLessThan(quantity('1'))",
      [
        [{ either: 1 }, "error: 'no such overload: isLessThan(int, kubernetes.Quantity)'"],
        [{ either: 'a' }, "error: 'no such overload: isLessThan(string, kubernetes.Quantity)'"],
      ],
    ],
  ])('%s', (rule, expected) => {
    const found = expected.map(([spec]) => [spec, results.of(rule, spec)]);
    expect(found).toEqual(expected);
  });

  test.each<[string, [JsonObject, string][]]>([
    [
      "'%s %s %s'.format([quantity(self.text).isInteger(), string(quantity(self.text).asApproximateFloat()), string(sign(quantity(self.text)))])",
      [
        [{ text: '1' }, 'true 1 1'],
        [{ text: '1m' }, 'false 0.001 1'],
        [{ text: '1Ki' }, 'true 1024 1'],
        [{ text: '99999999999999999999' }, 'false 1e+20 1'],
        [{ text: '-1' }, 'true -1 -1'],
        [{ text: '0' }, 'true 0 0'],
        [{ text: '0.1n' }, 'false 1e-09 1'],
        [{ text: '1.5Gi' }, 'false 1.610612736e+09 1'],
      ],
    ],
  ])('%s returns a string', (expression, expected) => {
    const made = expected.map(([spec]) => [spec, results.textOf(expression, spec)]);
    expect(made).toEqual(expected);
  });
});
