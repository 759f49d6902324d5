import { describe, expect, test } from '@jest/globals';
import type { KubernetesObject } from '@keelson/apimachinery';
import { crdKindSchema } from './crd-kind-schema.ts';
import {
  celLibrary,
  compileRules,
  escapeFieldName,
  type JsonSchema,
  type ValidationExpression,
} from '@keelson/structural-schema';

type Rule = string | ValidationExpression;

function ruled(schema: JsonSchema, ...rules: Rule[]): JsonSchema {
  const expressions = rules.map((rule) => (typeof rule === 'string' ? { rule } : rule));
  return { ...schema, 'x-kubernetes-validations': expressions };
}

function object(properties: Record<string, JsonSchema>): JsonSchema {
  return { type: 'object', properties };
}

const text: JsonSchema = { type: 'string' };
const integer: JsonSchema = { type: 'integer' };

function keyed(items: JsonSchema): JsonSchema {
  return {
    type: 'array',
    items,
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['name'],
  };
}

interface Validation {
  readonly refused: readonly string[];
  readonly warnings: readonly string[];
}

/** Validates a spec, or its update from an old spec. */
function validate(spec: JsonSchema, value: object, old?: object): Validation {
  const schema = crdKindSchema({
    group: 'example.com',
    version: 'v1',
    kind: 'Widget',
    schema: object({ spec }),
    hasStatus: false,
  });
  const metadata = { name: 'w', namespace: 'default' };
  const widget = (each: object): KubernetesObject & { spec: object } => ({
    apiVersion: 'example.com/v1',
    kind: 'Widget',
    metadata,
    spec: each,
  });
  const warnings: string[] = [];
  const causes = schema.validate(widget(value), old && widget(old), warnings);
  return { refused: causes.map(({ field, message }) => `${field}: ${message}`), warnings };
}

function refusedOf(spec: JsonSchema, value: object, old?: object): unknown {
  return validate(spec, value, old).refused;
}

