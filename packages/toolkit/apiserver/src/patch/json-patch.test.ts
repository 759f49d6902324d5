import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { thrownStatus } from '../kinds/recorded.test-support.ts';
import { jsonPatch } from './json-patch.ts';
import type { JsonValue } from '@keelson/structural-schema';

const target: JsonValue = { a: { b: 1 }, list: ['x', 'y', 'z'], 'k/~': true };

const good: [string, JsonValue[], JsonValue][] = [
  ['add sets a member', [{ op: 'add', path: '/a/c', value: 2 }], { a: { b: 1, c: 2 } }],
  ['add replaces a member', [{ op: 'add', path: '/a/b', value: 2 }], { a: { b: 2 } }],
  [
    'add inserts an item',
    [{ op: 'add', path: '/list/1', value: 'n' }],
    { list: ['x', 'n', 'y', 'z'] },
  ],
  [
    'add appends at index -',
    [{ op: 'add', path: '/list/-', value: 'n' }],
    { list: ['x', 'y', 'z', 'n'] },
  ],
  [
    'add accepts the index after the last item',
    [{ op: 'add', path: '/list/3', value: 'n' }],
    { list: ['x', 'y', 'z', 'n'] },
  ],
  ['remove deletes a member', [{ op: 'remove', path: '/a/b' }], { a: {} }],
  ['remove deletes an item', [{ op: 'remove', path: '/list/0' }], { list: ['y', 'z'] }],
  [
    'remove counts a negative index from the end',
    [{ op: 'remove', path: '/list/-1' }],
    { list: ['x', 'y'] },
  ],
  [
    'replace changes an item',
    [{ op: 'replace', path: '/list/2', value: 'n' }],
    { list: ['x', 'y', 'n'] },
  ],
  [
    'replace sets a missing member',
    [{ op: 'replace', path: '/a/n', value: 1 }],
    { a: { b: 1, n: 1 } },
  ],
  [
    'move renames a member',
    [{ op: 'move', from: '/a/b', path: '/list/0' }],
    { a: {}, list: [1, 'x', 'y', 'z'] },
  ],
  [
    'copy duplicates a value',
    [{ op: 'copy', from: '/list', path: '/a/b' }],
    { a: { b: ['x', 'y', 'z'] } },
  ],
  ['test accepts an equal value', [{ op: 'test', path: '/list', value: ['x', 'y', 'z'] }], {}],
  ['test treats a missing member as null', [{ op: 'test', path: '/a/none', value: null }], {}],
  [
    'ignores a text before the first slash, as kube-apiserver does',
    [{ op: 'copy', from: 'x/a/b', path: 'x/a/c' }],
    { a: { b: 1, c: 1 } },
  ],
  ['escapes ~1 and ~0', [{ op: 'replace', path: '/k~1~0', value: false }], { 'k/~': false }],
];

const bad: [string, JsonValue[]][] = [
  ['an operation that is null', [null]],
  ['add of the whole document', [{ op: 'add', path: '', value: {} }]],
  ['a path without a slash', [{ op: 'add', path: 'a', value: 1 }]],
  ['move without from', [{ op: 'move', path: '/a/c' }]],
  ['copy without from', [{ op: 'copy', path: '/a/c' }]],
  ['test of an unequal value', [{ op: 'test', path: '/a/b', value: 2 }]],
  ['remove of a missing member', [{ op: 'remove', path: '/a/none' }]],
  ['remove of the document', [{ op: 'remove', path: '' }]],
  ['add below a missing member', [{ op: 'add', path: '/none/x', value: 1 }]],
  ['replace below a missing member', [{ op: 'replace', path: '/none/x', value: 1 }]],
  ['add below a scalar', [{ op: 'add', path: '/a/b/c', value: 1 }]],
  ['index beyond the end', [{ op: 'add', path: '/list/4', value: 1 }]],
  ['replace beyond the end', [{ op: 'replace', path: '/list/3', value: 1 }]],
  ['invalid index', [{ op: 'remove', path: '/list/x' }]],
  ['move from a missing member', [{ op: 'move', from: '/none', path: '/a/x' }]],
  ['pointer without slash', [{ op: 'add', path: 'a', value: 1 }]],
  ['unknown operation', [{ op: 'merge', path: '/a', value: 1 }]],
  ['operation without path', [{ op: 'add', value: 1 }]],
];

