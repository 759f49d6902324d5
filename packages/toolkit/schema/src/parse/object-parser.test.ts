import { runInNewContext } from 'node:vm';
import { describe, expect, test } from '@jest/globals';
import { InvalidObjectError } from './invalid-object-error.ts';
import { defineKind } from '../definition/define-kind.ts';
import type { StructuralSchema } from '../literal/structural-schema.ts';

const { parse } = defineKind({
  group: 'x.example',
  version: 'v1',
  kind: 'Widget',
  plural: 'widgets',
  scope: 'Cluster',
  spec: {
    type: 'object',
    properties: {
      size: { type: 'integer', default: 1 },
      when: { type: 'string', format: 'date-time' },
      inner: { type: 'object', properties: { colour: { type: 'string', default: 'red' } } },
    },
  },
});

const metadata = { name: 'a' };

/** The causes as `field: message`. */
function causesOf(object: unknown, options?: Parameters<typeof parse>[1]): string[] {
  try {
    parse(object, options);
    return [];
  } catch (error) {
    if (!(error instanceof InvalidObjectError)) throw error;
    return error.causes.map(({ field, message }) => `${field}: ${message}`);
  }
}

describe('large integers', () => {
  const wide = defineKind({
    group: 'shop.example',
    version: 'v1',
    kind: 'Wide',
    plural: 'wides',
    spec: {
      type: 'object',
      properties: {
        n: { type: 'integer' },
        list: { type: 'array', maxItems: 3, items: { type: 'integer' } },
      },
      'x-kubernetes-validations': [{ rule: '!has(self.n) || self.n > 5' }],
    },
  });
  const parsed = (spec: object): unknown => wide.parse({ metadata: { name: 'a' }, spec }).spec;

  test('are integers as for the API server, and stay numbers', () => {
    for (const n of [2 ** 53, 2 ** 62, 2 ** 53 + 2]) {
      expect(parsed({ n, list: [n, 1, -n] })).toEqual({ n, list: [n, 1, -n] });
    }
    expect(parsed({ n: 2n ** 60n })).toEqual({ n: 2n ** 60n });
  });

  test('are checked by rules, and refused beyond 64 bits', () => {
    expect(() => parsed({ n: -(2 ** 60) })).toThrow(/failed rule/);
    for (const n of [2 ** 63, 1e20, 1e300]) {
      expect(() => parsed({ n })).toThrow(/must be of type integer/);
    }
  });
});

describe('a status that only the defaults give', () => {
  const counted = defineKind({
    group: 'x.example',
    version: 'v1',
    kind: 'Counted',
    plural: 'counteds',
    spec: { type: 'object', properties: { replicas: { type: 'integer' } } },
    status: {
      type: 'object',
      default: { replicas: -1 },
      properties: { replicas: { type: 'integer' } },
    },
    scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
  });
  const created = { metadata: { name: 'a' }, spec: {} };
  const negative = /status\.replicas: Invalid value: -1: should be a non-negative integer/;

  test('is not validated in a new object, because a create drops it', () => {
    expect(counted.parse(created)).toMatchObject({ status: { replicas: -1 } });
    expect(counted.parse({ ...created, status: null })).toMatchObject({ status: { replicas: -1 } });
  });

  test('is validated in an update, and in an object that has it', () => {
    expect(() => counted.parse(created, { old: created })).toThrow(negative);
    expect(() => counted.parse({ ...created, status: { replicas: -1 } })).toThrow(negative);
  });
});

describe('a property whose name every object inherits', () => {
  test.each<[string, unknown]>([
    ['constructor', 'x'],
    ['constructor', { a: 'b' }],
    ['__proto__', 'x'],
    ['__proto__', { a: 'b' }],
  ])('%s has its default %j', (name, value) => {
    const property = {
      type: typeof value,
      default: value,
      ...(typeof value === 'object' && { 'x-kubernetes-preserve-unknown-fields': true }),
    } as StructuralSchema;
    const { parse: parseNamed } = defineKind({
      group: 'x.example',
      version: 'v1',
      kind: 'Named',
      plural: 'nameds',
      spec: { type: 'object', properties: { [name]: property } },
    });
    const { spec } = parseNamed({ metadata: { name: 'a' }, spec: {} });
    expect(Object.getPrototypeOf(spec)).toBe(Object.prototype);
    expect(Object.entries(spec)).toEqual([[name, value]]);
  });

  test.each(['constructor', '__proto__'])('%s may be missing at the path of scale', (name) => {
    const property: StructuralSchema = {
      type: 'object',
      properties: { [name]: { type: 'integer' } },
    };
    const { parse: parseScaled } = defineKind({
      group: 'x.example',
      version: 'v1',
      kind: 'Scaled',
      plural: 'scaleds',
      spec: property,
      status: property,
      scale: { specReplicasPath: `.spec.${name}`, statusReplicasPath: `.status.${name}` },
    });
    expect(parseScaled({ metadata: { name: 'a' }, spec: {}, status: {} }).spec).toEqual({});
  });

  test('constructor has no old value in a rule before an update adds it', () => {
    const rules = [{ rule: 'self == oldSelf' }];
    const values: StructuralSchema = {
      type: 'string',
      maxLength: 9,
      'x-kubernetes-validations': rules,
    };
    const { parse: parseMap } = defineKind({
      group: 'x.example',
      version: 'v1',
      kind: 'Map',
      plural: 'maps',
      spec: { type: 'object', maxProperties: 9, additionalProperties: values },
    });
    const old = { metadata: { name: 'a' }, spec: {} };
    const spec = { constructor: 'x' };
    expect(parseMap({ ...old, spec }, { old }).spec).toEqual(spec);
  });
});

