import { describe, expect, test } from '@jest/globals';
import { createApiServer } from '../server/api-server.ts';
import { RawClient } from '../server/raw-client.test-support.ts';

describe('an impersonated request', () => {
  const whoami = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
  const mayList = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
  const spec = { resourceAttributes: { verb: 'list', resource: 'pods' } };

  test('is allowed with AlwaysAllow, and runs as the impersonated user', async () => {
    await using server = await createApiServer();
    const bob = new RawClient(server, { 'impersonate-user': 'bob', 'impersonate-group': 'devs' });
    const { body } = await bob.post(whoami, {});
    const groups = ['devs', 'system:authenticated'];
    expect(body.status.userInfo).toEqual({ username: 'bob', groups });
    const nobody = new RawClient(server, { 'impersonate-group': 'devs' });
    expect((await nobody.get('/version')).code).toBe(400);
  });

  test('requires a permission of its caller, and has the permissions of its user', async () => {
    await using server = await createApiServer({ authorizationMode: 'RBAC' });
    const { token } = server.addUser({ name: 'vera', groups: [] });
    const headers = { 'impersonate-user': 'bob' };
    const vera = new RawClient(server, { ...headers, authorization: `Bearer ${token}` });
    expect((await vera.get('/api/v1/pods')).body.message).toContain(
      'cannot impersonate-on:user-info:list',
    );
    const authorization = `Bearer ${server.cluster.token}`;
    const admin = new RawClient(server, { ...headers, authorization });
    expect((await admin.post(mayList, { spec })).body.status).toEqual({ allowed: false });
    expect((await admin.get('/api/v1/pods')).body.message).toContain('User "bob" cannot list');
  });

  test('an impersonated request with invalid credentials is rejected before impersonation', async () => {
    await using server = await createApiServer();
    const stranger = new RawClient(server, { authorization: 'Bearer x', 'impersonate-group': 'y' });
    expect((await stranger.get('/version')).code).toBe(401);
  });
});
