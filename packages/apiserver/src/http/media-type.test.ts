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
      { format: 'json', pretty: false, as: 'Table' },
    ],
    [
      'application/json;as=Table;v=v9;g=meta.k8s.io,application/json',
      { format: 'json', pretty: false },
    ],
    ['text/html', undefined],
  ])('%j', (accept, expected) => {
    expect(negotiate(accept)).toEqual(expected);
  });
});

describe('contentTypeOf', () => {
  test('leaves parameters out', () => {
    expect(contentTypeOf('Application/JSON; charset=utf-8')).toBe('application/json');
    expect(contentTypeOf(undefined)).toBe('');
  });
});
