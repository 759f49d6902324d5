import { describe, expect, test } from '@jest/globals';
import type { KubernetesObject } from '@keelson/apimachinery';
import { schemaOf } from '../recorded.test-support.ts';

function revision(fields: object): KubernetesObject {
  const metadata = { name: 'a', namespace: 'default', resourceVersion: '1' };
  return { apiVersion: 'apps/v1', kind: 'ControllerRevision', metadata, ...fields };
}

function causesOf(next: object, old?: object): string[] {
  const object = revision(next);
  return schemaOf(object)
    .validate(object, old && revision(old))
    .map(({ field, message }) => `${field}: ${message}`);
}

// Recorded from kube-apiserver 1.36.3.
describe('a ControllerRevision', () => {
  test.each<[object, string[]]>([
    [{ revision: 1, data: { a: 1 } }, []],
    [{ revision: 1 }, ['data: Required value: data is mandatory']],
    [
      { revision: -1, data: [1] },
      [
        'revision: Invalid value: -1: must be greater than or equal to 0',
        'data: Required value: data must be a valid JSON object',
      ],
    ],
  ])('is validated when it is created: %j', (fields, causes) => {
    expect(causesOf(fields)).toEqual(causes);
  });

  test.each<[object, string[]]>([
    [{ revision: 2, data: { a: 1 } }, []],
    [{ data: { b: 2 } }, ['data: Invalid value: {"b":2}: field is immutable']],
    [{ data: null }, ['data: Invalid value: null: field is immutable']],
    [
      { revision: -2, data: 5 },
      [
        'revision: Invalid value: -2: must be greater than or equal to 0',
        'data: Invalid value: 5: field is immutable',
      ],
    ],
  ])('keeps its data when it changes: %j', (fields, causes) => {
    expect(causesOf(fields, { revision: 1, data: { a: 1 } })).toEqual(causes);
  });
});