describe('parse', () => {
  test('names the kind and adds defaults in a copy', () => {
    const given = { metadata, spec: { inner: {}, size: undefined } };
    const parsed = parse(given);
    expect(parsed).toEqual({
      apiVersion: 'x.example/v1',
      kind: 'Widget',
      metadata,
      spec: { size: 1, inner: { colour: 'red' } },
    });
    expect(parsed.metadata).not.toBe(given.metadata);
    expect(given.spec).toEqual({ inner: {}, size: undefined });
  });

  test('accepts an object that has a generated name, or null instead of a missing value', () => {
    expect(causesOf({ metadata: { generateName: 'a-' }, spec: {} })).toEqual([]);
    expect(causesOf({ metadata: { ...metadata, creationTimestamp: null }, spec: {} })).toEqual([]);
  });

  test.each<[string, unknown, string[]]>([
    ['a text', 'widget', [': Invalid value: "a value": must be an object']],
    [
      'another kind',
      { apiVersion: 'v1', kind: 'Secret', metadata, spec: {} },
      [
        'apiVersion: Invalid value: "v1": must be x.example/v1',
        'kind: Invalid value: "Secret": must be Widget',
      ],
    ],
    [
      'unknown fields',
      { metadata: { ...metadata, owner: 'a' }, spec: { colour: 'red' }, data: {} },
      [
        'metadata.owner: Forbidden: unknown field',
        'spec.colour: Forbidden: unknown field',
        'data: Forbidden: unknown field',
      ],
    ],
    [
      'metadata of another type',
      { metadata: { name: 1, labels: { a: true } }, spec: {} },
      [
        'metadata.name: Invalid value: "integer": metadata.name in body must be of type string: "integer"',
        'metadata.labels.a: Invalid value: "boolean": metadata.labels.a in body must be of type string: "boolean"',
      ],
    ],
    [
      'a namespace of a cluster-scoped kind',
      { metadata: { ...metadata, namespace: 'a' }, spec: {} },
      ['metadata.namespace: Forbidden: the kind is cluster-scoped'],
    ],
    [
      'a date and a number that JSON has not',
      { metadata, spec: { when: new Date(0), size: Number.NaN } },
      [
        'spec.when: Invalid value: "Date": spec.when is not a JSON value',
        'spec.size: Invalid value: "NaN": spec.size is not a JSON value',
      ],
    ],
    [
      'no name, and a wrong type, at once',
      { spec: { size: '1' } },
      [
        'metadata.name: Required value: name or generateName is required',
        'spec.size: Invalid value: "string": spec.size in body must be of type integer: "string"',
      ],
    ],
  ])('refuses %s', (_title, object, causes) => {
    expect(causesOf(object)).toEqual(causes);
  });

  test('refuses an object that contains itself', () => {
    const spec: Record<string, unknown> = {};
    spec['inner'] = spec;
    expect(causesOf({ metadata, spec })).toEqual([
      'spec.inner: Invalid value: "a cycle": spec.inner is not a JSON value',
    ]);
  });

  test('refuses a deep object before the stack is exhausted', () => {
    const size = JSON.parse(`${'['.repeat(20_000)}${']'.repeat(20_000)}`) as unknown;
    expect(causesOf({ metadata, spec: { size } })).toContainEqual(
      expect.stringContaining('Invalid value: "too many levels"'),
    );
  });

  test('refuses holes of an array, and an object that hides its constructor', () => {
    const hidden = Object.assign(new Map(), { constructor: undefined });
    const causes = causesOf({
      metadata,
      spec: { size: Array.from({ length: 1 }), colour: hidden },
    });
    expect(causes).toContain(
      'spec.size[0]: Invalid value: "undefined": spec.size[0] is not a JSON value',
    );
    expect(causes).toContain('spec.colour: Invalid value: "Map": spec.colour is not a JSON value');
  });

  test('accepts the plain objects of another realm', () => {
    const object = runInNewContext('({ metadata: { name: "a" }, spec: { size: 1 } })') as unknown;
    expect(parse(object).spec).toEqual({ size: 1 });
  });

  test('drops unknown fields on request, as the server does', () => {
    const parsed = parse({ metadata, spec: { colour: 'red' } }, { unknownFields: 'drop' });
    expect(parsed.spec).toEqual({ size: 1 });
  });

  test('accepts an invalid value that the update leaves unchanged', () => {
    const old = { metadata, spec: { when: 'yesterday' } };
    expect(causesOf({ metadata, spec: { when: 'yesterday', size: 2 } }, { old })).toEqual([]);
    expect(causesOf({ metadata, spec: { when: 'today' } }, { old })).toHaveLength(1);
  });

  test('lists every cause in its message', () => {
    expect(() => parse({ metadata, spec: { size: 'a', when: 1 } })).toThrow(
      /kind=Widget, name=a, causes=spec\.size: .*; spec\.when: /,
    );
  });

  test('refuses unknown options', () => {
    const option =
      (options: object): (() => unknown) =>
      () =>
        parse({}, options);
    expect(option({ strict: true })).toThrow(expect.objectContaining({ code: 'INVALID_OPTION' }));
    expect(option({ unknownFields: 'keep' })).toThrow(/parse\.unknownFields/);
    expect(option({ old: 1 })).toThrow(/parse\.old/);
  });
});
