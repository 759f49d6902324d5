import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { specDifference, type SpecDifference } from './spec-difference.ts';

interface Spec {
  image?: string;
  replicas?: number | null;
  ports?: number[];
  template?: { env?: Record<string, string> };
}

function pathsOf({ added, changed, removed }: SpecDifference): object {
  return { added, changed, removed };
}

describe('specDifference', () => {
  test('R3-01 lists added, changed and removed paths', () => {
    const before: Spec = { image: 'a', replicas: 1, template: { env: { A: '1', B: '2' } } };
    const after: Spec = { image: 'b', ports: [80], template: { env: { A: '1', B: '3', C: '4' } } };
    const difference = specDifference(before, after);
    expect(pathsOf(difference)).toEqual({
      added: ['/ports', '/template/env/C'],
      changed: ['/image', '/template/env/B'],
      removed: ['/replicas'],
    });
    expect(difference.isEmpty).toBe(false);
    expect(difference.touches('template')).toBe(true);
    expect(difference.touches('replicas')).toBe(true);
    expect(specDifference(before, { ...before, ports: [] }).touches('template')).toBe(false);
  });

  test('is empty for equal specs, also with members that are undefined', () => {
    const spec = { image: 'a', ports: [1], replicas: undefined } as unknown as Spec;
    const difference = specDifference<Spec>({ image: 'a', ports: [1] }, spec);
    expect(difference.isEmpty).toBe(true);
    expect(difference.touches('replicas')).toBe(false);
  });

  test('without an earlier spec every member is added, and it is not empty', () => {
    const difference = specDifference<Spec>(undefined, { image: 'a' });
    expect(pathsOf(difference)).toEqual({ added: ['/image'], changed: [], removed: [] });
    expect(specDifference<Spec>(undefined, {}).isEmpty).toBe(false);
    expect(specDifference<Spec>(undefined, undefined).isEmpty).toBe(false);
  });

  test('compares lists by index, and null and other types by value', () => {
    expect(pathsOf(specDifference<Spec>({ ports: [1, 2, 3] }, { ports: [1, 5] }))).toEqual({
      added: [],
      changed: ['/ports/1'],
      removed: ['/ports/2'],
    });
    expect(specDifference<Spec>({ replicas: null }, { replicas: 1 }).changed).toEqual([
      '/replicas',
    ]);
    expect(specDifference<unknown>({ a: [] }, { a: {} }).changed).toEqual(['/a']);
    expect(specDifference<unknown>({ a: { b: 1 } }, { a: 'b' }).changed).toEqual(['/a']);
  });

  test('escapes "/" and "~" in names', () => {
    const difference = specDifference<Record<string, unknown>>({}, { 'a/b~c': 1 });
    expect(difference.added).toEqual(['/a~1b~0c']);
    expect(difference.touches('a/b~c')).toBe(true);
  });

  test('a member __proto__ is a member like another, and members of the prototype are not read', () => {
    const before = JSON.parse('{"__proto__": {"a": 1}}') as object;
    const after = JSON.parse('{"__proto__": {"a": 2}}') as object;
    expect(specDifference<object>(before, after).changed).toEqual(['/__proto__/a']);
    expect(specDifference<object>({}, after).added).toEqual(['/__proto__']);
    const constructors = { constructor: 1, toString: 2 } as object;
    expect(specDifference<object>({}, constructors).added).toEqual(['/constructor', '/toString']);
  });

  test('accepts any depth and length', () => {
    let deep: object = { a: 1 };
    for (let level = 0; level < 20_000; level += 1) deep = { a: deep };
    let other: object = { a: 2 };
    for (let level = 0; level < 20_000; level += 1) other = { a: other };
    expect(specDifference<object>(deep, other).changed).toHaveLength(1);
    const long = Array.from({ length: 200_000 }, (_, index) => index);
    expect(specDifference<unknown>({ long: [] }, { long }).added).toHaveLength(200_000);
  });

  test('is empty exactly for equal JSON, and its reverse exchanges added and removed', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
        const text = JSON.stringify(one);
        const [before, after] = [{ value: JSON.parse(text) as unknown }, { value: other }];
        const forth = specDifference<object>(before, after);
        const back = specDifference<object>(after, before);
        expect(back.added.toSorted()).toEqual(forth.removed.toSorted());
        expect(back.changed.toSorted()).toEqual(forth.changed.toSorted());
        expect(specDifference<object>(before, { value: one }).isEmpty).toBe(true);
      }),
    );
  });
});