// Results recorded from kube-apiserver 1.36.3 for the same definitions and objects.
describe('a CEL rule', () => {
  test('reports an evaluation error in the words of cel-go', () => {
    const rule = '10 / self.n > 1';
    expect(refusedOf(ruled(object({ n: integer }), rule), { n: 0 })).toEqual([
      `spec: Invalid value: "object": division by zero evaluating rule: ${rule}`,
    ]);
    const either = { 'x-kubernetes-int-or-string': true };
    const wrong = "self.e.lowerAscii() == 'a'";
    expect(refusedOf(ruled(object({ e: either }), wrong), { e: 1 })).toEqual([
      `spec: Invalid value: "object": 'no such overload: lowerAscii(int)': call arguments did not match a supported operator, function or macro signature for rule: ${wrong}`,
    ]);
  });

  test('reports message or message expression, reason and field of a violation', () => {
    const number = ruled(
      integer,
      { rule: 'self > 1', message: ' more ' },
      { rule: 'self > 2', messageExpression: "self > 1 ? 'two' : 'got less'" },
      { rule: 'self > 3', message: 'fallback', messageExpression: "1 / self > 1 ? 'a' : 'b'" },
      { rule: 'self > 4', reason: 'FieldValueForbidden', message: 'no' },
      { rule: 'self > 5', reason: 'FieldValueRequired' },
      { rule: 'self > 6', reason: 'FieldValueDuplicate' },
      { rule: 'self > 7', messageExpression: "'a\\nb'" },
      { rule: 'self > 8', messageExpression: "'  '" },
    );
    expect(refusedOf(object({ n: number }), { n: 0 })).toEqual([
      'spec.n: Invalid value: 0: more',
      'spec.n: Invalid value: 0: got less',
      'spec.n: Invalid value: 0: fallback',
      'spec.n: Forbidden: no',
      'spec.n: Required value: failed rule: self > 5',
      'spec.n: Duplicate value: 0',
      'spec.n: Invalid value: 0: failed rule: self > 7',
      'spec.n: Invalid value: 0: failed rule: self > 8',
    ]);
  });

  test('reports every form of fieldPath', () => {
    const rule = "self.a != 'x'";
    const free = { type: 'object', additionalProperties: text };
    const paths = ['.a', "['b-c']", ".m['k']", '.m.k', '.b-c'];
    const spec = ruled(
      object({ a: text, m: free, 'b-c': text }),
      ...paths.map((fieldPath) => ({ rule, fieldPath })),
    );
    expect(refusedOf(spec, { a: 'x' })).toEqual(
      ['a', 'b-c', 'm[k]', 'm[k]', 'b-c'].map(
        (field) => `spec.${field}: Invalid value: failed rule: ${rule}`,
      ),
    );
  });

  test('a CEL rule with oldSelf is evaluated only if there is an old value', () => {
    const spec = object({ n: ruled(integer, 'self >= oldSelf') });
    expect(refusedOf(spec, { n: 1 })).toEqual([]);
    expect(refusedOf(spec, { n: 1 }, {})).toEqual([]);
    expect(refusedOf(spec, { n: 1 }, { n: 2 })).toEqual([
      'spec.n: Invalid value: 1: failed rule: self >= oldSelf',
    ]);
    const rule = 'oldSelf.hasValue() ? self >= oldSelf.value() : self == 1';
    const always = object({ n: ruled(integer, { rule, optionalOldSelf: true }) });
    expect(refusedOf(always, { n: 2 })).toHaveLength(1);
    expect(refusedOf(always, { n: 1 })).toEqual([]);
    expect(refusedOf(always, { n: 1 }, { n: 2 })).toHaveLength(1);
    expect(refusedOf(always, { n: 3 }, { n: 2 })).toEqual([]);
  });

  test('finds the old item of a keyed list by its key', () => {
    const item = ruled(
      object({ name: text, port: ruled(integer, 'self == oldSelf') }),
      'self.port == oldSelf.port',
    );
    const spec = object({ l: keyed(item) });
    const old = {
      l: [
        { name: 'a', port: 1 },
        { name: 'b', port: 2 },
      ],
    };
    expect(refusedOf(spec, { l: [old.l[1], old.l[0]] }, old)).toEqual([]);
    expect(refusedOf(spec, { l: [{ name: 'c', port: 3 }] }, old)).toEqual([]);
    expect(refusedOf(spec, { l: [{ name: 'b', port: 3 }] }, old)).toEqual([
      'spec.l[0]: Invalid value: failed rule: self.port == oldSelf.port',
      'spec.l[0].port: Invalid value: 3: failed rule: self == oldSelf',
    ]);
  });

  test('ignores the order of lists of type set and map', () => {
    const set = { type: 'array', items: text, 'x-kubernetes-list-type': 'set' };
    const spec = ruled(
      object({
        l: keyed(object({ name: text, port: integer })),
        s: set,
        a: { type: 'array', items: text },
      }),
      ...['l', 's', 'a'].map((name) => `self.${name} == oldSelf.${name}`),
    );
    const old = { l: [{ name: 'a', port: 1 }, { name: 'b' }], s: ['a', 'b'], a: ['a', 'b'] };
    const turned = { ...old, l: [{ name: 'b' }, { name: 'a', port: 1 }], s: ['b', 'a'] };
    expect(refusedOf(spec, turned, old)).toEqual([]);
    expect(refusedOf(spec, { ...turned, a: ['b', 'a'] }, old)).toEqual([
      'spec: Invalid value: failed rule: self.a == oldSelf.a',
    ]);
    const changed = { ...old, l: [{ name: 'b' }, { name: 'a', port: 2 }], s: ['b', 'c'] };
    expect(refusedOf(spec, changed, old)).toEqual([
      'spec: Invalid value: failed rule: self.l == oldSelf.l',
      'spec: Invalid value: failed rule: self.s == oldSelf.s',
    ]);
  });

  test('warns of unchanged violations', () => {
    const good = (schema: JsonSchema): JsonSchema => ruled(schema, "self != 'bad'");
    const spec = object({
      n: integer,
      a: good(text),
      o: ruled(object({ y: integer }), 'self.y > 5'),
      l: { type: 'array', items: good(text) },
      k: keyed(object({ name: text, v: ruled(integer, 'self > 5') })),
    });
    const old = { a: 'bad', o: { y: 1 }, l: ['bad'], k: [{ name: 'a', v: 1 }] };
    expect(validate(spec, { ...old, n: 1 }, old)).toEqual({
      refused: [],
      warnings: [
        `spec.a: Invalid value: "bad": failed rule: self != 'bad'`,
        'spec.o: Invalid value: failed rule: self.y > 5',
        `spec.l[0]: Invalid value: "bad": failed rule: self != 'bad'`,
        'spec.k[0].v: Invalid value: 1: failed rule: self > 5',
      ],
    });
    const changes = { o: { y: 2 }, l: ['bad', 'more'], k: [{ name: 'a', v: 2 }] };
    expect(validate(spec, { ...old, ...changes }, old).refused).toEqual([
      'spec.o: Invalid value: failed rule: self.y > 5',
      `spec.l[0]: Invalid value: "bad": failed rule: self != 'bad'`,
      'spec.k[0].v: Invalid value: 2: failed rule: self > 5',
    ]);
  });

  test('refuses unchanged values if it has an error or names oldSelf', () => {
    const spec = object({
      e: ruled(integer, '1 / self > 0'),
      t: ruled(integer, 'self >= oldSelf && self > 5'),
    });
    expect(validate(spec, { e: 0, t: 3 }, { e: 0, t: 3 }).refused).toEqual([
      'spec.e: Invalid value: "integer": division by zero evaluating rule: 1 / self > 0',
      'spec.t: Invalid value: 3: failed rule: self >= oldSelf && self > 5',
    ]);
  });

  test('that exceeds its cost is stopped, and no further rule is evaluated', () => {
    const rule = 'self.all(x, self.exists(y, x == y))';
    const spec = object({
      l: ruled({ type: 'array', items: integer }, rule, 'false'),
      z: ruled(integer, 'false'),
    });
    const l = Array.from({ length: 990 }, (_, index) => index);
    expect(refusedOf(spec, { l, z: 1 })).toEqual([
      `spec.l: Invalid value: "array": 'operation cancelled: actual cost limit exceeded': no further validation rules will be run due to call cost exceeds limit for rule: ${rule}`,
    ]);
  });

  test('that concatenates lists repeatedly is stopped before memory runs out', () => {
    const doubled = Array.from({ length: 40 }, (_, at) => `[a${at} + a${at}].all(a${at + 1}, `);
    const rule = `[self].all(a0, ${doubled.join('')}size(a40) > 0${')'.repeat(41)}`;
    const spec = object({ l: ruled({ type: 'array', maxItems: 5, items: integer }, rule) });
    expect(refusedOf(spec, { l: [1, 2, 3, 4, 5] })).toEqual([
      expect.stringContaining('operation cancelled: actual cost limit exceeded'),
    ]);
  });

  test('is not evaluated for values that violate the schema', () => {
    expect(refusedOf(object({ n: ruled(integer, 'self > 5') }), { n: 'x' })).toEqual([
      'spec.n: Invalid value: "string": spec.n in body must be of type integer: "string"',
      '<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
    ]);
  });

  test('treats a null field as missing', () => {
    const spec = ruled(object({ n: { ...integer, nullable: true } }), '!has(self.n)');
    expect(refusedOf(spec, { n: null })).toEqual([]);
    expect(refusedOf(spec, { n: 1 })).toHaveLength(1);
  });

  test('a CEL rule with compile errors is reported in the layout of cel-go', () => {
    const spec = ruled(object({ n: integer }), 'self.n >\n self.m');
    expect(refusedOf(spec, { n: 1 })).toEqual([
      `spec: Invalid value: "object": rule compile error: compilation failed: ERROR: <input>:2:6: undefined field 'm'\n |  self.m\n | .....^`,
    ]);
  });
});

test('reads a field by its escaped name', () => {
  const names = ['a-b', 'a.b/c', 'in', 'a__b', 'plain', 'a$b', '1a', ''];
  expect(names.map(escapeFieldName)).toEqual([
    'a__dash__b',
    'a__dot__b__slash__c',
    '__in__',
    'a__underscores__b',
    'plain',
    undefined,
    undefined,
    undefined,
  ]);
});

test('is not compiled for a schema without rules', () => {
  expect(compileRules(celLibrary(), { type: 'object' })).toBeUndefined();
});
