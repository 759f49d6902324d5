import { describe, expect, test } from '@jest/globals';
import { builtin } from '@keelson/apimachinery';
import { createApiServer } from '@keelson/apiserver';
import * as z from 'zod';
import {
  compareCrds,
  defineKind,
  definePolicy,
  InvalidObjectError,
  type KindOptions,
} from './index.ts';

const port = { 'x-kubernetes-int-or-string': true } as const;

function options(): KindOptions {
  return {
    group: 'shop.example',
    version: 'v1',
    kind: 'Widget',
    plural: 'widgets',
    shortNames: ['wd'],
    categories: ['all'],
    spec: {
      type: 'object',
      required: ['replicas'],
      properties: {
        replicas: { type: 'integer', minimum: 1 },
        colour: { type: 'string', enum: ['red', 'green'], default: 'red' },
        note: { type: 'string', nullable: true },
        extra: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        template: {
          type: 'object',
          'x-kubernetes-embedded-resource': true,
          'x-kubernetes-preserve-unknown-fields': true,
        },
        ports: {
          type: 'array',
          maxItems: 8,
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['name'],
          items: {
            type: 'object',
            required: ['name'],
            properties: { name: { type: 'string' }, port },
          },
        },
      },
      'x-kubernetes-validations': [{ rule: 'self.replicas < 10', message: 'too many' }],
    },
    status: { type: 'object', properties: { replicas: { type: 'integer' } } },
    printColumns: [{ name: 'Replicas', type: 'integer', jsonPath: '.spec.replicas' }],
    scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
    validations: [{ rule: "self.metadata.name != 'bad'" }],
  };
}

/** Changes of the options, each with the option that the error names. */
const invalid: readonly (readonly [object, string])[] = [
  [{ group: 'shop' }, 'group'],
  [{ version: '1' }, 'version'],
  [{ kind: 'widget' }, 'kind'],
  [{ plural: 'Widgets' }, 'plural'],
  [{ singular: '' }, 'singular'],
  [{ scope: 'namespaced' }, 'scope'],
  [{ shortNames: ['WD'] }, 'shortNames[0]'],
  [{ categories: [''] }, 'categories[0]'],
  [{ printColumns: [{ name: '', type: 'string', jsonPath: '.a' }] }, 'printColumns[0].name'],
  [{ printColumns: [{ name: 'A', type: 'text', jsonPath: '.a' }] }, 'printColumns[0].type'],
  [{ printColumns: [{ name: 'A', type: 'string', jsonPath: 'a' }] }, 'printColumns[0].jsonPath'],
  [{ scale: { specReplicasPath: '.replicas' } }, 'scale.specReplicasPath'],
  [
    { scale: { specReplicasPath: '.spec.a', statusReplicasPath: '.spec.a' } },
    'scale.statusReplicasPath',
  ],
  [{ status: undefined }, 'scale'],
  [{ validations: [{ rule: '' }] }, 'validations[0].rule'],
  [{ keywords: { 'spec.properties.lost': { maxLength: 1 } } }, 'keywords'],
  [{ served: 'yes' }, 'served'],
  [{ deprecated: 'two\nlines' }, 'deprecated'],
  [{ subresources: {} }, 'subresources'],
];

/** Rules of the spec, each with a part of the reason and of the cure. */
const invalidRules = [
  ['self.size < 3', 'undefined field', 'correct the entry'],
  ['self.replicas', 'must evaluate to a bool', 'correct the entry'],
  [
    'self.ports.all(a, self.names.all(b, self.names.all(c, b != c)))',
    'exceeds budget',
    'set maxItems',
  ],
] as const;

async function post(url: string, body: object): Promise<{ status: number; body: unknown }> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  return { status: response.status, body: await response.json() };
}

function widget(name: string, spec: object): object {
  return { apiVersion: 'shop.example/v1', kind: 'Widget', metadata: { name }, spec };
}

function causesOf(call: () => unknown): unknown {
  try {
    return call();
  } catch (error) {
    if (error instanceof InvalidObjectError) return error.causes;
    throw error;
  }
}

