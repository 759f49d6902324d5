import { describe, expect, test } from '@jest/globals';
import type { KubernetesObject } from '@keelson/apimachinery';
import * as fc from 'fast-check';
import { defineKind } from '../definition/define-kind.ts';

const multiple = Number(process.env['KEELSON_RUNS'] ?? 1);

const annotation = 'shop.example/kept-fields';
const text = { type: 'string' } as const;
const port = {
  type: 'object',
  required: ['name'],
  properties: { name: text, number: { type: 'integer' }, hint: text },
} as const;

interface Port {
  name: string;
  number?: number;
}

const shops = defineKind({
  group: 'shop.example',
  kind: 'Shop',
  plural: 'shops',
  versions: {
    v2: {
      spec: {
        type: 'object',
        required: ['seconds'],
        properties: {
          seconds: { type: 'integer', minimum: 0 },
          colour: { type: 'string', maxLength: 9 },
          notes: { type: 'object', additionalProperties: text },
          hours: { type: 'array', items: { type: 'integer' } },
          ports: {
            type: 'array',
            'x-kubernetes-list-type': 'map',
            'x-kubernetes-list-map-keys': ['name'],
            items: port,
          },
        },
      },
      status: { type: 'object', properties: { phase: text, since: text } },
    },
    v1: {
      spec: {
        type: 'object',
        required: ['every'],
        properties: {
          every: text,
          first: { type: 'integer' },
          ports: {
            type: 'array',
            items: {
              type: 'object',
              required: ['name'],
              properties: { name: text, number: { type: 'integer' } },
            },
          },
        },
      },
      status: { type: 'object', properties: { phase: text } },
    },
  },
  convert: {
    hub: 'v2',
    from: {
      v1({ spec: { every, first, ports }, status }) {
        const count = Number.parseInt(every, 10);
        return {
          spec: {
            seconds: every.endsWith('m') ? count * 60 : count,
            ...(first !== undefined && { hours: [first] }),
            ...(ports && { ports }),
          },
          ...(status && { status }),
        };
      },
    },
    to: {
      v1: ({ spec: { seconds, hours = [], ports }, status }) => ({
        spec: {
          every: `${seconds}s`,
          ...(hours[0] !== undefined && { first: hours[0] }),
          // A port without a number is unknown to v1.
          ...(ports && {
            ports: ports.flatMap(({ name, number }): Port[] =>
              number === undefined ? [] : [{ name, number }],
            ),
          }),
        },
        ...(status && { status: { ...(status.phase !== undefined && { phase: status.phase }) } }),
      }),
    },
    keep: { annotation },
  },
});

type V1 = ReturnType<typeof shops.versions.v1.parse>;
type V2 = ReturnType<typeof shops.parse>;

function v2(spec: Partial<V2['spec']>, others: Partial<V2> = {}): V2 {
  const metadata = { namespace: 'a', name: 'b' };
  const apiVersion = 'shop.example/v2';
  return { apiVersion, kind: 'Shop', metadata, spec: { seconds: 5, ...spec }, ...others };
}

function v1(spec: Partial<V1['spec']>): V1 {
  const metadata = { namespace: 'a', name: 'b' };
  const apiVersion = 'shop.example/v1';
  return { apiVersion, kind: 'Shop', metadata, spec: { every: '5s', ...spec } };
}

/** Reads an object as v1, lets a client change it, and returns the stored object. */
function written(object: V2, change: (object: V1) => void = () => {}): V2 {
  const read = shops.convert(object, 'v1');
  change(read);
  return shops.convert(read, 'v2');
}

function note({ metadata }: KubernetesObject): unknown {
  return JSON.parse(metadata?.annotations?.[annotation] ?? 'null');
}

/** An object of v1 with a note that a client has written. */
function noted(value: unknown, spec: Partial<V1['spec']> = {}): V1 {
  const given = typeof value === 'string' ? value : JSON.stringify(value);
  const object = v1(spec);
  return { ...object, metadata: { ...object.metadata, annotations: { [annotation]: given } } };
}

