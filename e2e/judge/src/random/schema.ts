import * as fc from 'fast-check';
import type { JsonSchema } from '@keelson/structural-schema';
import { notes, refused, restrictions, types } from './keywords.ts';
import { members, mostly, type RandomMembers } from './member.ts';
import { rulesOf } from './rules.ts';
import { anyValue, texts } from './value.ts';

const names = fc.constantFrom('a', 'b', 'c', 'name', 'spec', 'x-y', 'kind', 'metadata');

const listTypes = mostly(fc.constantFrom('atomic', 'set', 'map'), 3, fc.constantFrom('bag', ''));

function extensionsOf(percent: number): RandomMembers {
  return {
    'x-kubernetes-preserve-unknown-fields': [
      percent,
      mostly(fc.constant(true), 10, fc.constant(false)),
    ],
    'x-kubernetes-embedded-resource': [percent, mostly(fc.constant(true), 20, fc.constant(false))],
    'x-kubernetes-int-or-string': [percent, mostly(fc.constant(true), 20, fc.constant(false))],
    'x-kubernetes-list-type': [percent / 2, listTypes],
    'x-kubernetes-list-map-keys': [percent / 4, fc.array(names, { maxLength: 2 })],
    'x-kubernetes-map-type': [
      percent / 2,
      mostly(fc.constantFrom('atomic', 'granular'), 5, fc.constant('x')),
    ],
  };
}

/** Schemas of a value: most are structural, some are refused for one keyword. */
export function randomSchema(depth: number): fc.Arbitrary<JsonSchema> {
  return mostly(types, 3, fc.constantFrom('null', 'file', ''))
    .chain((type) => schemaOfType(type, depth))
    .chain((schema) =>
      members({ wrong: [3, fc.constant(true)] }).map(({ wrong }) =>
        wrong ? without(schema, 'type') : schema,
      ),
    );
}

function schemaOfType(type: string, depth: number): fc.Arbitrary<JsonSchema> {
  const own = members({
    ...restrictions,
    ...notes,
    ...refused,
    ...extensionsOf(3),
    ...junctorsOf(depth),
    'x-kubernetes-validations': [8, rulesOf(type)],
    nullable: [12, mostly(fc.constant(true), 20, fc.constant(false))],
    default: [10, anyValue],
    required: [type === 'object' ? 20 : 2, fc.array(names, { maxLength: 2 })],
    ...(type !== 'object' && {
      properties: [1, fc.constant({})],
      items: [type === 'array' ? 0 : 1, fc.constant({ type: 'string' })],
    }),
  });
  const parts = depth > 0 ? partsOf(type, depth - 1) : leafOf(type);
  return fc.tuple(own, parts).map(([keywords, inner]) => ({ type, ...keywords, ...inner }));
}

/** The members that a type needs at the greatest depth. */
function leafOf(type: string): fc.Arbitrary<object> {
  if (type === 'array') return fc.constant({ items: { type: 'string' } });
  if (type === 'object') return fc.constant({ additionalProperties: { type: 'integer' } });
  return fc.constant({});
}

function partsOf(type: string, depth: number): fc.Arbitrary<object> {
  if (type === 'array') return mostly(arrayParts(depth), 4, fc.constant({}));
  return type === 'object' ? objectParts(depth) : fc.constant({});
}

function arrayParts(depth: number): fc.Arbitrary<object> {
  const plain = randomSchema(depth).map((items) => ({ items }));
  const set = randomSchema(0).map((items) => ({ items, 'x-kubernetes-list-type': 'set' }));
  return fc.oneof(
    { arbitrary: plain, weight: 6 },
    { arbitrary: set, weight: 2 },
    { arbitrary: mapList, weight: 3 },
  );
}

const keySchema = members({ default: [40, texts], nullable: [4, fc.constant(true)] }).map(
  (more) => ({ type: 'string', ...more }),
);

