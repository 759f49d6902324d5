import { describe, expect, test } from '@jest/globals';
import { crdKindSchema } from './crd-kind-schema.ts';

const item = {
  type: 'object',
  properties: { key: { type: 'string' }, value: { type: 'string', pattern: '^[a-z]+$' } },
};
const schema = crdKindSchema({
  group: 'example.com',
  version: 'v1',
  kind: 'Ratchet',
  hasStatus: false,
  scale: undefined,
  schema: {
    type: 'object',
    properties: {
      other: { type: 'string' },
      text: { type: 'string', maxLength: 3 },
      small: { type: 'integer', format: 'int32' },
      set: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
      atomic: { type: 'array', items: item },
      map: {
        type: 'array',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['key'],
        items: item,
      },
    },
  },
});

const metadata = { name: 'r', uid: 'u', resourceVersion: '1' };
const old = {
  metadata,
  text: 'too long',
  set: ['a', 'a'],
  atomic: [{ key: 'one', value: 'BAD' }],
  map: [
    { key: 'one', value: 'BAD' },
    { key: 'two', value: 'good' },
  ],
};

function fieldsOf(change: object): (string | undefined)[] {
  const next = structuredClone({ ...old, ...change });
  return schema.validate(next, structuredClone(old)).map(({ field }) => field);
}

describe('ratcheting', () => {
  test.each<[string, object, string[]]>([
    ['keeps an invalid value in an unchanged field', { other: 'x' }, []],
    ['rejects a changed value that is invalid in the same way', { text: 'too LONG' }, ['text']],
    [
      'matches items of a keyed list in any order',
      {
        map: [
          { key: 'two', value: 'good' },
          { key: 'one', value: 'BAD' },
        ],
      },
      [],
    ],
    [
      'validates new items of a keyed list',
      { map: [{ key: 'three', value: 'BAD' }] },
      ['map[0].value'],
    ],
    [
      'validates the items of an atomic list if the list changes',
      {
        atomic: [
          { key: 'one', value: 'BAD' },
          { key: 'two', value: 'good' },
        ],
      },
      ['atomic[0].value'],
    ],
    ['keeps duplicates of a set that already had duplicates', { set: ['a', 'a', 'b'] }, []],
  ])('%s', (_title, change, fields) => {
    expect(fieldsOf(change)).toEqual(fields);
  });
});

test.each([
  [2 ** 31 - 1, []],
  [2 ** 31, ['<nil>']],
  [-(2 ** 31) - 1, ['<nil>']],
])('an int32 of %d is validated against its bounds', (small, fields) => {
  const causes = schema.validate({ metadata, small } as object);
  expect(causes.map(({ field }) => field)).toEqual(fields);
});