describe('what another version cannot hold', () => {
  const full = v2(
    {
      colour: 'red',
      notes: { a: 'b' },
      hours: [1, 2],
      ports: [
        { name: 'http', number: 80, hint: 'web' },
        { name: 'any', hint: 'no number' },
        { name: 'ssh', number: 22 },
      ],
    },
    { status: { phase: 'Open', since: 'May' } },
  );

  test('is in the annotation, and returns without it', () => {
    const read = shops.convert(full, 'v1');
    expect(read.spec).toEqual({
      every: '5s',
      first: 1,
      ports: [
        { name: 'http', number: 80 },
        { name: 'ssh', number: 22 },
      ],
    });
    expect(note(read)).toEqual({
      v2: [
        { path: ['spec', 'colour'], value: 'red' },
        { path: ['spec', 'notes'], value: { a: 'b' } },
        { path: ['spec', 'hours'], value: [1, 2], base: expect.any(String) },
        { path: ['spec', 'ports', { name: 'http' }, 'hint'], value: 'web' },
        { path: ['spec', 'ports', { name: 'any' }], value: full.spec.ports?.[1], at: 1 },
        { path: ['status', 'since'], value: 'May' },
      ],
    });
    expect(written(full)).toEqual(full);
  });

  test('needs no annotation if nothing is lost', () => {
    expect(shops.convert(v2({}), 'v1').metadata).toEqual(v2({}).metadata);
  });

  test('stays when a client changes something else', () => {
    const stored = written(full, ({ spec }) => {
      spec.every = '9s';
      spec.ports?.push({ name: 'dns', number: 53 });
    });
    expect(stored.spec).toEqual({
      ...full.spec,
      seconds: 9,
      ports: [...(full.spec.ports ?? []), { name: 'dns', number: 53 }],
    });
    expect(stored.metadata).toEqual(full.metadata);
  });

  test('is dropped where a client changes what it belongs to', () => {
    const stored = written(full, ({ spec }) => {
      spec.first = 7;
      spec.ports?.splice(0, 1);
    });
    expect(stored.spec.hours).toEqual([7]);
    expect(stored.spec.ports).toEqual([
      { name: 'ssh', number: 22 },
      { name: 'any', hint: 'no number' },
    ]);
    expect(stored.spec.colour).toBe('red');
  });

  test('is dropped with the annotation', () => {
    const stored = written(full, ({ metadata }) => delete metadata?.annotations);
    expect(stored.spec).toEqual({
      seconds: 5,
      hours: [1],
      ports: [
        { name: 'http', number: 80 },
        { name: 'ssh', number: 22 },
      ],
    });
  });

  test('is kept in the other direction too', () => {
    const stored = shops.convert(v1({ every: '2m' }), 'v2');
    expect(stored.spec).toEqual({ seconds: 120 });
    expect(shops.convert(stored, 'v1')).toEqual(v1({ every: '2m' }));
    expect(shops.convert({ ...stored, spec: { seconds: 60 } }, 'v1').spec.every).toBe('60s');
  });

  test('leaves other annotations alone', () => {
    const metadata = { name: 'b', annotations: { other: 'x' } };
    const object = v2({ colour: 'red' }, { metadata });
    expect(shops.convert(object, 'v1').metadata?.annotations).toEqual({
      other: 'x',
      [annotation]: expect.any(String),
    });
    expect(written(object)).toEqual(object);
  });

  test('fails if the annotations would exceed the limit of the API server', () => {
    const notes = { long: 'ä'.repeat(131_000) };
    expect(written(v2({ notes })).spec.notes).toEqual(notes);
    expect(() => shops.convert(v2({ notes: { long: 'ä'.repeat(131_072) } }), 'v1')).toThrow(
      expect.objectContaining({
        code: 'CONVERSION_FAILED',
        facts: expect.objectContaining({
          name: 'b',
          reason: expect.stringMatching(/^the annotations would have \d+ bytes .* 262144/),
        }),
      }),
    );
  });
});

