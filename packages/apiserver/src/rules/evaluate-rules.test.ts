import { beforeAll, describe, expect, jest, test } from '@jest/globals';
import type { CelLibrary } from '@keelson/cel/internal';
import type { JsonValue } from '../json/json-value.ts';
import type { JsonSchema, ValidationExpression } from '../schema/structural/structural-schema.ts';
import { celLibrary } from './cel-library.ts';
import { evaluateRules } from './evaluate-rules.ts';
import { compileRules, type RuleTree } from './rule-tree.ts';

describe('evaluateRules', () => {
  let library: CelLibrary;

  beforeAll(() => {
    library = celLibrary();
  });

  /** The rules of a text, and what of it they were given as a value. */
  function rulesOf(...rules: ValidationExpression[]): { tree: RuleTree; converted: unknown[] } {
    const schema: JsonSchema = { type: 'string', 'x-kubernetes-validations': rules };
    const tree = compileRules(library, schema);
    if (tree?.type === undefined) throw new Error('nothing was compiled');
    const { type } = tree;
    const valueOf = jest.fn((json: JsonValue) => type.valueOf(json));
    return { tree: { ...tree, type: { ...type, valueOf } }, converted: valueOf.mock.calls };
  }

  const judged = { value: 'new', old: 'old', unchanged: () => false };

  test.each<[string, ValidationExpression[], unknown[]]>([
    ['no rule asks', [{ rule: "self != ''" }, { rule: 'size(self) > 1' }], [['new']]],
    ['a rule asks', [{ rule: "self != ''" }, { rule: 'self != oldSelf' }], [['new'], ['old']]],
  ])('what was before is looked at where %s for it', (_, rules, expected) => {
    const { tree, converted } = rulesOf(...rules);
    expect(evaluateRules(tree, judged).refused).toEqual([]);
    expect(converted).toEqual(expected);
  });

  test('a message may tell what was before though its rule does not ask', () => {
    const { tree } = rulesOf({ rule: "self == ''", messageExpression: "'was ' + oldSelf" });
    expect(evaluateRules(tree, judged).refused).toMatchObject([
      { message: 'Invalid value: "new": was old' },
    ]);
  });
});
