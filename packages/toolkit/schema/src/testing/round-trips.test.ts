import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import * as z from 'zod';
import { defineKind } from '../definition/define-kind.ts';
import { roundTrips, type RoundTripOptions, type TestedKind } from './round-trips.ts';

const multiple = Number(process.env['KEELSON_RUNS'] ?? 1);

const names = { group: 'shop.example', kind: 'Timer', plural: 'timers' } as const;
const seconds = {
  type: 'object',
  required: ['seconds'],
  properties: {
    seconds: { type: 'integer', minimum: 1, maximum: 999_999 },
    zone: { type: 'string' },
  },
} as const;
const every = {
  type: 'object',
  required: ['every'],
  properties: {
    every: { type: 'string', pattern: '^([1-9][0-9]{0,5}s|[1-9][0-9]{0,3}m)$' },
    zone: { type: 'string' },
  },
} as const;
const versions = { v1: { spec: seconds }, v1beta1: { spec: every } } as const;

interface V1 {
  readonly spec: { seconds: number; zone?: string };
}

interface Beta {
  readonly spec: { every: string; zone?: string };
}

function toHub({ spec: { every: text, ...others } }: Beta): V1 {
  const count = Number.parseInt(text, 10);
  return { spec: { ...others, seconds: text.endsWith('m') ? count * 60 : count } };
}

function fromHub({ spec: { seconds: count, ...others } }: V1): Beta {
  const text = count % 60 === 0 && count <= 599_940 ? `${count / 60}m` : `${count}s`;
  return { spec: { ...others, every: text } };
}

const sound = defineKind({
  ...names,
  versions,
  convert: {
    hub: 'v1',
    from: { v1beta1: toHub },
    to: { v1beta1: fromHub },
    keep: { annotation: 'shop.example/kept-fields' },
  },
});

function broken(functions: { from?: (object: Beta) => V1; to?: (object: V1) => Beta }): TestedKind {
  const { from = toHub, to = fromHub } = functions;
  return defineKind({
    ...names,
    versions,
    convert: { hub: 'v1', from: { v1beta1: from }, to: { v1beta1: to } },
  });
}

/** Returns the facts of the failure. */
function failureOf(
  kind: TestedKind,
  options: RoundTripOptions = {},
): Readonly<Record<string, unknown>> {
  try {
    roundTrips(kind, { runs: 300, ...options });
  } catch (error) {
    const { code, facts, message } = error as {
      readonly code: string;
      readonly facts: Readonly<Record<string, unknown>>;
      readonly message: string;
    };
    expect(message).toContain(String(facts['object'] ?? facts['reason']));
    return { code, ...facts };
  }
  throw new Error('the kind has passed');
}

