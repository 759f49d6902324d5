import { describe, expect, test } from '@jest/globals';
import type { KubernetesObject } from '@keelson/apimachinery';
import { crdKindSchema } from '../schema/crd-kind-schema.ts';
import type { JsonSchema, ValidationExpression } from '../schema/structural-schema.ts';
import { escapeFieldName } from './field-name.ts';
import { celLoader } from './cel-library.ts';
import { compileRules } from './rule-tree.ts';

const fields: Record<string, JsonSchema> = {
  text: { type: 'string' },
  count: { type: 'integer' },
  ratio: { type: 'number' },
  on: { type: 'boolean' },
  when: { type: 'string', format: 'date-time' },
  wait: { type: 'string', format: 'duration' },
  bytes: { type: 'string', format: 'byte' },
  either: { 'x-kubernetes-int-or-string': true },
  maybe: { type: 'string', nullable: true },
  list: { type: 'array', items: { type: 'string' } },
  counts: { type: 'array', items: { type: 'integer' } },
  map: { type: 'object', additionalProperties: { type: 'string' } },
  inner: { type: 'object', properties: { text: { type: 'string' } } },
};

async function causesOf(
  expression: ValidationExpression,
  spec: object,
  old?: object,
): Promise<string[]> {
  const ruled = { type: 'object', properties: fields, 'x-kubernetes-validations': [expression] };
  const schema = crdKindSchema({
    group: 'example.com',
    version: 'v1',
    kind: 'Widget',
    schema: { type: 'object', properties: { spec: ruled } },
    hasStatus: false,
  });
  await schema.load?.(Buffer.alloc(0));
  const metadata = { name: 'w', namespace: 'default' };
  const object = (value: object): KubernetesObject & { spec: object } => ({
    apiVersion: 'example.com/v1',
    kind: 'Widget',
    metadata,
    spec: value,
  });
  const causes = schema.validate(object(spec), old && object(old));
  return causes.map(({ field, message }) => `${field}: ${message}`);
}

