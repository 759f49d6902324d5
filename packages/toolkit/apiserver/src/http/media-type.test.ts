import { describe, expect, test } from '@jest/globals';
import { contentTypeOf, negotiate } from './media-type.ts';

describe('negotiate', () => {
  test.each([
    [undefined, { format: 'json', pretty: false }],
    ['*/*', { format: 'json', pretty: false }],
    ['application/yaml', { format: 'yaml', pretty: false }],
    ['application/json;pretty=1', { format: 'json', pretty: true }],
    ['application/vnd.kubernetes.protobuf, application/json', { format: 'json', pretty: false }],
    [
      'application/json;as=Table;v=v1;g=meta.k8s.io,application/json',
      { format: 'json', pretty: false, as: { kind: 'Table', apiVersion: 'meta.k8s.io/v1' } },
    ],
    [
      'application/json;as=Table;v=v1beta1;g=meta.k8s.io',
      { format: 'json', pretty: false, as: { kind: 'Table', apiVersion: 'meta.k8s.io/v1beta1' } },
    ],
    ['application/json;as=Table;v=v1;g=apps', undefined],
    ['application/json;as=Tables;v=v1;g=meta.k8s.io', undefined],
    [
      'application/json;as=Table;v=v9;g=meta.k8s.io,application/json',
      { format: 'json', pretty: false },
    ],
    ['text/html', undefined],
  ])('parses %j', (accept, expected) => {
    expect(negotiate(accept, () => false)).toEqual(expected);
  });

  const protobuf = 'application/vnd.kubernetes.protobuf';

  test('selects protobuf for kinds that support it', () => {
    const accept = `${protobuf}, */*`;
    expect(negotiate(accept, () => true)?.format).toBe('protobuf');
    expect(negotiate(accept, () => false)?.format).toBe('json');
    expect(negotiate(protobuf, () => false)).toBeUndefined();
  });

  test('selects protobuf for the metadata of any kind, and never for a Table', () => {
    const as = (kind: string): string => `${protobuf};as=${kind};v=v1;g=meta.k8s.io`;
    const partial = negotiate(as('PartialObjectMetadata'), () => false);
    expect(partial).toMatchObject({ format: 'protobuf', as: { kind: 'PartialObjectMetadata' } });
    expect(negotiate(as('Table'), () => true)).toBeUndefined();
  });
});

describe('contentTypeOf', () => {
  test('omits parameters', () => {
    expect(contentTypeOf('Application/JSON; charset=utf-8')).toBe('application/json');
    expect(contentTypeOf(undefined)).toBe('');
  });
});
