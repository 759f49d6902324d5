import { describe, expect, test } from '@jest/globals';
import {
  cloneJson,
  defaultValues,
  dropNulls,
  PatternMatcher,
  unknownMembers,
  validateValue,
  type JsonSchema,
  type JsonValue,
} from '@keelson/structural-schema';
import * as fc from 'fast-check';
import { compareSchemas } from './compare-schemas.ts';

const text: JsonSchema = { type: 'string' };
const integer: JsonSchema = { type: 'integer' };
const anything: JsonSchema = { 'x-kubernetes-preserve-unknown-fields': true };
const keyed = (...keys: string[]): JsonSchema => ({
  type: 'array',
  items: { type: 'object', properties: { a: text, b: text }, required: ['a', 'b'] },
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': keys,
});
const ruled = (...rules: string[]): JsonSchema => ({
  ...integer,
  'x-kubernetes-validations': rules.map((rule) => ({ rule })),
});

/** The share of the random runs: a tenth in `npm test`, all in `.ci/run`. */
const multiple = Number(process.env['KEELSON_RUNS'] ?? 1);

/** The changes of a field `a`, as `path: reason (what breaks)`. */
function changes(before: JsonSchema, after: JsonSchema): string[] {
  const within = (a: JsonSchema): JsonSchema => ({ type: 'object', properties: { a } });
  return compareSchemas(within(before), within(after)).map(
    ({ path, reason, breaks }) => `${path}: ${reason} (${breaks.join(', ')})`,
  );
}

describe('compareSchemas', () => {
  test.each<[string, JsonSchema, JsonSchema]>([
    ['a description', text, { ...text, description: 'x' } as JsonSchema],
    ['wider limits', { ...text, minLength: 2, maxLength: 3 }, { ...text, minLength: 1 }],
    ['limits of items beside a text', text, { ...text, minItems: 1, maxItems: 0 }],
    ['a condition that is removed', { ...text, pattern: 'a', format: 'email' }, text],
    ['a new default', text, { ...text, default: 'x' }],
    ['a new field', { type: 'object' }, { type: 'object', properties: { b: text } }],
    [
      'a new required field with a default',
      { type: 'object' },
      { type: 'object', properties: { b: { ...text, default: 'x' } }, required: ['b'] },
    ],
    [
      'a map that keeps everything',
      { type: 'object', additionalProperties: text },
      { type: 'object', ...anything },
    ],
    ['a rule that is removed', ruled('self > 1', 'self > 2'), ruled('self > 2')],
  ])('accepts %s', (_title, before, after) => {
    expect(changes(before, after)).toEqual([]);
  });

  test.each<[JsonSchema, JsonSchema, string]>([
    [text, integer, 'a: the type changes from string to integer (objects, clients)'],
    [integer, { type: 'number' }, 'a: the type changes from integer to number (clients)'],
    [
      integer,
      { 'x-kubernetes-int-or-string': true },
      'a: the type changes from integer to int-or-string (clients)',
    ],
    [anything, text, 'a: the type changes from any to string (objects, clients)'],
    [text, anything, 'a: the type changes from string to any (clients)'],
    [text, { ...text, minLength: 1 }, 'a: minLength rises to 1 (objects, clients)'],
    [
      { ...integer, maximum: 3 },
      { ...integer, maximum: 2 },
      'a: maximum falls to 2 (objects, clients)',
    ],
    [
      { ...integer, minimum: 1 },
      { ...integer, minimum: 1, exclusiveMinimum: true },
      'a: exclusiveMinimum is set (objects, clients)',
    ],
    [text, { ...text, pattern: 'a' }, 'a: pattern is added (objects, clients)'],
    [
      { ...text, format: 'ipv4' },
      { ...text, format: 'ipv6' },
      'a: format changes (objects, clients)',
    ],
    [text, { ...text, enum: ['x'] }, 'a: enum is added (objects, clients)'],
    [
      { ...text, enum: ['x', 'y'] },
      { ...text, enum: ['x'] },
      'a: enum loses "y" (objects, clients)',
    ],
    [{ ...text, enum: ['x'] }, { ...text, enum: ['x', 'y'] }, 'a: enum gains "y" (clients)'],
    [{ ...text, enum: ['x'] }, text, 'a: enum is removed (clients)'],
    [{ ...text, nullable: true }, text, 'a: null is not accepted now (objects, clients)'],
    [text, { ...text, nullable: true }, 'a: may be null (clients)'],
    [{ ...text, default: 'x' }, { ...text, default: 'y' }, 'a: the default changes (clients)'],
    [{ ...text, default: 'x' }, text, 'a: the default is removed (clients)'],
    [
      { type: 'object', additionalProperties: text },
      { type: 'object', properties: { b: text } },
      'a[*]: the server drops unknown members now (objects, clients)',
    ],
    [
      { type: 'object', additionalProperties: text },
      { type: 'object', additionalProperties: integer },
      'a[*]: the type changes from string to integer (objects, clients)',
    ],
    [
      { type: 'array', items: text },
      { type: 'array', items: { ...text, maxLength: 1 } },
      'a[]: maxLength falls to 1 (objects, clients)',
    ],
    [
      { type: 'array', items: text },
      { type: 'array', items: text, 'x-kubernetes-list-type': 'set' },
      'a: the list type changes from atomic to set, and so does server-side apply (objects, clients)',
    ],
    [keyed('a'), keyed('b'), 'a: the keys of the list change (objects, clients)'],
    [
      { type: 'object' },
      { type: 'object', 'x-kubernetes-map-type': 'atomic' },
      'a: the map type changes from granular to atomic (clients)',
    ],
    [integer, ruled('self > 1'), 'a: a rule is added: self > 1 (objects, clients)'],
    [integer, ruled('self == oldSelf'), 'a: a rule is added: self == oldSelf (clients)'],
    [text, { ...text, not: { enum: ['x'] } }, 'a: not is added (objects, clients)'],
    [
      { type: 'object', properties: { b: text }, required: ['b'] },
      { type: 'object', properties: { b: text } },
      'a.b: becomes optional (clients)',
    ],
  ])('%j → %j', (before, after, expected) => {
    expect(changes(before, after)).toEqual([expected]);
  });

  test('a value that the old schema accepts stays valid and whole unless a change is reported', () => {
    const samples = fc.array(values, { minLength: 10, maxLength: 10 });
    fc.assert(
      fc.property(
        schemas,
        fc.array(edits, { maxLength: 2 }),
        samples,
        (before, changed, objects) => {
          const after = changed.reduce(edited, before);
          fc.pre([before, after].every(hasValidDefaults));
          const found = compareSchemas(before, after);
          if (found.some(({ breaks }) => breaks.includes('objects'))) return;
          for (const object of objects) {
            const stored = completed(before, object);
            if (problems(before, stored) > 0) continue;
            expect(problems(after, completed(after, stored))).toBe(0);
          }
        },
      ),
      { numRuns: Math.ceil(200 * multiple) },
    );
  });
});

