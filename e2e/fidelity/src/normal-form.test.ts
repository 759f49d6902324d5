import { describe, expect, test } from '@jest/globals';
import { NormalForm } from './normal-form.ts';

const uid = (digit: string): string => `${digit.repeat(8)}-0000-4000-8000-000000000000`;

describe('the normal form', () => {
  test('replaces equal uids by one placeholder and different uids by different ones', () => {
    const form = new NormalForm();
    expect(form.of({ a: uid('1'), b: uid('2'), c: `/${uid('1')}/` })).toEqual({
      a: '<uid-1>',
      b: '<uid-2>',
      c: '/<uid-1>/',
    });
    expect(form.of(uid('2'))).toBe('<uid-2>');
  });

  test('drops the diffs of Go structs from messages', () => {
    const diff = '@@ -1,3 +1,3 @@\n   "A": [\n-    "1",\n+    "2",\n   ],\n';
    const form = new NormalForm();
    expect(form.of(`spec: Forbidden: fixed\n${diff}`)).toBe('spec: Forbidden: fixed');
    expect(form.of(`spec: fixed\n${diff}${diff}`)).toBe('spec: fixed');
    expect(form.of(`[a: fixed\n${diff}, b: wrong]`)).toBe('[a: fixed, b: wrong]');
  });

  test('replaces versions, times, tokens, addresses and generated names', () => {
    expect(
      new NormalForm().of({
        metadata: { resourceVersion: '17', continue: 'abc', name: 'some-gen-x7k2b' },
        at: '2026-01-02T03:04:05.678Z',
        clusterIP: '10.0.0.7',
        message: 'too old resource version: 17 (current: 20) at 127.0.0.1:6443',
        url: `/openapi/v3/api/v1?hash=${'AB12'.repeat(32)}`,
      }),
    ).toEqual({
      metadata: {
        resourceVersion: '<version>',
        continue: '<token>',
        name: 'some-gen-<random>',
      },
      at: '<time>',
      clusterIP: '<ip>',
      message: 'too old resource version: <version> (current: <version>) at <address>',
      url: '/openapi/v3/api/v1?hash=<hash>',
    });
  });

  test('replaces ages only in the cells of tables', () => {
    const row = { cells: ['web', '3m20s', 'Running'], data: { timeout: '5m' } };
    expect(new NormalForm().of(row)).toEqual({ ...row, cells: ['web', '<age>', 'Running'] });
  });

  test('keeps an empty address, an empty token and other values', () => {
    const plain = { clusterIP: 'None', continue: '', resourceVersion: 'x', data: { a: '17' } };
    expect(new NormalForm().of(plain)).toEqual(plain);
  });

  test.each([
    ['managedFields, whose order depends on whole seconds', 'managedFields'],
    ['the rules of a user, whose order is random', 'resourceRules'],
    ['the rules of a user about paths', 'nonResourceRules'],
  ])('sorts the entries of %s', (_what, key) => {
    const one = { [key]: [{ name: 'b' }, { name: 'a' }] };
    const other = { [key]: [{ name: 'a' }, { name: 'b' }] };
    expect(new NormalForm().of(one)).toEqual(new NormalForm().of(other));
  });

  test('ignores the member order of an object that a message quotes', () => {
    const quote = (json: string): string => `p: Invalid value: ${JSON.stringify(json)}: no`;
    const one = new NormalForm().of(quote('{"a":1,"b":{"c":"x","d":2}}'));
    const other = new NormalForm().of(quote('{"b":{"d":2,"c":"x"},"a":1}'));
    expect(one).toEqual(other);
    expect(one).not.toEqual(new NormalForm().of(quote('{"a":1,"b":{"c":"y","d":2}}')));
  });

  test('ignores the member order of an object in a message without quotes', () => {
    const normal = (json: string): unknown =>
      new NormalForm().of(`[a: Invalid value: ${json}: is "{immutable}", b: Required value]`);
    const one = normal('{"m":{"a":"}","b":[{"x":1,"y":2}]}}');
    expect(one).toEqual(normal('{"m":{"b":[{"y":2,"x":1}],"a":"}"}}'));
    expect(one).not.toEqual(normal('{"m":{"b":[{"y":2,"x":1}],"a":"{"}}'));
    expect(one).not.toEqual(normal(JSON.stringify('{"m":{"a":"}","b":[{"x":1,"y":2}]}}')));
    expect(new NormalForm().of('Invalid value: {not json}: no')).toBe(
      'Invalid value: {not json}: no',
    );
  });

  test('sorts the causes of an error about a custom resource, whose order is random, and keeps other orders', () => {
    const status = (group: string, ...fields: string[]): object => {
      const causes = fields.map((field) => ({ field, message: 'Required value' }));
      const list = causes.map(({ field, message }) => `${field}: ${message}`).join(', ');
      return { details: { group, causes }, message: `W "a" is invalid: [${list}]` };
    };
    const form = (group: string, ...fields: string[]): unknown =>
      new NormalForm().of(status(group, ...fields));
    expect(form('example.com', 'b', 'a')).toEqual(form('example.com', 'a', 'b'));
    expect(form('example.com', 'b', 'a')).not.toEqual(form('example.com', 'a', 'c'));
    for (const group of ['', 'apps', 'networking.k8s.io']) {
      expect(form(group, 'b', 'a')).not.toEqual(form(group, 'a', 'b'));
    }
  });

  test('sorts the causes of errors about entries of a map, whose order is random', () => {
    const invalid = (...fields: string[]): unknown =>
      new NormalForm().of({
        details: { causes: fields.map((field) => ({ field, message: 'Invalid value' })) },
        message: `ConfigMap "a" is invalid: [${fields.map((field) => `${field}: Invalid value`).join(', ')}]`,
      });
    expect(invalid('data[not a key]', 'data[a]')).toEqual(invalid('data[a]', 'data[not a key]'));
    expect(invalid('spec.ports[1]', 'spec.ports[0]')).not.toEqual(
      invalid('spec.ports[0]', 'spec.ports[1]'),
    );
  });

  test('sorts the errors about the types of an apply, whose order is random', () => {
    const message = (...errors: string[]): unknown =>
      new NormalForm().of(
        ['failed to convert: errors:', ...errors.map((error) => `  ${error}`)].join('\n'),
      );
    expect(message('.b: no map', '.a: no map')).toBe(message('.a: no map', '.b: no map'));
    expect(message('.b: no map', '.a: no map')).not.toBe(message('.a: no map', '.c: no map'));
  });

  test('sorts the conflicts of an apply, whose order is random', () => {
    const conflict = (...fields: string[]): unknown =>
      new NormalForm().of({
        details: { causes: fields.map((field) => ({ field, reason: 'FieldManagerConflict' })) },
        message: 'Apply failed',
      });
    expect(conflict('.b', '.a')).toEqual(conflict('.a', '.b'));
    expect(conflict('.b', '.a')).not.toEqual(conflict('.a', '.c'));
  });
});