describe('jsonPatch', () => {
  test.each(good)('%s', (_name, operations, expected) => {
    expect(jsonPatch(target, operations)).toEqual({
      ...(target as object),
      ...(expected as object),
    });
  });

  test.each(bad)('%s is refused with 422 Invalid', (_name, operations) => {
    const status = thrownStatus(() => jsonPatch(target, operations));
    expect(status).toMatchObject({ code: 422, reason: 'Invalid' });
    expect(status?.message).toBe('the server rejected our request due to an error in our request');
  });

  test.each([
    ['-1', ['a', 'b', 'x']],
    ['-2', ['a', 'x', 'b']],
    ['-3', ['x', 'a', 'b']],
    ['-', ['a', 'b', 'x']],
    ['1', ['a', 'x', 'b']],
  ])('add inserts an item at index %s', (index, expected) => {
    const add = [{ op: 'add', path: `/${index}`, value: 'x' }];
    expect(jsonPatch(['a', 'b'], add)).toEqual(expected);
  });

  test('a failing operation leaves the target unchanged', () => {
    const before = structuredClone(target);
    expect(() =>
      jsonPatch(target, [
        { op: 'remove', path: '/a' },
        { op: 'remove', path: '/a' },
      ]),
    ).toThrow();
    expect(target).toEqual(before);
  });

  test.each([
    [{ op: 'add' }, 'cannot unmarshal object into Go value of type []handlers.jsonPatchOp'],
    [[1], 'cannot unmarshal number into Go value of type handlers.jsonPatchOp'],
  ] as [JsonValue, string][])('the body %j is no patch: 400', (body, message) => {
    const status = thrownStatus(() => jsonPatch(target, body));
    expect(status).toMatchObject({ code: 400, reason: 'BadRequest' });
    expect(status?.message).toContain(message);
  });

  test('copies that double their value are refused above 3 MiB', () => {
    const doubling = (count: number): JsonValue[] =>
      Array.from({ length: count }, () => ({ op: 'copy', from: '/a', path: '/a/c' }));
    const text = (count: number): number =>
      JSON.stringify(jsonPatch(target, doubling(count))).length;
    expect(text(100)).toBeGreaterThan(100);
    expect(thrownStatus(() => jsonPatch(target, doubling(9999)))?.code).toBe(422);
    const wide = Array.from({ length: 40 }, (_, at) => ({
      op: 'copy',
      from: '',
      path: `/a/${at}`,
    }));
    expect(thrownStatus(() => jsonPatch(target, wide))?.code).toBe(422);
  });

  test('more than 10 000 operations are refused with 413', () => {
    const operations = Array.from({ length: 10_001 }, () => ({
      op: 'test',
      path: '',
      value: null,
    }));
    expect(thrownStatus(() => jsonPatch(target, operations))?.code).toBe(413);
  });

  test('add of a member named __proto__ does not change the prototype', () => {
    const patched = jsonPatch({}, [{ op: 'add', path: '/__proto__', value: { polluted: true } }]);
    expect(Object.keys(patched as object)).toEqual(['__proto__']);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
    expect(() =>
      jsonPatch({}, [{ op: 'add', path: '/__proto__/polluted', value: true }]),
    ).toThrow();
  });

  test('property: adding and removing a new member restores the target', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.jsonValue(), (object, value) => {
        const key = 'a key that the dictionary cannot have'.repeat(2);
        const added = jsonPatch(object as JsonValue, [
          { op: 'add', path: `/${key}`, value: value as JsonValue },
        ]);
        expect(jsonPatch(added, [{ op: 'remove', path: `/${key}` }])).toEqual(object);
      }),
    );
  });
});
