import { describe, expect, test } from '@jest/globals';
import { builtin, defineResource } from '@keelson/apimachinery';
import { assert, constantFrom, oneof, property, uint16Array } from 'fast-check';
import { collectionPath, creationPath, nameOf, objectPath, queryOf } from './resource-path.ts';

/** The share of the random runs: a tenth in `npm test`, all in `.ci/run`. */
const multiple = Number(process.env['KEELSON_RUNS'] ?? 1);

const widget = defineResource({
  group: 'x.example',
  version: 'v1',
  kind: 'Widget',
  plural: 'widgets',
});

describe('objectPath', () => {
  test('returns paths of the core group and of other groups, with and without a namespace', () => {
    expect(objectPath(builtin.Pod, { namespace: 'a', name: 'b' })).toBe(
      '/api/v1/namespaces/a/pods/b',
    );
    expect(objectPath(builtin.Namespace, { name: 'a' })).toBe('/api/v1/namespaces/a');
    expect(objectPath(widget, { namespace: 'a', name: 'b' }, 'status')).toBe(
      '/apis/x.example/v1/namespaces/a/widgets/b/status',
    );
  });

  test('encodes the characters of RBAC names', () => {
    expect(objectPath(builtin.ClusterRole, { name: 'system:node ?#' })).toBe(
      '/apis/rbac.authorization.k8s.io/v1/clusterroles/system%3Anode%20%3F%23',
    );
  });

  test.each(['..', '.', 'a/b', 'a%2fb', '', 'a\nb', '\ud800', 'x'.repeat(254)])(
    'refuses the name %j, and the namespace',
    (bad) => {
      expect(() => objectPath(builtin.Pod, { namespace: 'a', name: bad })).toThrow(
        expect.objectContaining({ code: 'INVALID_NAME' }),
      );
      expect(() => objectPath(builtin.Pod, { namespace: bad, name: 'a' })).toThrow(
        expect.objectContaining({ code: bad === '' ? 'NAMESPACE_REQUIRED' : 'INVALID_NAME' }),
      );
    },
  );

  test('returns a path that leads to exactly this name, or refuses the name', () => {
    const texts = oneof(
      // `string` would make a table of a million characters first.
      uint16Array({ maxLength: 300 }).map((units) => String.fromCharCode(...units).toWellFormed()),
      constantFrom('.', '..', 'a/../b', '%2e%2e', '?x', '#x', 'a;b', '\\..', ' '),
    );
    const leadsToIt = property(texts, (text) => {
      let path: string;
      try {
        path = objectPath(builtin.ClusterRole, { name: text }, 'x');
      } catch (error) {
        expect(error).toMatchObject({ code: 'INVALID_NAME' });
        return;
      }
      const { pathname, search, hash } = new URL(path, 'http://server');
      expect([search, hash]).toEqual(['', '']);
      expect(pathname.split('/').map(decodeURIComponent)).toEqual([
        '',
        'apis',
        'rbac.authorization.k8s.io',
        'v1',
        'clusterroles',
        text,
        'x',
      ]);
    });
    assert(leadsToIt, { numRuns: Math.ceil(2000 * multiple) });
  });

  test('refuses a name that is not a string', () => {
    expect(() => objectPath(builtin.Node, { name: 7 as unknown as string })).toThrow(/number/);
  });

  test('names kind and object if a namespace is missing or not allowed', () => {
    expect(() => objectPath(builtin.Pod, { name: 'web' })).toThrow(
      expect.objectContaining({ code: 'NAMESPACE_REQUIRED', facts: { kind: 'Pod', name: 'web' } }),
    );
    expect(() => objectPath(builtin.Node, { namespace: 'a', name: 'n1' })).toThrow(
      expect.objectContaining({ code: 'NAMESPACE_NOT_ALLOWED' }),
    );
    expect(() => collectionPath(builtin.Node, 'a')).toThrow(
      expect.objectContaining({ code: 'NAMESPACE_NOT_ALLOWED' }),
    );
  });

  test('refuses a resource token without plural', () => {
    const broken = { ...widget, plural: '' };
    expect(() => collectionPath(broken)).toThrow(
      expect.objectContaining({ code: 'INVALID_RESOURCE' }),
    );
  });
});

describe('creationPath', () => {
  test('requires a namespace and no name', () => {
    const metadata = { namespace: 'a', generateName: 'b-' };
    expect(creationPath(builtin.Pod, { metadata })).toBe('/api/v1/namespaces/a/pods');
    expect(() => creationPath(builtin.Pod, {})).toThrow(
      expect.objectContaining({ code: 'NAMESPACE_REQUIRED' }),
    );
  });
});

test('nameOf refuses an object without a name', () => {
  expect(() => nameOf(builtin.Pod, { metadata: { namespace: 'a' } })).toThrow(
    expect.objectContaining({ code: 'NAME_REQUIRED' }),
  );
});

test('queryOf encodes values and omits those that are undefined', () => {
  expect(queryOf({ a: 'x=1,y', b: undefined, c: 0, d: false })).toBe('?a=x%3D1%2Cy&c=0&d=false');
  expect(queryOf({ a: undefined })).toBe('');
});
