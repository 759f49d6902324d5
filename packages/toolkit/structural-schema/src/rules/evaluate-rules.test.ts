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

  /** Returns the message of the first cause for a value and the rule of its schema. */
  function messageFor(schema: JsonSchema, value: JsonValue, rule = 'self == self'): unknown {
    const rules = [{ rule, message: 'm' }];
    const tree = compileRules(library, { ...schema, 'x-kubernetes-validations': rules });
    if (tree === undefined) throw new Error('nothing was compiled');
    const { refused } = evaluateRules(tree, { value, old: undefined, unchanged: () => false });
    return refused[0]?.message;
  }

  const texts: JsonSchema = { type: 'array', maxItems: 9, items: { type: 'string', maxLength: 9 } };
  const notText = 'invalid data, expected string, got';
  const list = 'invalid data, expected an array for the provided schema with type=array';
  const map = 'invalid data, expected a map for the provided schema with type=object';
  const either = 'invalid data, expected XIntOrString value to be either a string or integer';

  // The messages are those of kube-apiserver 1.36.3.
  test.each<[string, JsonSchema, JsonValue, string]>([
    ['a list for a text', { type: 'string', format: 'email' }, [], `${notText} []interface {}`],
    [
      'a list for a date',
      { type: 'string', format: 'date-time' },
      ['x'],
      `${notText} []interface {}`,
    ],
    ['a list for bytes', { type: 'string', format: 'byte' }, [], `${notText} []interface {}`],
    [
      'a list for a duration',
      { type: 'string', format: 'duration' },
      [],
      `${notText} []interface {}`,
    ],
    ['an integer for a text', { type: 'string' }, 5, `${notText} int64`],
    ['a double for a text', { type: 'string' }, 1.5, `${notText} float64`],
    ['a boolean for a text', { type: 'string' }, true, `${notText} bool`],
    ['an object for a text', { type: 'string' }, {}, `${notText} map[string]interface {}`],
    [
      'a double for an integer',
      { type: 'integer' },
      1.5,
      'invalid data, expected int, got float64',
    ],
    ['a text for an integer', { type: 'integer' }, 'x', 'invalid data, expected int, got string'],
    ['a text for a number', { type: 'number' }, '1', 'invalid data, expected float, got string'],
    ['a text for a boolean', { type: 'boolean' }, 'x', 'invalid data, expected bool, got string'],
    ['a double for an int-or-string', { 'x-kubernetes-int-or-string': true }, 1.5, either],
    ['a list for an int-or-string', { 'x-kubernetes-int-or-string': true }, [], either],
    ['a text for a list', texts, 'x', list],
    ['an object for a list', texts, {}, list],
    ['a list for an object', { type: 'object', properties: { a: { type: 'string' } } }, [], map],
    ['a text for a map', { type: 'object', additionalProperties: { type: 'string' } }, 'x', map],
  ])('a rule that reads %s is an error', (_title, schema, value, words) => {
    const type = JSON.stringify(schema.type ?? '');
    const expected = `Invalid value: ${type}: ${words} evaluating rule: m`;
    expect(messageFor(schema, value)).toBe(expected);
  });

  test('a rule that does not read the value of a wrong type passes', () => {
    expect(messageFor({ type: 'string', format: 'email' }, [], 'true')).toBeUndefined();
    expect(messageFor(texts, [['a'], 'b'], "size(self) == 2 && self[1] == 'b'")).toBeUndefined();
    expect(messageFor(texts, [['a'], 'b'], "self.exists(each, each == 'b')")).toBeUndefined();
    expect(messageFor(texts, [['a']], "self[0] == 'a'")).toMatch(notText);
    expect(messageFor(texts, [['a']], "self.all(each, each != 'b')")).toMatch(notText);
  });

  const set: JsonSchema = { ...texts, 'x-kubernetes-list-type': 'set' };
  const moments: JsonSchema = { ...texts, items: { type: 'string', format: 'date-time' } };
  const noon = '2024-02-29T12:00:00Z';
  const failed = 'failed rule: m';
  const keyed: JsonSchema = {
    type: 'array',
    maxItems: 9,
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['a-b'],
    items: { type: 'object', required: ['a-b'], properties: { 'a-b': { type: 'integer' } } },
  };

  // The results are those of kube-apiserver 1.36.3: `undefined` for a rule that holds.
  test.each<[string, JsonSchema, JsonValue, string | undefined]>([
    ['self in [self]', texts, [1], failed],
    ['dyn(self) == dyn([1])', texts, [1], 'expected string, got int64'],
    ['dyn(self) == dyn([1])', texts, [1, 2], failed],
    ["dyn(['a']) == dyn(self)", texts, [1], failed],
    ["dyn([{'a': 1}]) == dyn(self)", texts, [1], failed],
    ['dyn(self) + dyn(self) == dyn(self)', texts, [1], failed],
    ['self == self', set, [1], failed],
    ['self == self', set, [{}], 'hash of unhashable type map[string]interface {}'],
    ['self == self', set, [[]], 'hash of unhashable type []interface {}'],
    ['self == self', set, ['a', 'b'], undefined],
    ['size(self + self) == 2', set, ['a', 'b'], undefined],
    ['self == self', { ...set, items: { type: 'number' } }, [1], failed],
    ['self == self', { ...set, items: { type: 'number' } }, [1.5], undefined],
    ['self == self', keyed, [{ 'a-b': 1 }, { 'a-b': 2 }], failed],
    ['self.all(each, each > timestamp(0))', moments, [noon], undefined],
    ['(self + self).all(each, each > timestamp(0))', moments, [noon], 'string, got time.Time'],
    ['size(self + self) == 2', moments, [noon], undefined],
  ])('the result of %s for %j and %j', (rule, schema, value, words) => {
    const message = messageFor(schema, value, rule);
    if (words === undefined) expect(message).toBeUndefined();
    else expect(message).toMatch(words === failed ? /^Invalid value: m$/ : words);
  });

  // The results are those of kube-apiserver 1.36.3: an update accepts violations in parts that it leaves unchanged, if the
  // schema says which old part belongs to them.
  test.each<[string, JsonSchema, JsonValue, boolean]>([
    ['a scalar', { type: 'string' }, 'x', true],
    ['an object', { type: 'object', properties: { a: { type: 'string' } } }, { a: 'x' }, true],
    [
      'an object with an unknown member',
      { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
      { a: 'x' },
      false,
    ],
    ['an empty object', { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }, {}, true],
    ['a map', { type: 'object', additionalProperties: { type: 'string' } }, { a: 'x' }, true],
  ])('the unchanged violation of %s', (_title, schema, value, isAccepted) => {
    const member = { ...schema, 'x-kubernetes-validations': [{ rule: 'false' }] };
    const tree = compileRules(library, { type: 'object', properties: { member } });
    if (tree === undefined) throw new Error('nothing was compiled');
    const whole = { member: value };
    const found = evaluateRules(tree, { value: whole, old: whole, unchanged: () => false });
    expect([found.refused.length, found.ratcheted.length]).toEqual(isAccepted ? [0, 1] : [1, 0]);
  });

  test.each([
    ['oldSelf.hasValue()', 0],
    ['self > 0 || oldSelf.value() > 0', 0],
    ['oldSelf == oldSelf || self > 0', 0],
    ['self < 0 || oldSelf.value() > 0', 1],
  ])('repair of an old value of a wrong type with optionalOldSelf: %s', (rule, errors) => {
    const rules = [{ rule, optionalOldSelf: true }];
    const tree = compileRules(library, { type: 'integer', 'x-kubernetes-validations': rules });
    if (tree === undefined) throw new Error('nothing was compiled');
    const { refused } = evaluateRules(tree, { value: 5, old: 'x', unchanged: () => false });
    expect(refused).toHaveLength(errors);
  });

  test.each<[string, string, string | undefined]>([
    ['byte', 'YQ==', undefined],
    ['byte', 'YQ=\n=\n', undefined],
    ['byte', 'YWJj\r\n', undefined],
    ['byte', 'str', 'input byte 0'],
    ['byte', 'YWJjY', 'input byte 4'],
    ['byte', 'YQ==YQ==', 'input byte 4'],
    ['byte', 'YQ=', 'input byte 3'],
    ['byte', 'YQ=a', 'input byte 2'],
    ['byte', 'Y===', 'input byte 1'],
    ['byte', 'YW+j', 'input byte 2'],
    ['byte', 'é', 'input byte 0'],
    ['date', '2024-02-29', undefined],
    ['date', noon, 'Invalid date formatted'],
    ['date', '', 'Invalid date formatted'],
    ['date-time', '', undefined],
    ['date-time', '2024-02-29', 'Invalid date-time formatted'],
  ])('a rule on the format %s reads %j', (format, value, words) => {
    const message = messageFor({ type: 'string', format }, value);
    if (words === undefined) expect(message).toBeUndefined();
    else expect(message).toContain(words);
  });

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

  /** The responses of Kubernetes' own packages. */
  test.each<[string, ValidationExpression[], string]>([
    [
      'no rule reads oldSelf',
      [{ rule: "self == ''", messageExpression: "'was ' + oldSelf" }],
      "failed rule: self == ''",
    ],
    [
      'a rule reads oldSelf',
      [{ rule: "self == ''", messageExpression: "'was ' + oldSelf" }, { rule: 'self != oldSelf' }],
      'was old',
    ],
    [
      'oldSelf is optional, which the message expression does not see',
      [
        {
          rule: "oldSelf.hasValue() && self == ''",
          optionalOldSelf: true,
          messageExpression: "'was ' + oldSelf.value()",
        },
      ],
      "failed rule: oldSelf.hasValue() && self == ''",
    ],
    [
      'oldSelf is optional and has a default',
      [
        {
          rule: "oldSelf.hasValue() && self == ''",
          optionalOldSelf: true,
          messageExpression: "'was ' + oldSelf.orValue('none')",
        },
      ],
      'was old',
    ],
  ])('evaluates a message expression as kube-apiserver does if %s', (_, rules, message) => {
    const { tree } = rulesOf(...rules);
    expect(evaluateRules(tree, compared).refused).toMatchObject([
      { message: `Invalid value: "new": ${message}` },
    ]);
  });

  test('charges the cost of a failed evaluation to the budget of the object', () => {
    // A search for 9 500 characters in 9 500 costs 950 * 950, and nothing to compute.
    const [text, other] = ['a'.repeat(9_500), 'b'.repeat(9_500)];
    const costly = { rule: `1 / ('${text}'.contains('${other}') ? 1 : 0) == 1` };
    const { tree } = rulesOf(...Array.from({ length: 14 }, () => costly));
    const messages = evaluateRules(tree, compared).refused.map(({ message }) => message);
    expect(messages).toHaveLength(12);
    expect(messages[0]).toContain('division by zero evaluating rule');
    expect(messages[11]).toContain('validation failed due to running out of cost budget');
  });

  test('refuses a null entry of a map as an operand instead of throwing', () => {
    const rules = ["self['a'].startsWith('b')", "self['a'] < 'b'", "[self['a']].sort() == ['b']"];
    const tree = compileRules(library, {
      type: 'object',
      additionalProperties: { type: 'string', nullable: true },
      'x-kubernetes-validations': rules.map((rule) => ({ rule })),
    });
    if (tree === undefined) throw new Error('nothing was compiled');
    const value = { a: null };
    const { refused } = evaluateRules(tree, { value, old: undefined, unchanged: () => false });
    expect(refused.map(({ message }) => message)).toEqual([
      expect.stringContaining("'no such overload': call arguments did not match"),
      expect.stringContaining("'no such overload: _<_': call arguments did not match"),
      expect.stringContaining('list elements must be comparable evaluating rule'),
    ]);
  });

  test('counts an empty map or list of the object as a value', () => {
    const rules = [
      'optional.ofNonZeroValue(self).hasValue()',
      'optional.ofNonZeroValue({}).hasValue()',
    ];
    const tree = compileRules(library, {
      type: 'object',
      additionalProperties: { type: 'string' },
      'x-kubernetes-validations': rules.map((rule) => ({ rule })),
    });
    if (tree === undefined) throw new Error('nothing was compiled');
    const { refused } = evaluateRules(tree, { value: {}, old: undefined, unchanged: () => false });
    expect(refused.map(({ message }) => message)).toEqual([
      expect.stringContaining('failed rule: optional.ofNonZeroValue({}).hasValue()'),
    ]);
  });
});