/** One test for each promise of `index.ts`, with the same words. */
describe('schema promises', () => {
  test('A definition gives a CustomResourceDefinition that the API server accepts and establishes.', async () => {
    await using server = await createApiServer();
    const { crd } = defineKind(options());
    const definitions = `${server.url}/apis/apiextensions.k8s.io/v1/customresourcedefinitions`;
    expect(await post(definitions, crd)).toMatchObject({ status: 201 });
    await server.idle();
    const stored: unknown = await (await fetch(`${definitions}/widgets.shop.example`)).json();
    const established: unknown = expect.objectContaining({ type: 'Established', status: 'True' });
    const conditions: unknown = expect.arrayContaining([established]);
    expect(stored).toMatchObject({ spec: crd.spec, status: { conditions } });

    const widgets = `${server.url}/apis/shop.example/v1/namespaces/default/widgets`;
    const ports = [{ name: 'web', port: 'http' }];
    expect(await post(widgets, widget('a', { replicas: 2, ports, note: null }))).toMatchObject({
      status: 201,
      body: { spec: { replicas: 2, colour: 'red', note: null, ports } },
    });
    expect(await post(widgets, widget('b', { replicas: 0 }))).toMatchObject({ status: 422 });
    expect(await post(widgets, widget('c', { replicas: 10 }))).toMatchObject({ status: 422 });
    expect(await post(widgets, widget('bad', { replicas: 1 }))).toMatchObject({ status: 422 });
    expect((await fetch(`${widgets}/a/scale`)).status).toBe(200);
  });

  test('A schema that is not structural is refused with its path, the reason and the cure.', () => {
    const spec = { type: 'object', properties: { sizes: { type: 'array' } } } as const;
    expect(() => defineKind({ ...options(), spec })).toThrow(
      expect.objectContaining({
        code: 'SCHEMA_INVALID',
        facts: {
          path: 'defineKind.spec.properties.sizes',
          reason: 'an array without items',
          cure: 'add the schema of its items',
        },
      }),
    );
  });

  test('A schema of a library becomes the structural schema of the same values, or is refused with its path and the cure.', () => {
    const spec = z.object({ size: z.int().min(1), note: z.string().nullable() });
    const { crd, parse } = defineKind({ ...options(), validations: [], spec });
    expect(crd.spec.versions[0]?.schema?.openAPIV3Schema?.properties?.['spec']).toEqual({
      type: 'object',
      required: ['size', 'note'],
      properties: {
        size: { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
        note: { type: 'string', nullable: true },
      },
    });
    const { spec: parsed } = parse(widget('a', { size: 1, note: null }));
    expect(parsed).toEqual({ size: 1, note: null });

    const pair = z.object({ pair: z.tuple([z.string()]) });
    expect(() => defineKind({ ...options(), spec: pair })).toThrow(
      expect.objectContaining({
        code: 'SCHEMA_INVALID',
        facts: {
          path: 'defineKind.spec.properties.pair.prefixItems',
          reason: 'a keyword that a structural schema cannot express',
          cure: 'use an object with a property for each position',
        },
      }),
    );
  });

  test('A keyword, limit, format or length that the API server reads otherwise is carried over exactly, or refused.', () => {
    const spec = z.object({ ratio: z.number().min(0.5), text: z.string().regex(/^\s$/u) });
    const { parse } = defineKind({ ...options(), validations: [], spec });
    expect(parse(widget('a', { ratio: 0.5, text: '\u00a0' })).spec.ratio).toBe(0.5);
    expect(() => parse(widget('a', { ratio: 0, text: ' ' }))).toThrow('spec.ratio');
    for (const refused of [z.object({ a: z.jwt() }), z.object({ a: z.number().multipleOf(0.1) })]) {
      expect(() => defineKind({ ...options(), validations: [], spec: refused })).toThrow(
        expect.objectContaining({ code: 'SCHEMA_INVALID' }),
      );
    }
  });

  test('An invalid option is refused by its name.', () => {
    for (const [change, option] of invalid) {
      const changed = { ...options(), ...change } as KindOptions;
      expect(() => defineKind(changed)).toThrow(
        expect.objectContaining({
          code: 'INVALID_OPTION',
          facts: expect.objectContaining({ option: `defineKind.${option}` }) as unknown,
        }),
      );
    }
  });

  test('A CEL rule that does not compile, or that may cost too much, is refused with its path and the cure.', () => {
    for (const [rule, reason, cure] of invalidRules) {
      const { spec } = options();
      const names = { type: 'array', items: { type: 'string' } } as const;
      const properties = { ...spec.properties, names };
      const ruled = { ...spec, properties, 'x-kubernetes-validations': [{ rule }] };
      expect(() => defineKind({ ...options(), spec: ruled })).toThrow(
        expect.objectContaining({
          code: 'RULE_INVALID',
          facts: {
            path: 'defineKind.spec.x-kubernetes-validations[0].rule',
            reason: expect.stringContaining(reason) as unknown,
            cure: expect.stringContaining(cure) as unknown,
          },
        }),
      );
    }
  });

  test('An object is parsed to a copy with defaults, or refused with every error that the API server would report.', async () => {
    await using server = await createApiServer();
    const { crd, parse } = defineKind(options());
    const definitions = `${server.url}/apis/apiextensions.k8s.io/v1/customresourcedefinitions`;
    await post(definitions, crd);
    await server.idle();
    const widgets = `${server.url}/apis/shop.example/v1/namespaces/default/widgets`;
    const ports = [{ name: 'web', port: 80 }];
    const accepted = [
      { replicas: 2 },
      { replicas: 3, note: null, ports, extra: { a: { b: [1] } } },
    ];
    for (const [index, spec] of accepted.entries()) {
      const given = widget(`a${index}`, spec);
      const before = structuredClone(given);
      const parsed = parse(given);
      expect(given).toEqual(before);
      const { body } = await post(widgets, given);
      expect(body).toMatchObject({ spec: parsed.spec });
      expect(parsed.spec).toEqual((body as { spec: unknown }).spec);
    }
    const refused = [
      widget('b', { replicas: 0, colour: 'blue', ports: [{ name: 'a' }, { name: 'a' }] }),
      widget('c', { colour: null, note: 1, ports: [{ port: true }], template: {} }),
      widget('d', { replicas: 10 }),
      widget('bad', { replicas: 1 }),
      widget('Not a name', { replicas: 1 }),
      { ...widget('e', { replicas: 1 }), metadata: { name: 'e', labels: { '-': '-' } } },
      { apiVersion: 'shop.example/v1', kind: 'Widget', metadata: { name: 'f' } },
    ];
    for (const object of refused) {
      const { status, body } = await post(widgets, object);
      expect(status).toBe(422);
      const { causes } = (body as { details: { causes: object[] } }).details;
      expect(causesOf(() => parse(object))).toEqual(causes);
    }
  });

  test('The library validates the value of the caller, without the defaults of the server.', () => {
    const spec = z.strictObject({ a: z.string().optional() }).refine(({ a }) => a === undefined);
    const keywords = { 'spec.properties.a': { default: 'x' } };
    const { parse } = defineKind({ ...options(), validations: [], spec, keywords });
    expect(parse(widget('a', {})).spec).toEqual({ a: 'x' });
    expect(() => parse(widget('a', { a: 'x' }))).toThrow('spec: Invalid');
  });

  test('A transition rule compares the parsed object with the old object.', () => {
    const { spec } = options();
    const rule = { rule: 'self.replicas >= oldSelf.replicas', message: 'shrinks' };
    const { parse } = defineKind({
      ...options(),
      spec: { ...spec, 'x-kubernetes-validations': [rule] },
    });
    const small = parse(widget('a', { replicas: 1 }));
    const large = parse(widget('a', { replicas: 2 }), { old: small });
    expect(large.spec).toMatchObject({ replicas: 2 });
    expect(causesOf(() => parse(small, { old: large }))).toEqual([
      { reason: 'FieldValueInvalid', field: 'spec', message: 'Invalid value: shrinks' },
    ]);
  });

  test('A conversion goes through the hub, and changes only labels and annotations in metadata.', () => {
    const size = { type: 'object', properties: { size: { type: 'integer' } } } as const;
    interface Sized {
      readonly spec: { readonly size?: number };
    }
    const plus =
      (step: number) =>
      ({ spec }: Sized) => ({ spec: { size: (spec.size ?? 0) + step } });
    const { convert } = defineKind({
      group: 'shop.example',
      kind: 'Widget',
      plural: 'widgets',
      versions: { v1: { spec: size }, v2: { spec: size }, v3: { spec: size } },
      convert: {
        hub: 'v1',
        from: { v2: plus(-1), v3: plus(-10) },
        to: {
          v2: ({ spec }) => ({ metadata: { name: 'other' }, spec }),
          v3: (hub) => ({ metadata: { labels: { step: '10' } }, ...plus(10)(hub) }),
        },
      },
    });
    const object = { apiVersion: 'shop.example/v2', metadata: { name: 'a', labels: { x: 'y' } } };
    expect(convert({ ...object, spec: { size: 5 } }, 'v3')).toEqual({
      apiVersion: 'shop.example/v3',
      kind: 'Widget',
      metadata: { name: 'a', labels: { step: '10' } },
      spec: { size: 14 },
    });
    expect(() => convert({ ...object, apiVersion: 'shop.example/v3', spec: {} }, 'v2')).toThrow(
      'must not change metadata.name',
    );
  });

  test('Two states of a CRD are compared by the effects on stored objects and clients, with the path, the reason and the cure.', () => {
    const { crd } = defineKind(options());
    const { spec } = options();
    const { colour: _, ...properties } = spec.properties ?? {};
    const required = [...(spec.required ?? []), 'note'];
    const changed = defineKind({ ...options(), spec: { ...spec, properties, required } });
    expect(compareCrds(crd, crd)).toEqual([]);
    expect(compareCrds(crd, changed.crd)).toEqual([
      {
        version: 'v1',
        path: 'spec.colour',
        reason: 'the field is removed, and the server drops its value',
        breaks: ['objects', 'clients'],
        cure: expect.stringContaining('keep the field') as unknown,
      },
      {
        version: 'v1',
        path: 'spec.note',
        reason: 'becomes required and has no default',
        breaks: ['objects', 'clients'],
        cure: expect.stringContaining('give it a default') as unknown,
      },
    ]);
    expect(compareCrds(changed.crd, crd)).toMatchObject([
      { path: 'spec.note', reason: 'becomes optional', breaks: ['clients'] },
    ]);
  });

  test('A policy is evaluated in tests as the API server evaluates it, and an invalid expression is refused with its path.', async () => {
    await using server = await createApiServer();
    const { resource } = defineKind(options());
    const rules = [{ cel: "object.data.mode != 'fast'", message: 'too fast' }];
    const policy = definePolicy({ name: 'modes.shop.example', resource: builtin.ConfigMap, rules });
    server.seed([policy.policy, policy.binding]);
    const object = { metadata: { name: 'a' }, data: { mode: 'fast' } };
    const response = await fetch(`${server.url}/api/v1/namespaces/default/configmaps`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(object),
    });
    const [violation] = policy.check({ object });
    expect(((await response.json()) as { message: string }).message).toContain(violation?.message);
    const broken = { name: 'a.b.c', resource, rules: [{ cel: 'object.' }] };
    expect(() => definePolicy(broken)).toThrow('path=definePolicy.rules[0].cel');
  });

  test('A later change of the options changes neither the token nor the definition.', () => {
    const given = options();
    const { resource, crd } = defineKind(given);
    const before = structuredClone({ resource, crd });
    Object.assign(given, { plural: 'others' });
    Object.assign(given.spec.properties ?? {}, { more: { type: 'string' } });
    Object.assign(given.scale ?? {}, { specReplicasPath: '.spec.other' });
    expect({ resource, crd }).toEqual(before);
  });
});
