import { describe, expect, test } from '@jest/globals';
import { openSession } from './session.ts';

const { kubectl } = openSession();

describe('kubectl asks about the server', () => {
  test('api-resources and api-versions', async () => {
    const resources = await kubectl('api-resources', '-o', 'wide');
    expect(resources).toMatch(/^deployments +deploy +apps\/v1 +true +Deployment /m);
    expect(resources).toMatch(/^namespaces +ns +v1 +false +Namespace /m);
    expect(await kubectl('api-versions')).toMatch(/^rbac\.authorization\.k8s\.io\/v1$/m);
  });

  test('explain', async () => {
    const text = await kubectl('explain', 'deployment.spec.replicas');
    expect(text).toMatch(/FIELD: replicas <integer>/);
    expect(text).toContain('Number of desired pods');
    expect(await kubectl('explain', 'pods', '--recursive')).toContain('containers');
  });

  test('version and get --raw', async () => {
    expect(await kubectl('version')).toMatch(/Server Version: v1\.\d+/);
    expect(await kubectl('get', '--raw', '/readyz')).toBe('ok');
    expect(JSON.parse(await kubectl('get', '--raw', '/api/v1/namespaces'))).toMatchObject({
      kind: 'NamespaceList',
    });
  });

  // kubectl sends no credentials over plain HTTP: the user is anonymous, and may do everything.
  test('auth can-i', async () => {
    expect(await kubectl('auth', 'can-i', 'delete', 'nodes')).toBe('yes\n');
  });
});