/** Lists of objects with keys, whose rules go wrong in each part from time to time. */
const mapList = fc
  .tuple(
    keySchema,
    randomSchema(0),
    mostly(
      fc.constantFrom<string[]>(['a'], ['a', 'b'], ['b']),
      8,
      fc.constantFrom<string[]>([], ['c'], ['a', 'a']),
    ),
    mostly(
      fc.constantFrom<string[]>(['a'], ['a', 'b'], ['b']),
      20,
      fc.constantFrom<string[]>([], ['c']),
    ),
    members({
      nullable: [4, fc.constant(true)],
      'x-kubernetes-map-type': [3, fc.constant('atomic')],
    }),
  )
  .map(([a, b, keys, required, more]) => ({
    items: { type: 'object', properties: { a, b }, required, ...more },
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': keys,
  }));

function objectParts(depth: number): fc.Arbitrary<object> {
  const properties = propertiesOf(randomSchema(depth));
  const values = fc.oneof(
    { arbitrary: randomSchema(depth), weight: 4 },
    { arbitrary: fc.boolean(), weight: 1 },
  );
  return fc.oneof(
    { arbitrary: properties.map((found) => ({ properties: found })), weight: 8 },
    { arbitrary: values.map((found) => ({ additionalProperties: found })), weight: 3 },
    {
      arbitrary: fc
        .tuple(properties, values)
        .map(([own, rest]) => ({ properties: own, additionalProperties: rest })),
      weight: 1,
    },
    { arbitrary: fc.constant({ 'x-kubernetes-preserve-unknown-fields': true }), weight: 1 },
    {
      arbitrary: fc
        .tuple(properties, members({ default: [30, embeddedDefaults] }))
        .map(([found, more]) => ({
          properties: found,
          'x-kubernetes-embedded-resource': true,
          ...more,
        })),
      weight: 1,
    },
    { arbitrary: fc.constant({}), weight: 1 },
  );
}

const embeddedDefaults = members({
  name: [80, fc.constantFrom('a', 'A/b', '')],
  zz: [30, fc.constant(1)],
  creationTimestamp: [30, fc.constantFrom(null, '2020-01-01T00:00:00Z')],
  labels: [20, fc.constantFrom({}, { a: 'b' }, null)],
}).map((metadata) => ({ apiVersion: 'v1', kind: 'Pod', metadata }));

function propertiesOf(schema: fc.Arbitrary<JsonSchema>): fc.Arbitrary<Record<string, JsonSchema>> {
  return fc.dictionary(names, schema, { maxKeys: 4, noNullPrototype: true });
}

function junctorsOf(depth: number): RandomMembers {
  const part = restrictionAt(Math.min(depth, 1));
  const list = fc.array(part, { minLength: 0, maxLength: 3 });
  const intOrString = fc.constant<JsonSchema[]>([{ type: 'integer' }, { type: 'string' }]);
  return {
    allOf: [
      3,
      fc.oneof(
        list,
        intOrString.map((anyOf) => [{ anyOf }]),
      ),
    ],
    anyOf: [4, mostly(list, 15, intOrString)],
    oneOf: [4, list],
    not: [3, part],
  };
}

/** Schemas inside `allOf`, `anyOf`, `oneOf` and `not`, which may only restrict. */
function restrictionAt(depth: number): fc.Arbitrary<JsonSchema> {
  const inner =
    depth === 0
      ? fc.constant({})
      : fc.oneof(
          { arbitrary: fc.constant({}), weight: 4 },
          {
            arbitrary: propertiesOf(restrictionAt(depth - 1)).map((properties) => ({ properties })),
            weight: 2,
          },
          { arbitrary: restrictionAt(depth - 1).map((items) => ({ items })), weight: 1 },
        );
  const own = members({
    ...restrictions,
    ...extensionsOf(0.3),
    required: [15, fc.array(names, { minLength: 1, maxLength: 2 })],
    type: [1, types],
    default: [0.5, anyValue],
    nullable: [0.5, fc.boolean()],
    description: [0.5, fc.constantFrom('text', '')],
    title: [0.3, fc.constant('x')],
    additionalProperties: [0.7, fc.constantFrom<unknown>(true, false, { minLength: 1 })],
  });
  return fc.tuple(own, inner).map(([keywords, parts]) => ({ ...keywords, ...parts }));
}

function without(schema: JsonSchema, name: 'type'): JsonSchema {
  const { [name]: _, ...rest } = schema;
  return rest;
}
