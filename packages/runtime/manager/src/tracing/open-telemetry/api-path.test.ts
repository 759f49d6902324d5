import { describe, expect, test } from '@jest/globals';
import { apiPathOf } from './api-path.ts';

describe('the path of an API request', () => {
  test.each([
    ['/api/v1/configmaps', '/api/v1/configmaps', undefined],
    ['/api/v1/nodes/n1', '/api/v1/nodes/{name}', undefined],
    ['/api/v1/namespaces', '/api/v1/namespaces', undefined],
    ['/api/v1/namespaces/shop', '/api/v1/namespaces/{name}', 'shop'],
    ['/api/v1/namespaces/shop/finalize', '/api/v1/namespaces/{name}/finalize', 'shop'],
    ['/api/v1/namespaces/shop/pods', '/api/v1/namespaces/{namespace}/pods', 'shop'],
    [
      '/api/v1/namespaces/shop/pods/a/log',
      '/api/v1/namespaces/{namespace}/pods/{name}/log',
      'shop',
    ],
    [
      '/apis/apps/v1/namespaces/shop/deployments/web/scale',
      '/apis/apps/v1/namespaces/{namespace}/deployments/{name}/scale',
      'shop',
    ],
    [
      '/apis/rbac.authorization.k8s.io/v1/clusterroles/system%3Anode',
      '/apis/rbac.authorization.k8s.io/v1/clusterroles/{name}',
      undefined,
    ],
    ['/api/v1/nodes/n1/proxy/secret/path', '/api/v1/nodes/{name}/proxy', undefined],
  ])('%s has the template %s and the namespace %s', (path, template, namespace) => {
    expect(apiPathOf(path)).toEqual({ template, namespace });
  });

  test.each(['/', '/version', '/api', '/apis/apps/v1', '/openapi/v3/apis/apps/v1'])(
    '%s has no template',
    (path) => {
      expect(apiPathOf(path)).toEqual({ template: undefined, namespace: undefined });
    },
  );
});
