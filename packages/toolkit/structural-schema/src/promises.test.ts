import { describe, expect, test } from '@jest/globals';
import {
  celLibrary,
  compileRules,
  defaultValues,
  evaluateRules,
  ExpressionInput,
  PatternMatcher,
  validateCompilation,
  validateValue,
  ValidatingPolicy,
  type JsonSchema,
  type JsonValue,
  type RuleFindings,
} from './index.ts';

function evaluated(schema: JsonSchema, value: JsonValue, old?: JsonValue): RuleFindings {
  const tree = compileRules(celLibrary(), schema);
  if (tree === undefined) throw new Error('the schema has no rules');
  return evaluateRules(tree, { value, old, unchanged: () => false });
}

/** One test for each promise of `index.ts`, with the same words. */
describe('structural-schema promises', () => {
  test('A missing value takes its default, also inside objects, lists and maps that are present.', () => {
    const item: JsonSchema = { type: 'object', properties: { size: { default: 1 } } };
    const schema: JsonSchema = {
      type: 'object',
      properties: {
        one: item,
        many: { type: 'array', items: item },
        named: { type: 'object', additionalProperties: item },
        absent: item,
      },
    };
    const value = { one: {}, many: [{}, { size: 2 }], named: { a: {} } };
    defaultValues(schema, value);
    expect(value).toEqual({
      one: { size: 1 },
      many: [{ size: 1 }, { size: 2 }],
      named: { a: { size: 1 } },
    });
  });

  test('A value is validated with every error, its path and the words of kube-apiserver.', () => {
    const schema: JsonSchema = {
      type: 'object',
      required: ['name'],
      properties: {
        name: { type: 'string' },
        sizes: { type: 'array', items: { type: 'integer', minimum: 1 } },
      },
    };
    expect(validateValue(schema, { sizes: [0, 'a'] }, 'spec', new PatternMatcher())).toEqual([
      {
        reason: 'FieldValueInvalid',
        field: 'spec.sizes[0]',
        message: 'Invalid value: 0: spec.sizes[0] in body should be greater than or equal to 1',
      },
      {
        reason: 'FieldValueTypeInvalid',
        field: 'spec.sizes[1]',
        message: 'Invalid value: "string": spec.sizes[1] in body must be of type integer: "string"',
      },
      { reason: 'FieldValueRequired', field: 'spec.name', message: 'Required value' },
    ]);
  });

  test('A rule that does not compile, or that may cost too much, is refused before it is evaluated.', () => {
    const list: JsonSchema = { type: 'array', items: { type: 'string' } };
    const search = 'self.list.all(a, self.list.all(b, a == b))';
    const schema: JsonSchema = {
      type: 'object',
      properties: { list },
      'x-kubernetes-validations': [{ rule: 'self.lost == 1' }, { rule: search }],
    };
    const causes = validateCompilation(schema, 'schema');
    expect(causes.map(({ field }) => field)).toEqual([
      'schema.x-kubernetes-validations[0].rule',
      'schema.x-kubernetes-validations[1].rule',
      'schema.x-kubernetes-validations[1].rule',
      'schema',
    ]);
    expect(causes[0]?.message).toContain("undefined field 'lost'");
    expect(causes[1]?.message).toContain('estimated rule cost exceeds budget');
  });

  test('The expressions of an admission policy have the variables, the budgets and the messages of kube-apiserver.', () => {
    const items = `[${Array.from({ length: 100 }, (_, index) => index).join(', ')}]`;
    const loop = `${items}.all(a, ${items}.all(b, ${items}.all(c, a + b + c >= 0)))`;
    const policy = new ValidatingPolicy({
      variables: [{ name: 'size', expression: 'object.size' }],
      validations: [
        { expression: "variables.size < 3 && request.operation == 'CREATE'", message: 'too big' },
        { expression: loop },
      ],
    });
    const request = { operation: 'CREATE' };
    const objects = {
      object: { size: 3 },
      oldObject: null,
      request,
      namespaceObject: null,
      params: null,
    };
    const authorizer = { decide: () => ({ allowed: true, reason: '' }), of: () => authorizer };
    const requestResource = { group: '', resource: 'things' };
    const input = new ExpressionInput(objects, { authorizer, requestResource });
    const { denials } = policy.evaluate(input);
    expect(denials.map(({ message }) => message)).toEqual([
      'too big',
      `expression '${loop}' resulted in error: operation cancelled: actual cost limit exceeded`,
    ]);
  });

  test('The rules of an object share one cost budget, and a rule with `oldSelf` is skipped without an old value.', () => {
    const transition: JsonSchema = {
      type: 'integer',
      'x-kubernetes-validations': [{ rule: 'self >= oldSelf', message: 'shrinks' }],
    };
    expect(evaluated(transition, 1).refused).toEqual([]);
    expect(evaluated(transition, 1, 2).refused).toMatchObject([
      { message: 'Invalid value: 1: shrinks' },
    ]);

    const rule = 'self.all(a, self.all(b, a <= b || a >= b))';
    const expensive: JsonSchema = {
      type: 'array',
      items: { type: 'integer' },
      'x-kubernetes-validations': Array.from({ length: 5 }, () => ({ rule })),
    };
    const { refused } = evaluated(
      expensive,
      Array.from({ length: 500 }, (_, index) => index),
    );
    expect(refused).toHaveLength(1);
    expect(refused[0]?.message).toContain('no further validation rules will be run');
  });
});