describe('roundTrips', () => {
  test('accepts conversions that lose nothing', () => {
    expect(() => roundTrips(sound, { runs: Math.ceil(1000 * multiple) })).not.toThrow();
  });

  test('finds a lost field, and reports the smallest object that has it', () => {
    const kind = broken({ to: ({ spec }) => ({ spec: { every: `${spec.seconds}s` } }) });
    const objects = { v1beta1: fc.constant({ spec: { every: '5s' } }) };
    const failure = failureOf(kind, { seed: 1, objects });
    expect(failure).toMatchObject({
      code: 'ROUND_TRIP_FAILED',
      kind: 'Timer',
      seed: 1,
      reason: 'spec.zone differs after the way back',
    });
    const { spec } = JSON.parse(String(failure['object'])) as { spec: { zone: string } };
    expect(spec.zone).toHaveLength(0);
    expect(failure['returned']).not.toContain('zone');
  });

  test.each(['constructor', '__proto__'])('names a lost field %s', (field) => {
    const inner = { type: 'object', properties: { a: { type: 'string' } } } as const;
    const spec = { type: 'object', properties: { [field]: inner } } as const;
    const kind = defineKind({
      ...names,
      versions: { v1: { spec }, v1beta1: { spec } },
      convert: {
        hub: 'v1',
        from: { v1beta1: () => ({ spec: {} }) },
        to: { v1beta1: (hub) => hub },
      },
    });
    expect(failureOf(kind)['reason']).toMatch(`spec.${field} differs after the way back`);
  });

  test('finds the same failure again by its seed', () => {
    const kind = broken({ to: ({ spec }) => ({ spec: { every: `${spec.seconds}s` } }) });
    const failure = failureOf(kind);
    expect(failureOf(kind, { seed: Number(failure['seed']) })).toEqual(failure);
  });

  test('finds lost labels and annotations', () => {
    const kind = broken({ to: (hub) => ({ ...fromHub(hub), metadata: {} }) });
    expect(failureOf(kind)['reason']).toMatch(/^metadata\.(labels|annotations) differs/);
  });

  test.each<[string, TestedKind, string]>([
    [
      'throws',
      broken({
        from({ spec }) {
          if (spec.every === '7s') throw new TypeError('seven');
          return toHub({ spec });
        },
      }),
      'seven',
    ],
    [
      'is invalid',
      broken({ to: ({ spec }) => ({ spec: { every: `${spec.seconds}h` } }) }),
      'spec.every',
    ],
  ])('finds a conversion that %s', (_title, kind, reason) => {
    const objects = {
      v1: fc.constantFrom(6, 7).map((count) => ({ spec: { seconds: count } })),
      v1beta1: fc.constantFrom('6s', '7s').map((text) => ({ spec: { every: text } })),
    };
    expect(failureOf(kind, { objects })).toMatchObject({
      code: 'ROUND_TRIP_FAILED',
      reason: expect.stringContaining(reason),
    });
  });

  test('compares by `equal` what may be written in several ways', () => {
    const kind = broken({});
    const objects = {
      v1beta1: fc.constantFrom('60s', '1m').map((text) => ({ spec: { every: text } })),
    };
    expect(failureOf(kind, { objects })).toMatchObject({ from: 'v1beta1', to: 'v1' });
    const count = (object: object): number => {
      const { spec } = object as V1 & Beta;
      return spec.seconds ?? toHub({ spec }).spec.seconds;
    };
    expect(() =>
      roundTrips(kind, { objects, equal: (before, after) => count(before) === count(after) }),
    ).not.toThrow();
  });

  test('reports a schema from which no valid object is generated, and takes objects instead', () => {
    const rules = [{ rule: 'self.seconds == 4711', message: 'must be 4711' }];
    const kind = defineKind({
      ...names,
      versions: {
        v1: { spec: { ...seconds, 'x-kubernetes-validations': rules } },
        v1beta1: { spec: every },
      },
      convert: { hub: 'v1', from: { v1beta1: toHub }, to: { v1beta1: fromHub } },
    });
    const objects = { v1beta1: fc.constant({ spec: { every: '4711s' } }) };
    expect(failureOf(kind, { objects })).toMatchObject({
      code: 'OBJECTS_NOT_GENERATED',
      kind: 'Timer',
      version: 'v1',
      reason: expect.stringContaining('must be 4711'),
    });
    const both = { ...objects, v1: fc.constant({ spec: { seconds: 4711 } }) };
    expect(() => roundTrips(kind, { objects: both })).not.toThrow();
  });

  test('reports a pattern from which no text is generated', () => {
    const spec = {
      type: 'object',
      properties: { name: { type: 'string', pattern: '^(?i)a$' } },
    } as const;
    const same = { v1beta1: (object: { spec: { name?: string } }) => object };
    const kind = defineKind({
      ...names,
      versions: { v1: { spec }, v1beta1: { spec } },
      convert: { hub: 'v1', from: same, to: same },
    });
    expect(failureOf(kind)).toMatchObject({
      code: 'OBJECTS_NOT_GENERATED',
      path: '.spec.name',
      pattern: '^(?i)a$',
    });
  });

  test('generates valid objects from every keyword', () => {
    const spec = {
      type: 'object',
      required: ['text'],
      properties: {
        text: { type: 'string', minLength: 2, maxLength: 3 },
        code: { type: 'string', pattern: '^[a-z]+$', maxLength: 4, nullable: true },
        time: { type: 'string', format: 'date-time' },
        day: { type: 'string', format: 'date' },
        bytes: { type: 'string', format: 'byte' },
        id: { type: 'string', format: 'uuid' },
        address: { type: 'string', format: 'ipv4' },
        six: { type: 'string', format: 'ipv6' },
        range: { type: 'string', format: 'cidr' },
        mail: { type: 'string', format: 'email' },
        host: { type: 'string', format: 'hostname' },
        uri: { type: 'string', format: 'uri' },
        lasts: { type: 'string', format: 'duration' },
        level: { type: 'string', enum: ['low', 'high'] },
        step: { type: 'integer', minimum: 5, maximum: 100, multipleOf: 5, exclusiveMinimum: true },
        small: { type: 'integer', format: 'int32' },
        share: { type: 'number', minimum: 0, maximum: 1, exclusiveMaximum: true },
        on: { type: 'boolean' },
        target: { 'x-kubernetes-int-or-string': true },
        set: {
          type: 'array',
          'x-kubernetes-list-type': 'set',
          items: { type: 'integer' },
          minItems: 1,
        },
        ports: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['name'],
          maxItems: 3,
          items: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } },
        },
        labels: {
          type: 'object',
          additionalProperties: { type: 'string' },
          minProperties: 1,
          maxProperties: 2,
        },
        open: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        template: {
          type: 'object',
          'x-kubernetes-embedded-resource': true,
          'x-kubernetes-preserve-unknown-fields': true,
        },
      },
    } as const;
    const status = { type: 'object', properties: { ready: { type: 'boolean' } } } as const;
    const seen = new Set<string>();
    const same = <T extends { readonly spec: object }>(object: T): T => {
      for (const name of Object.keys(object.spec)) seen.add(name);
      return object;
    };
    const kind = defineKind({
      ...names,
      versions: { v1: { spec, status }, v2: { spec, status } },
      convert: { hub: 'v2', from: { v1: same }, to: { v1: same } },
    });
    expect(() => roundTrips(kind)).not.toThrow();
    expect([...seen].toSorted()).toEqual(Object.keys(spec.properties).toSorted());
  });

  test('accepts schemas of libraries', () => {
    const source = z.discriminatedUnion('type', [
      z.object({ type: z.literal('git'), url: z.string() }),
      z.object({ type: z.literal('none') }),
    ]);
    const spec = z.object({ source, size: z.int().min(1).max(9).default(3) });
    const kind = defineKind({
      ...names,
      versions: { v1: { spec }, v2: { spec } },
      convert: {
        hub: 'v2',
        from: { v1: (object) => object },
        to: { v1: (object) => object },
      },
    });
    expect(() => roundTrips(kind)).not.toThrow();
  });

  test.each<[string, unknown, object, string]>([
    ['a kind with one version', defineKind({ ...names, version: 'v1', spec: every }), {}, 'kind'],
    ['nothing', undefined, {}, 'kind'],
    ['no runs', sound, { runs: 0 }, 'runs'],
    ['a seed', sound, { seed: 'a' }, 'seed'],
    ['objects of another version', sound, { objects: { v2: fc.anything() } }, 'objects.v2'],
    ['objects without a generator', sound, { objects: { v1: {} } }, 'objects.v1.generate'],
    ['a comparison', sound, { equal: true }, 'equal'],
    ['an unknown option', sound, { numRuns: 5 }, 'numRuns'],
  ])('refuses %s', (_title, kind, options, option) => {
    expect(() => roundTrips(kind as TestedKind, options)).toThrow(
      expect.objectContaining({
        code: 'INVALID_OPTION',
        facts: expect.objectContaining({ option: `roundTrips.${option}` }),
      }),
    );
  });
});