describe('a rule in CEL', () => {
  test.each([
    ["self.text == 'a'", { text: 'a' }, { text: 'b' }],
    ["self.text in ['a', 'b']", { text: 'a' }, { text: 'c' }],
    ["self.text.matches('^a+$')", { text: 'aa' }, { text: 'ab' }],
    ["self.text.find('[0-9]+') == '12'", { text: 'a12b3' }, { text: 'a1' }],
    ["self.text.findAll('[0-9]').size() == 2", { text: '1a2' }, { text: '1' }],
    ["self.text.replace('a', 'b') == 'bb'", { text: 'ab' }, { text: 'ac' }],
    ["self.text.replace('a', 'b', 1) == 'ba'", { text: 'aa' }, { text: 'ab' }],
    ["self.text.charAt(1) == 'b'", { text: 'ab' }, { text: 'aa' }],
    ['isIP(self.text)', { text: '10.0.0.1' }, { text: '10.0.0' }],
    [
      "isQuantity(self.text) && quantity(self.text).isLessThan(quantity('1Gi'))",
      { text: '1Mi' },
      { text: '2Gi' },
    ],
    ["quantity(self.text).add(quantity('1')).asInteger() == 2", { text: '1' }, { text: '2' }],
    ["quantity(self.text).compareTo(quantity('1')) == 0", { text: '1000m' }, { text: '2' }],
    [
      'sign(quantity(self.text)) == 1 && quantity(self.text).isInteger()',
      { text: '1' },
      { text: '1m' },
    ],
    [
      "isURL(self.text) && url(self.text).getPort() == '80'",
      { text: 'http://a:80/b' },
      { text: 'http://a/b' },
    ],
    ["url(self.text).getQuery()['k'] == ['v']", { text: '/a?k=v' }, { text: '/a?k=w' }],
    ["url(self.text).getEscapedPath() == '/b'", { text: 'http://a/b' }, { text: 'http://a' }],
    ['self.count > 1 && self.count <= 3', { count: 3 }, { count: 4 }],
    ['self.ratio < 0.5', { ratio: 0.25 }, { ratio: 1 }],
    ['self.on', { on: true }, { on: false }],
    [
      "self.when > timestamp('2020-01-01T00:00:00Z')",
      { when: '2021-01-01T00:00:00Z' },
      { when: '2019-01-01T00:00:00Z' },
    ],
    ["self.wait < duration('1h')", { wait: '5m' }, { wait: '90m' }],
    ["self.bytes == b'hi'", { bytes: 'aGk=' }, { bytes: 'aG8=' }],
    [
      "type(self.either) == int ? self.either > 1 : self.either == 'x'",
      { either: 2 },
      { either: 'y' },
    ],
    ['has(self.maybe)', { maybe: 'a' }, { maybe: null }],
    ['self.?text.orValue("none") == "none"', {}, { text: 'a' }],
    [
      'self.list.exists(x, x == "a") && self.list.size() == 2',
      { list: ['a', 'b'] },
      { list: ['b'] },
    ],
    ['self.list.isSorted()', { list: ['a', 'b'] }, { list: ['b', 'a'] }],
    [
      'self.list.indexOf("b") == 1 && self.list.lastIndexOf("b") == 1',
      { list: ['a', 'b'] },
      { list: ['b'] },
    ],
    [
      'self.counts.sum() == 3 && self.counts.max() == 2 && self.counts.min() == 1',
      { counts: [1, 2] },
      { counts: [3] },
    ],
    ["self.map.all(k, self.map[k] != '')", { map: { a: 'b' } }, { map: { a: '' } }],
    ["'a' in self.map", { map: { a: 'b' } }, { map: { b: 'a' } }],
    ['has(self.inner.text)', { inner: { text: 'a' } }, { inner: {} }],
  ])('%s holds for %j, not for %j', async (rule, good, bad) => {
    expect(await causesOf({ rule }, good)).toEqual([]);
    expect(await causesOf({ rule }, bad)).toEqual([`spec: Invalid value: failed rule: ${rule}`]);
  });

  test.each([
    ['10 / self.count > 1', { count: 0 }, 'division by zero'],
    ['10 % self.count > 1', { count: 0 }, 'modulus by zero'],
    ["self.text == 'a'", {}, 'no such key: text'],
    ["self.list[3] == 'a'", { list: ['a'] }, 'index out of bounds: 3'],
  ])('%s for %j is told as %s', async (rule, spec, error) => {
    expect(await causesOf({ rule }, spec)).toEqual([
      `spec: Invalid value: "object": ${error} evaluating rule: ${rule}`,
    ]);
  });

  test('is told by its message, its message expression, at its field, for its reason', async () => {
    const rule = 'self.count > 1';
    const spec = { count: 0, text: 'x' };
    expect(await causesOf({ rule, message: ' more ' }, spec)).toEqual([
      'spec: Invalid value: more',
    ]);
    const messageExpression = "self.text + '!'";
    expect(await causesOf({ rule, messageExpression }, spec)).toEqual(['spec: Invalid value: x!']);
    expect(await causesOf({ rule, message: 'more', messageExpression }, { count: 0 })).toEqual([
      'spec: Invalid value: more',
    ]);
    const reason = 'FieldValueForbidden';
    expect(await causesOf({ rule, message: 'no', reason, fieldPath: '.count' }, spec)).toEqual([
      'spec.count: Forbidden: no',
    ]);
  });

  test('with oldSelf is evaluated where there was something before', async () => {
    const rule = 'self.count >= oldSelf.count';
    expect(await causesOf({ rule }, { count: 1 })).toEqual([]);
    expect(await causesOf({ rule }, { count: 1 }, { count: 2 })).toHaveLength(1);
    const same = { rule: 'self.inner == oldSelf.inner' };
    expect(await causesOf(same, { inner: { text: 'a' } }, { inner: { text: 'a' } })).toEqual([]);
    expect(await causesOf(same, { inner: {} }, { inner: { text: 'a' } })).toHaveLength(1);
    const always = '!oldSelf.hasValue() || self.count >= oldSelf.value().count';
    const expression = { rule: always, optionalOldSelf: true };
    expect(await causesOf(expression, { count: 1 })).toEqual([]);
    expect(await causesOf(expression, { count: 1 }, { count: 2 })).toHaveLength(1);
  });

  test('without oldSelf does not stand in the way of what leaves the value as it was', async () => {
    const rule = 'self.count > 5';
    expect(await causesOf({ rule }, { count: 1 }, { count: 1 })).toEqual([]);
    expect(await causesOf({ rule }, { count: 2 }, { count: 1 })).toHaveLength(1);
  });

  test('is not evaluated for what its schema refuses', async () => {
    expect(await causesOf({ rule: 'self.count > 5' }, { count: 'x' })).toEqual([
      'spec.count: Invalid value: "string": spec.count in body must be of type integer: "string"',
      '<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
    ]);
  });
});

test('rules reach a field by its escaped name', () => {
  expect(['a-b', 'a.b/c', 'in', 'a__b', 'plain'].map(escapeFieldName)).toEqual([
    'a__dash__b',
    'a__dot__b__slash__c',
    '__in__',
    'a__underscores__b',
    'plain',
  ]);
});

test('a schema without rules compiles to nothing', async () => {
  expect(compileRules(await celLoader.load(), { type: 'object' })).toBeUndefined();
});
