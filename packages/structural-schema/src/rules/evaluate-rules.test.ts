import { beforeAll, describe, expect, jest, test } from '@jest/globals';
import type { CelLibrary } from '@keelson/cel/internal';
import type { JsonValue } from '../json/json-value.ts';
import type { JsonSchema, ValidationExpression } from '../validation/json-schema.ts';
import { celLibrary } from './cel-library.ts';
import { evaluateRules } from './evaluate-rules.ts';
import { compileRules, type RuleTree } from './rule-tree.ts';

describe('evaluateRules', () => {
  let library: CelLibrary;

  beforeAll(() => {
    library = celLibrary();
  });

  /** Compiles rules for a string and records the old values that they receive. */
  function rulesOf(...rules: ValidationExpression[]): { tree: RuleTree; converted: unknown[] } {
    const schema: JsonSchema = { type: 'string', 'x-kubernetes-validations': rules };
    const tree = compileRules(library, schema);
    if (tree?.type === undefined) throw new Error('nothing was compiled');
    const { type } = tree;
    const valueOf = jest.fn((json: JsonValue) => type.valueOf(json));
    return { tree: { ...tree, type: { ...type, valueOf } }, converted: valueOf.mock.calls };
  }

  const compared = { value: 'new', old: 'old', unchanged: () => false };

  test.each<[string, ValidationExpression[], unknown[]]>([
    ['no rule reads oldSelf', [{ rule: "self != ''" }, { rule: 'size(self) > 1' }], [['new']]],
    [
      'a rule reads oldSelf',
      [{ rule: "self != ''" }, { rule: 'self != oldSelf' }],
      [['new'], ['old']],
    ],
  ])('reads the old value if %s', (_, rules, expected) => {
    const { tree, converted } = rulesOf(...rules);
    expect(evaluateRules(tree, compared).refused).toEqual([]);
    expect(converted).toEqual(expected);
  });

  test('passes the old value to a message expression that reads oldSelf', () => {
    const { tree } = rulesOf({ rule: "self == ''", messageExpression: "'was ' + oldSelf" });
    expect(evaluateRules(tree, compared).refused).toMatchObject([
      { message: 'Invalid value: "new": was old' },
    ]);
  });
});