/** One keyword of one part of a schema that changes. */
interface Edit {
  readonly part: number;
  readonly keywords: JsonSchema;
}

function edited(schema: JsonSchema, { part, keywords }: Edit): JsonSchema {
  const copy = cloneJson(schema);
  const parts = partsOf(copy);
  Object.assign(parts[part % parts.length] ?? {}, cloneJson(keywords));
  return copy;
}

function hasValidDefaults(schema: JsonSchema): boolean {
  return partsOf(schema).every(
    (part) => part.default === undefined || problems(part, part.default) === 0,
  );
}

function partsOf(schema: JsonSchema): JsonSchema[] {
  const { properties = {}, additionalProperties, items } = schema;
  const inner = [...Object.values(properties), additionalProperties, items];
  return [schema, ...inner.flatMap((each) => (typeof each === 'object' ? partsOf(each) : []))];
}

function completed(schema: JsonSchema, value: JsonValue): JsonValue {
  const copy = cloneJson(value);
  dropNulls(schema, copy);
  defaultValues(schema, copy);
  return copy;
}

function problems(schema: JsonSchema, value: JsonValue): number {
  const causes = validateValue(schema, value, '', new PatternMatcher());
  return causes.length + unknownMembers(schema, value, '').length;
}

const scalars: fc.Arbitrary<JsonSchema> = fc.oneof(
  fc.record(
    {
      type: fc.constant('string'),
      maxLength: fc.constantFrom(1, 2),
      enum: fc.subarray(['x', 'yy', 'z'], { minLength: 1 }),
      nullable: fc.boolean(),
      default: fc.constant('x'),
    },
    { requiredKeys: ['type'] },
  ),
  fc.record(
    {
      type: fc.constantFrom('integer', 'number'),
      minimum: fc.constantFrom(0, 1),
      exclusiveMinimum: fc.boolean(),
    },
    { requiredKeys: ['type'] },
  ),
  fc.constant({ 'x-kubernetes-int-or-string': true }),
  fc.constant(anything),
);

const { schemas } = fc.letrec<{ schemas: JsonSchema; inner: JsonSchema }>((tie) => ({
  inner: fc.oneof({ depthSize: 'small', withCrossShrink: true }, scalars, tie('schemas')),
  schemas: fc.oneof(
    fc.record(
      {
        type: fc.constant('object'),
        properties: fc.dictionary(fc.constantFrom('a', 'b'), tie('inner')),
        'x-kubernetes-preserve-unknown-fields': fc.constant(true),
        required: fc.subarray(['a', 'b']),
      },
      { requiredKeys: ['type', 'properties'] },
    ),
    fc.record({ type: fc.constant('object'), additionalProperties: tie('inner') }),
    fc.record(
      { type: fc.constant('array'), items: tie('inner'), maxItems: fc.constantFrom(1, 2) },
      { requiredKeys: ['type', 'items'] },
    ),
  ),
}));

/** Undefined removes a keyword. */
const edits: fc.Arbitrary<Edit> = fc.record({
  part: fc.nat(5),
  keywords: fc.constantFrom<object[]>(
    { required: ['a'] },
    { required: [] },
    { maxLength: 1 },
    { maxLength: undefined },
    { enum: ['x'] },
    { enum: undefined },
    { nullable: true },
    { nullable: false },
    { default: 'x' },
    { default: undefined },
    { minimum: 0, exclusiveMinimum: true },
    { minimum: undefined },
    { type: 'number' },
    { type: undefined, 'x-kubernetes-int-or-string': true },
    { maxItems: 1 },
    { properties: { a: text } },
    { properties: undefined, additionalProperties: text },
    anything,
    { 'x-kubernetes-preserve-unknown-fields': undefined },
  ),
});

const { values } = fc.letrec<{ values: JsonValue; inner: JsonValue }>((tie) => ({
  inner: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom<JsonValue[]>('x', 'yy', 'z', 0, 1, 1.5, null, true),
    tie('values'),
  ),
  values: fc.oneof(
    fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('inner')),
    fc.array(tie('inner'), { maxLength: 2 }),
  ),
}));
