import { describe, expect, test } from '@jest/globals';
import { parseRequestInfo } from './request-info.ts';

function parse(method: string, url: string): unknown {
  const { pathname, searchParams } = new URL(url, 'http://server');
  return parseRequestInfo(method, pathname, searchParams);
}

describe('parseRequestInfo', () => {
  test.each([
    ['GET', '/api/v1/pods', 'list  v1 / pods / '],
    ['GET', '/api/v1/pods?watch=true', 'watch  v1 / pods / '],
    ['GET', '/api/v1/pods?watch', 'watch  v1 / pods / '],
    ['GET', '/api/v1/pods?watch=0', 'list  v1 / pods / '],
    ['GET', '/api/v1/pods?watch=False', 'list  v1 / pods / '],
    ['GET', '/api/v1/namespaces/a/pods/b', 'get  v1 a/ pods /b '],
    ['GET', '/api/v1/namespaces/a/pods/b?watch=1', 'get  v1 a/ pods /b '],
    ['PUT', '/api/v1/namespaces/a/pods/b/status', 'update  v1 a/ pods /b status'],
    ['GET', '/api/v1/namespaces/a', 'get  v1 a/ namespaces /a '],
    ['PUT', '/api/v1/namespaces/a/finalize', 'update  v1 a/ namespaces /a finalize'],
    ['GET', '/api/v1/namespaces/a/configmaps', 'list  v1 a/ configmaps / '],
    ['POST', '/apis/apps/v1/namespaces/a/deployments', 'create apps v1 a/ deployments / '],
    ['PATCH', '/apis/apps/v1/namespaces/a/deployments/b', 'patch apps v1 a/ deployments /b '],
    ['DELETE', '/apis/apps/v1/namespaces/a/deployments/b', 'delete apps v1 a/ deployments /b '],
    [
      'DELETE',
      '/apis/apps/v1/namespaces/a/deployments',
      'deletecollection apps v1 a/ deployments / ',
    ],
    [
      'GET',
      '/apis/rbac.example.com/v1/roles/system%3Aadmin',
      'get rbac.example.com v1 / roles /system:admin ',
    ],
  ])('parses %s %s', (method, url, expected) => {
    const info = parse(method, url) as Record<string, string>;
    const { verb, group, version, namespace, resource, name, subresource } = info;
    expect(`${verb} ${group} ${version} ${namespace}/ ${resource} /${name} ${subresource}`).toBe(
      expected,
    );
  });

  test.each([
    ['/api/v1/pods?fieldSelector=metadata.name%3Dx', 'x'],
    ['/api/v1/pods?watch=1&fieldSelector=metadata.name%3D%3Dx', 'x'],
    ['/api/v1/pods?fieldSelector=a%3Db,metadata.name%3Dx', 'x'],
    ['/api/v1/pods?fieldSelector=metadata.name%3Dy,metadata.name%3Dx', 'x'],
    ['/api/v1/pods?fieldSelector=metadata.name!%3Dx', ''],
    ['/api/v1/pods?fieldSelector=metadata.name%3Dx/y', ''],
    ['/api/v1/pods?fieldSelector=metadata.name%3D..', ''],
    ['/api/v1/pods?fieldSelector=metadata', ''],
    ['/api/v1/pods?fieldSelector=metadata.name%3Dx&limit=y', ''],
    ['/api/v1/namespaces/a/pods/b?fieldSelector=metadata.name%3Dx', ''],
  ])('%s selects the name %p', (url, name) => {
    expect(parse('GET', url)).toMatchObject({ selectedName: name });
  });

  test.each([
    '/',
    '/version',
    '/api',
    '/api/v1',
    '/apis',
    '/apis/apps',
    '/apis/apps/v1',
    '/openapi/v2',
  ])('%s is a non-resource path', (path) => {
    expect(parse('GET', path)).toEqual({ type: 'path', path, verb: 'get' });
  });

  test('returns undefined for an invalid escape', () => {
    expect(parseRequestInfo('GET', '/api/v1/%zz', new URLSearchParams())).toBeUndefined();
  });
});
