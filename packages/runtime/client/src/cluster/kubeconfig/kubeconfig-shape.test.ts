import { describe, expect, test } from '@jest/globals';
import { createClient } from '../../verbs/create-client.ts';
import { loadClientNode } from './client-node.ts';
import { loadCluster } from './kubeconfig.ts';
import { kubeConfigOf } from '../../testing/kubeconfig.test-support.ts';
import { rejection } from '../../testing/recording-server.test-support.ts';

const secret = 'sesame';

function load(user: object, cluster: object = {}, context: object = {}): Promise<unknown> {
  return loadCluster({ kubeConfig: kubeConfigOf(user, cluster, context) });
}

describe('KUBECONFIG_INVALID', () => {
  test.each([
    [{ 'as-groups': secret }, 'users[0].user.as-groups is not a list'],
    [{ 'as-groups': [7] }, 'users[0].user.as-groups[0] is not a string'],
    [{ as: 7 }, 'users[0].user.as is not a string'],
    [{ 'as-uid': 7 }, 'users[0].user.as-uid is not a string'],
    [{ 'as-user-extra': [secret] }, 'users[0].user.as-user-extra is not a mapping'],
    [
      { 'as-user-extra': { [secret]: secret } },
      'a value of users[0].user.as-user-extra is not a list',
    ],
    [{ token: 7 }, 'users[0].user.token is not a string'],
    [{ tokenFile: 7 }, 'users[0].user.tokenFile is not a string'],
    [{ username: 'a', password: 7 }, 'users[0].user.password is not a string'],
    [{ 'client-key-data': {} }, 'users[0].user.client-key-data is not a string'],
    [{ exec: secret }, 'users[0].user.exec is not a mapping'],
    [{ exec: { command: ['a'] } }, 'users[0].user.exec.command is not a string'],
    [{ exec: { args: secret } }, 'users[0].user.exec.args is not a list'],
    [{ exec: { env: { A: secret } } }, 'users[0].user.exec.env is not a list'],
    [{ exec: { env: [secret] } }, 'users[0].user.exec.env[0] is not a mapping'],
    [{ exec: { env: [{ value: 7 }] } }, 'users[0].user.exec.env[0].value is not a string'],
    [{ 'auth-provider': secret }, 'users[0].user.auth-provider is not a mapping'],
    [
      { 'auth-provider': { name: 'oidc', config: { a: 7 } } },
      'a value of users[0].user.auth-provider.config is not a string',
    ],
  ])('is thrown for the user %j', async (user, reason) => {
    const error = await rejection(load(user));
    expect(error).toMatchObject({ code: 'KUBECONFIG_INVALID', facts: { reason } });
    expect(error.message).not.toContain(secret);
  });

  test.each([
    [{ server: 7 }, {}, 'clusters[0].cluster.server is not a string'],
    [
      { 'insecure-skip-tls-verify': 'true' },
      {},
      'clusters[0].cluster.insecure-skip-tls-verify is neither true nor false',
    ],
    [{ 'proxy-url': 7 }, {}, 'clusters[0].cluster.proxy-url is not a string'],
    [{}, { namespace: 123 }, 'contexts[0].context.namespace is not a string'],
    [{}, { cluster: 7 }, 'contexts[0].context.cluster is not a string'],
    [{}, { cluster: null }, 'contexts[0].context.cluster is missing'],
  ])('is thrown for the cluster %j and the context %j', async (cluster, context, reason) => {
    expect(await rejection(load({}, cluster, context))).toMatchObject({
      code: 'KUBECONFIG_INVALID',
      facts: { reason },
    });
  });

  test.each([
    ['clusters: {}', 'clusters is not a list'],
    ['users: [sesame]', 'users[0] is not a mapping'],
    ['contexts: [{ name: 7 }]', 'contexts[0].name is not a string'],
    ['current-context: 7', 'current-context is not a string'],
  ])('for %s', async (kubeConfig, reason) => {
    expect(await rejection(loadCluster({ kubeConfig }))).toMatchObject({
      code: 'KUBECONFIG_INVALID',
      facts: { reason },
    });
  });

  test('is thrown for an invalid namespace of a KubeConfig that was loaded before', async () => {
    const { KubeConfig } = await loadClientNode();
    const kubeConfig = new KubeConfig();
    kubeConfig.loadFromString(kubeConfigOf({}, {}, { namespace: 123 }));
    expect(await rejection(loadCluster({ kubeConfig }))).toMatchObject({
      code: 'KUBECONFIG_INVALID',
      facts: { context: 'x', reason: 'the namespace of the context is not a string' },
    });
  });

  test('is not thrown for null, for unknown members or for a time without quotes', async () => {
    const nothing = { token: null, 'as-groups': null, exec: null, 'auth-provider': null };
    await expect(load({ ...nothing, more: 7 }, { extensions: [{}] })).resolves.toBeDefined();
    const kubeConfig = `
clusters: [{ name: c, cluster: { server: 'https://k8s.example' } }]
contexts: [{ name: x, context: { cluster: c, user: u } }]
users: [{ name: u, user: { auth-provider: { name: gcp, config: { access-token: t, expiry: 2126-01-01T00:00:00Z } } } }]
current-context: x`;
    const cluster = await loadCluster({ kubeConfig });
    expect(await cluster.credentials?.({ force: false })).toMatchObject({
      headers: { authorization: 'Bearer t' },
    });
  });
});

describe('CREDENTIALS_FAILED', () => {
  test.each([
    [{ token: 'a\nb' }, 'authorization'],
    [{ as: 'a\nb' }, 'impersonate-user'],
    [{ 'as-groups': ['a', 'b\r'] }, 'impersonate-group'],
  ])('is thrown for %j, which no header can contain', async (user, header) => {
    const cluster = await loadCluster({ kubeConfig: kubeConfigOf(user) });
    const fetched = Promise.resolve(cluster.credentials?.({ force: false }));
    expect(await rejection(fetched)).toMatchObject({
      code: 'CREDENTIALS_FAILED',
      facts: { reason: 'the value of a header is not a string of one line', header },
    });
  });

  test('is thrown for an unknown auth-provider, before a request without credentials is sent', async () => {
    const user = { 'auth-provider': { name: 'unknown' } };
    const cluster = await loadCluster({ kubeConfig: kubeConfigOf(user) });
    const fetched = Promise.resolve(cluster.credentials?.({ force: false }));
    expect(await rejection(fetched)).toMatchObject({
      code: 'CREDENTIALS_FAILED',
      facts: { kind: 'unknown', reason: 'no authenticator knows this auth-provider' },
    });
  });
});

test.each([
  [{ namespace: 123 }, 'namespace'],
  [{ proxy: 3128 }, 'proxy'],
  [{ credentials: { token: secret } }, 'credentials'],
])('is replaced by INVALID_CLUSTER for a cluster with %j', (member, option) => {
  const cluster = { server: 'https://k8s.example', ...member } as never;
  expect(() => createClient({ cluster })).toThrow(
    expect.objectContaining({
      code: 'INVALID_CLUSTER',
      facts: expect.objectContaining({ option }),
    }),
  );
});
