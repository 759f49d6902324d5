import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { FieldSet } from './field-set.ts';
import { decodeFieldsV1, encodeFieldsV1 } from './fields-v1.ts';
import { printPath } from './path-element.ts';

const element = fc.constantFrom('f:a', 'f:b', 'k:{"name":"x"}', 'v:"s"', 'i:0');
const path = fc.array(element, { minLength: 1, maxLength: 4 });
const set = fc.array(path, { maxLength: 8 }).map((paths) => FieldSet.of(...paths));

describe('FieldSet', () => {
  test('a path is a member independently of its parents and descendants', () => {
    const fields = FieldSet.of(['f:spec', 'f:replicas']);
    expect(fields.has(['f:spec', 'f:replicas'])).toBe(true);
    expect(fields.has(['f:spec'])).toBe(false);
    expect(fields.has(['f:spec', 'f:replicas', 'f:x'])).toBe(false);
  });

  test('difference keeps the descendants of removed paths, recursiveDifference removes them', () => {
    const fields = FieldSet.of(['f:a'], ['f:a', 'f:b'], ['f:c']);
    const gone = FieldSet.of(['f:a']);
    expect([...fields.difference(gone).paths()]).toEqual([['f:c'], ['f:a', 'f:b']]);
    expect([...fields.recursiveDifference(gone).paths()]).toEqual([['f:c']]);
  });

  test('property: the intersection and both differences add up to the union', () => {
    fc.assert(
      fc.property(set, set, (left, right) => {
        const parts = left
          .difference(right)
          .union(right.difference(left))
          .union(left.intersection(right));
        expect(parts.equals(left.union(right))).toBe(true);
      }),
    );
  });

  test('property: a set without itself is empty', () => {
    fc.assert(
      fc.property(set, (fields) => {
        expect(fields.difference(fields).isEmpty).toBe(true);
        expect(fields.recursiveDifference(fields).isEmpty).toBe(true);
      }),
    );
  });

  test('property: decoding an encoded set returns the same set', () => {
    fc.assert(
      fc.property(set, (fields) => {
        expect([...decodeFieldsV1(encodeFieldsV1(fields)).paths()]).toEqual([...fields.paths()]);
      }),
    );
  });
});

test('fieldsV1 marks a member that also has descendants', () => {
  const fields = FieldSet.of(['f:a'], ['f:a', 'f:b'], ['f:c', 'f:d']);
  expect(encodeFieldsV1(fields)).toEqual({
    'f:a': { '.': {}, 'f:b': {} },
    'f:c': { 'f:d': {} },
  });
});

test.each([[1], [{ x: {} }], [{ 'k:x': {} }], [{ 'k:1': {} }], [{ 'f:a': 1 }]])(
  'rejects the malformed fieldsV1 %j',
  (encoded) => {
    expect(() => decodeFieldsV1(encoded)).toThrow(TypeError);
  },
);

test('a path has the format of conflict messages', () => {
  const keys = 'k:{"containerPort":80,"protocol":"TCP"}';
  expect(printPath(['f:spec', 'f:ports', keys, 'f:name'])).toBe(
    '.spec.ports[containerPort=80,protocol="TCP"].name',
  );
  expect(printPath(['f:metadata', 'f:finalizers', 'v:"a/b"'])).toBe('.metadata.finalizers[="a/b"]');
});
