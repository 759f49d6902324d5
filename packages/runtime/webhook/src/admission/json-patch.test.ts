import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { applyPatch } from 'rfc6902';
import { jsonPatch } from './json-patch.ts';

const multiple = Number(process.env['KEELSON_RUNS'] ?? 1);

/** A value of JSON, without the key `__proto__`, to which `applyPatch` does not add a member. */
const json = fc.jsonValue({ maxDepth: 4 }).map((value): unknown => {
  return JSON.parse(JSON.stringify(value).replaceAll('"__proto__"', '"proto"'));
});

describe('jsonPatch', () => {
  test('a patch changes any object into any other', () => {
    const members = fc.record({
      metadata: json,
      spec: json,
      list: fc.array(json, { maxLength: 6 }),
    });
    fc.assert(
      fc.property(members, members, (before, after) => {
        const target = structuredClone(before);
        const patch = jsonPatch(before, after);
        // The patch crosses the wire as JSON.
        const failures = applyPatch(target, JSON.parse(JSON.stringify(patch)));
        expect(failures.filter((failure) => failure !== null)).toEqual([]);
        expect(target).toEqual(after);
        if (patch.length === 0) expect(before).toEqual(after);
      }),
      { numRuns: Math.ceil(500 * multiple) },
    );
  });

  test('compares long lists by position, and changes their length at the end', () => {
    const list = Array.from({ length: 5000 }, (_, index) => ({ index, name: `n${index}` }));
    const changed = list.with(4000, { index: 4000, name: 'changed' });
    expect(jsonPatch({ list }, { list: changed })).toEqual([
      { op: 'replace', path: '/list/4000/name', value: 'changed' },
    ]);
    expect(jsonPatch({ list }, { list: [...list, 1] })).toEqual([
      { op: 'add', path: '/list/-', value: 1 },
    ]);
    expect(jsonPatch({ list }, { list: list.slice(0, -2) })).toEqual([
      { op: 'remove', path: '/list/4999' },
      { op: 'remove', path: '/list/4998' },
    ]);
  });

  test('has no operation for the elements that a long list keeps before and after a change', () => {
    const list: unknown[] = Array.from({ length: 40 }, (_, index) => ({ large: 2 ** 53, index }));
    const added = { op: 'add', path: '/list/0', value: 1 };
    expect(jsonPatch({ list }, { list: [1, ...list] })).toEqual([added]);
    expect(jsonPatch({ list }, { list: list.toSpliced(3, 1) })).toEqual([
      { op: 'remove', path: '/list/3' },
    ]);
    expect(jsonPatch({ list }, { list: list.toSpliced(3, 1, 1, 2) })).toEqual([
      { op: 'replace', path: '/list/3', value: 1 },
      { op: 'add', path: '/list/4', value: 2 },
    ]);
  });

  test('compares a bounded number of elements of lists in lists', () => {
    let read = 0;
    const counted = (value: number): unknown[] => {
      const list = Array.from({ length: 8 }, () => ({
        get value() {
          read += 1;
          return value;
        },
      }));
      return [0, 1, 2].reduce<unknown[]>((each) => Array.from({ length: 8 }, () => each), list);
    };
    const patch = jsonPatch({ list: counted(1) }, { list: counted(2) });
    expect(patch.length).toBeGreaterThan(0);
    // The library alone compares 8 ** 8 pairs.
    expect(read).toBeLessThan(1_000_000);
  });

  test('a patch changes any long list into any other', () => {
    const list = fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 30, maxLength: 60 });
    fc.assert(
      fc.property(list, list, (before, after) => {
        const target = { list: [...before] };
        applyPatch(target, jsonPatch({ list: before }, { list: after }));
        expect(target.list).toEqual(after);
      }),
      { numRuns: Math.ceil(200 * multiple) },
    );
  });

  test('escapes keys with slashes, such as those of annotations', () => {
    const before = { metadata: { annotations: {} } };
    const after = { metadata: { annotations: { 'a.io/b~c': '1' } } };
    expect(jsonPatch(before, after)).toEqual([
      { op: 'add', path: '/metadata/annotations/a.io~1b~0c', value: '1' },
    ]);
  });
});
