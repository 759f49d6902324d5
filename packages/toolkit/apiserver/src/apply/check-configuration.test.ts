import { describe, expect, test } from '@jest/globals';
import type { JsonObject, JsonSchema } from '@keelson/structural-schema';
import { schemaOf } from '../kinds/recorded.test-support.ts';
import { typeOfSchema } from '../schema/structural/structural-schema.ts';
import { typeErrors } from './check-configuration.ts';

const text: JsonSchema = { type: 'string' };
const uuid: JsonSchema = { type: 'string', format: 'uuid' };
const list: JsonSchema = {
  type: 'array',
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['a'],
  items: { type: 'object', required: ['a'], properties: { a: text, n: { type: 'integer' } } },
};

// Recorded from kube-apiserver 1.36.3.
describe('an applied value of a custom resource', () => {
  test.each<[string, JsonSchema, JsonObject, string[]]>([
    ['a number for a string with a format', uuid, { x: 5 }, []],
    ['a list for a string with a format', uuid, { x: [] }, ['.x: expected any scalar, got &{[]}']],
    [
      'a number for bytes',
      { type: 'string', format: 'byte' },
      { x: 5 },
      ['.x: expected string, got &value.valueUnstructured{Value:5}'],
    ],
    ['members of an object without properties', { type: 'object' }, { x: { y: [1] } }, []],
    [
      'an unknown member below an object that keeps unknown members',
      {
        type: 'object',
        'x-kubernetes-preserve-unknown-fields': true,
        properties: { inner: { type: 'object', properties: { a: text } } },
      },
      { x: { inner: { b: 1 } } },
      [],
    ],
    [
      'an unknown member',
      { type: 'object', properties: { a: text } },
      { x: { b: 1 } },
      ['.x.b: field not declared in schema'],
    ],
    [
      'items without an identity, of which only the first is reported',
      list,
      { x: [5, 'y', { n: 'z' }] },
      ['.x: element 0: associative list with keys may not have non-map elements'],
    ],
    [
      'the content of an item that repeats a key',
      list,
      { x: [{ a: 'p' }, { a: 'p', n: 'z' }] },
      [
        '.x: duplicate entries for key [a="p"]',
        '.x[a="p"].n: expected numeric (int or float), got string',
      ],
    ],
  ])('%s', (_, schema, value, errors) => {
    const type = typeOfSchema({ type: 'object', properties: { x: schema } });
    expect(typeErrors(type, value, false)).toEqual(errors);
  });
});

// Recorded from kube-apiserver 1.36.3.
describe('an applied value of a Pod', () => {
  const { type } = schemaOf({ apiVersion: 'v1', kind: 'Pod' });
  const probe = (port: JsonObject | number): JsonObject => ({
    spec: { containers: [{ name: 'c', livenessProbe: { httpGet: { port } } }] },
  });

  test.each<[string, JsonObject, string[]]>([
    ['a number for a time', { metadata: { creationTimestamp: 5 } }, []],
    [
      'an object for a time',
      { status: { startTime: {} } },
      ['.status.startTime: expected any scalar, got &{map[]}'],
    ],
    ['an object for a number or string', probe({ a: 1 }), []],
    ['a secret without its name', { spec: { imagePullSecrets: [{}, { name: 'a' }] } }, []],
    [
      'two secrets without a name',
      { spec: { imagePullSecrets: [{}, {}] } },
      ['.spec.imagePullSecrets: duplicate entries for key [name=""]'],
    ],
  ])('%s', (_, value, errors) => {
    expect(typeErrors(type, value, false)).toEqual(errors);
  });
});
