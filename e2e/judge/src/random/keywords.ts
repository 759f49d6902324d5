import * as fc from 'fast-check';
import { mostly, type RandomMembers } from './member.ts';
import { anyValue, integers, numbers } from './value.ts';

/** The types of JSON schemas. */
export const types: fc.Arbitrary<string> = fc.constantFrom(
  'string',
  'integer',
  'number',
  'boolean',
  'object',
  'array',
);

const counts = mostly(fc.integer({ min: 0, max: 4 }), 5, fc.constantFrom(-1, 2 ** 31, 2 ** 53));

const limits = fc.oneof(integers, numbers);

/** Formats of strings, with one that is unknown. */
export const stringFormats: fc.Arbitrary<string> = fc.constantFrom(
  'date',
  'date-time',
  'datetime',
  'duration',
  'email',
  'hostname',
  'ipv4',
  'ipv6',
  'cidr',
  'mac',
  'uri',
  'uuid',
  'uuid3',
  'uuid4',
  'uuid5',
  'isbn',
  'isbn10',
  'isbn13',
  'creditcard',
  'ssn',
  'hexcolor',
  'rgbcolor',
  'byte',
  'password',
  'bsonobjectid',
  'k8s-short-name',
  'k8s-long-name',
  'ip-v4',
  'unknown',
);

const numberFormats = fc.constantFrom(
  'int32',
  'int64',
  'uint32',
  'float',
  'double',
  'float32',
  'float64',
);

const formats = fc.oneof(
  { arbitrary: stringFormats, weight: 3 },
  { arbitrary: numberFormats, weight: 2 },
);

/** Patterns of RE2, some of which JavaScript reads otherwise or neither can read. */
export const patterns: fc.Arbitrary<string> = mostly(
  fc.constantFrom(
    '^[a-z]+$',
    '^.$',
    '^\\s+$',
    '^\\S*$',
    '^a|b$',
    '^\\w{1,3}$',
    '^\\d+$',
    '^[^a]$',
    '(?i)^abc$',
    '^\\pL+$',
    '^(?:a.c)?$',
    '^[[:alpha:]]+$',
    '\\bA\\b',
    '^\\x{1F600}$',
    '^a{2,}$',
    '',
    '^$',
    '(?s)^.*$',
    '(?m)^b$',
    '^[\\s\\S]$',
    '\\Aab\\z',
    '^\\p{Letter}+$',
    '^\\p{lu}$',
    '^\\p{uppercase-letter}?$',
    '^[\\pn\\P{digit}]*$',
    '^\\p{ASCII}+$',
    '^\\p{^Greek}$',
    '^[[:]$',
    '(?P<n>a)|(?P<n>b)',
  ),
  6,
  fc.constantFrom(
    '(',
    '(?=a)',
    '\\1',
    '(?<n>a)',
    'a{1001}',
    '[',
    '\\u0041',
    '(?<!a)b',
    'a**',
    '\\cA',
    '\\p{Emoji}',
    '\\p{Lowercase}',
    '\\p{White_Space}',
    '\\p{Old_Italic}',
    '\\p{sc=Greek}',
    '\\p{}',
  ),
);

/** Keywords that restrict values. Each is also put where it has no effect. */
export const restrictions: RandomMembers = {
  format: [9, formats],
  enum: [8, fc.array(anyValue, { minLength: 0, maxLength: 4 })],
  pattern: [6, patterns],
  minLength: [6, counts],
  maxLength: [6, counts],
  minimum: [8, limits],
  maximum: [8, limits],
  exclusiveMinimum: [5, fc.boolean()],
  exclusiveMaximum: [5, fc.boolean()],
  multipleOf: [6, limits],
  minItems: [5, counts],
  maxItems: [5, counts],
  minProperties: [5, counts],
  maxProperties: [5, counts],
  uniqueItems: [1, fc.boolean()],
};

/** Keywords without an effect. */
export const notes: RandomMembers = {
  description: [5, fc.constantFrom('text', '')],
  title: [2, fc.constant('title')],
  example: [2, anyValue],
  externalDocs: [1, fc.constant({ url: 'https://example.com' })],
};

/** Keywords that a definition must not have, or only in some places. */
export const refused: RandomMembers = {
  $ref: [0.3, fc.constantFrom('#/a', '')],
  id: [0.3, fc.constantFrom('x', '')],
  $schema: [0.3, fc.constant('x')],
  definitions: [0.3, fc.constantFrom({}, { a: { type: 'string' } })],
  dependencies: [0.3, fc.constant({ a: ['b'] })],
  patternProperties: [0.3, fc.constantFrom({}, { a: { type: 'string' } })],
  additionalItems: [0.3, fc.constantFrom(true, false)],
  'x-unknown': [1, fc.constant(true)],
};