describe('an annotation that a client has changed', () => {
  const lost = { path: ['spec', 'colour'], value: 'red' };

  test.each<[string, unknown]>([
    ['no JSON', '{'],
    ['null', 'null'],
    ['a list', []],
    ['a field that is a text', { v2: ['spec'] }],
    ['a field without a path', { v2: [{ value: 'red' }] }],
    ['an empty path', { v2: [{ path: [], value: 'red' }] }],
    ['a number in a path', { v2: [{ path: ['spec', 1], value: 'red' }] }],
    ['the metadata', { v2: [{ path: ['metadata', 'name'], value: 'c' }] }],
    ['the kind', { v2: [{ path: ['kind'], value: 'Other', base: 'x' }] }],
    ['a field without a parent', { v2: [{ path: ['spec', 'notes', 'a'], value: 'b' }] }],
    ['a field below a text', { v2: [{ path: ['spec', 'seconds', 'a'], value: 'b' }] }],
    ['an item of no list', { v2: [{ path: ['spec', { name: 'a' }], value: {} }] }],
    ['a field of a prototype', { v2: [{ path: ['spec', 'constructor', 'name'], value: 'b' }] }],
    ['a value of another type', { v2: [{ ...lost, value: 7 }] }],
    ['a value that is too long', { v2: [{ ...lost, value: 'very long red' }] }],
    ['a field that the schema does not have', { v2: [{ path: ['spec', 'b'], value: 1 }] }],
    ['a value that is there already', { v2: [{ path: ['spec', 'seconds'], value: 7 }] }],
    ['an index below zero', { v2: [{ ...lost, at: -1 }] }],
    ['a version that the kind does not have', { v9: [lost] }],
  ])('restores nothing if it has %s', (_title, value) => {
    const { spec, metadata, kind } = shops.convert(noted(value), 'v2');
    expect({ spec, kind, name: metadata?.name }).toEqual({
      spec: { seconds: 5 },
      kind: 'Shop',
      name: 'b',
    });
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  test('cannot remove a required field', () => {
    const { base } = (note(shops.convert(v1({ every: '2m' }), 'v2')) as Kept)['v1']?.[0] ?? {};
    const stored = {
      ...noted({ v1: [{ path: ['spec', 'every'], base }] }),
      ...v2({ seconds: 120 }),
    };
    expect(shops.convert(stored, 'v1').spec.every).toBe('120s');
  });

  test('has __proto__ as an ordinary member', () => {
    const notes = JSON.parse('{"__proto__":"x","constructor":"y"}') as Record<string, string>;
    expect(Object.hasOwn(written(v2({ notes })).spec.notes ?? {}, '__proto__')).toBe(true);
    const path = ['spec', '__proto__', 'polluted'];
    shops.convert(noted({ v2: [{ path, value: true }], __proto__: [lost] }), 'v2');
    shops.convert(noted('{"__proto__":[{"path":["spec","colour"],"value":"red"}]}'), 'v2');
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  test('is dropped if a value is nested too deeply', () => {
    const deep = '['.repeat(20_000) + ']'.repeat(20_000);
    const value = `{"v2":[{"path":["spec","colour"],"value":${deep}}]}`;
    expect(shops.convert(noted(value), 'v2').spec).toEqual({ seconds: 5 });
  });
});

type Kept = Readonly<Record<string, readonly { readonly base?: string }[] | undefined>>;

describe('random objects', () => {
  const names = fc.constantFrom('a', 'b', 'c', '__proto__', 'constructor');
  const maybe = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
    fc.option(value, { nil: undefined });
  const specs = fc
    .record({
      seconds: fc.nat(200),
      colour: maybe(fc.string({ maxLength: 9 })),
      notes: maybe(fc.dictionary(names, fc.string())),
      hours: maybe(fc.array(fc.nat(9), { maxLength: 3 })),
      ports: maybe(
        fc.uniqueArray(fc.record({ name: names, number: maybe(fc.nat(9)), hint: maybe(names) }), {
          selector: ({ name }) => name,
        }),
      ),
    })
    .map((spec) => v2(JSON.parse(JSON.stringify(spec)) as V2['spec']));

  test('return unchanged', () => {
    fc.assert(
      fc.property(specs, (object) => {
        expect(written(object)).toEqual(object);
      }),
      { numRuns: Math.ceil(1000 * multiple) },
    );
  });

  test('are valid in both versions after any change of a client', () => {
    const changes = fc.record({ every: fc.constantFrom('5s', '2m'), first: maybe(fc.nat(9)) });
    fc.assert(
      fc.property(specs, changes, (object, { every, first }) => {
        const stored = written(object, ({ spec }) => {
          spec.every = every;
          if (first === undefined) delete spec.first;
          else spec.first = first;
        });
        expect(() => shops.parse(stored)).not.toThrow();
        expect(stored.spec.seconds).toBe(every === '2m' ? 120 : 5);
        expect(stored.spec.hours?.[0]).toBe(first);
        const again = shops.convert(stored, 'v1');
        expect(again.spec.every).toBe(every);
        expect(() => shops.versions.v1.parse(again)).not.toThrow();
      }),
      { numRuns: Math.ceil(1000 * multiple) },
    );
  });
});
