import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { builtin } from '@keelson/apimachinery';
import { clientCertificate, serverCertificate } from '../../testing/certificates.test-support.ts';
import type { Cluster } from '../cluster.ts';
import { createClient } from '../../verbs/create-client.ts';
import { loadClientNode } from './client-node.ts';
import { loadCluster, type ClusterSource } from './kubeconfig.ts';
import { findKubeConfig } from './kubeconfig-place.ts';
import {
  kubeConfigOf as config,
  openFolder,
  type Folder,
} from '../../testing/kubeconfig.test-support.ts';
import {
  json,
  rejection,
  startServer,
  status,
} from '../../testing/recording-server.test-support.ts';

const secret = 'hunter2hunter2hunter2';
let folder: Folder;
let directory: string;

beforeAll(async () => {
  folder = await openFolder();
  directory = folder.path;
});

afterAll(async () => folder[Symbol.asyncDispose]());

async function load(kubeConfig: string, source: ClusterSource = {}): Promise<Cluster> {
  return loadCluster({ kubeConfig, ...source });
}

async function credentialsOf(kubeConfig: string, force = false): Promise<unknown> {
  const cluster = await load(kubeConfig);
  return cluster.credentials?.({ force });
}

const file = (name: string, text: string): Promise<string> => folder.file(name, text);
const plugin = (name: string, script: string): Promise<string> => folder.script(name, script);
const base64 = (text: string): string => Buffer.from(text).toString('base64');

describe('credentials', () => {
  test('contain a token', async () => {
    expect(await credentialsOf(config({ token: 'abc' }))).toEqual({
      headers: { authorization: 'Bearer abc' },
      tls: {},
    });
  });

  test('contain basic authentication', async () => {
    const user = { username: 'eve', password: 'pw' };
    expect(await credentialsOf(config(user))).toMatchObject({
      headers: { authorization: `Basic ${base64('eve:pw')}` },
    });
  });

  test.each(['tokenFile', 'token-file'])(
    'are read from %s at each call, relative to the kubeconfig',
    async (key) => {
      await file('tokens/token', 'first\n');
      const at = await file(`${key}/config`, config({ [key]: '../tokens/token', token: 'unused' }));
      const cluster = await loadCluster({ file: at });
      expect(await cluster.credentials?.({ force: false })).toMatchObject({
        headers: { authorization: 'Bearer first' },
      });
      await file('tokens/token', 'second\n');
      expect(await cluster.credentials?.({ force: true })).toMatchObject({
        headers: { authorization: 'Bearer second' },
      });
    },
  );

  test('contain a client certificate, as data or as files, with the authority of the cluster', async () => {
    const { cert, key } = clientCertificate;
    const data = {
      'client-certificate-data': base64(cert),
      'client-key-data': base64(key),
    };
    const authority = { 'certificate-authority-data': base64(serverCertificate.cert) };
    const expected = {
      headers: {},
      tls: {
        ca: Buffer.from(serverCertificate.cert),
        cert: Buffer.from(cert),
        key: Buffer.from(key),
      },
    };
    expect(await credentialsOf(config(data, authority))).toEqual(expected);
    await file('pki/client.crt', cert);
    await file('pki/client.key', key);
    await file('pki/ca.crt', serverCertificate.cert);
    const user = { 'client-certificate': 'client.crt', 'client-key': 'client.key' };
    const at = await file('pki/config', config(user, { 'certificate-authority': 'ca.crt' }));
    const cluster = await loadCluster({ file: at });
    expect(await cluster.credentials?.({ force: false })).toEqual(expected);
  });

  test('contain the TLS settings of a cluster without a user', async () => {
    const settings = { 'insecure-skip-tls-verify': true, 'tls-server-name': 'server.example' };
    expect(await credentialsOf(config({}, settings, { user: '' }))).toEqual({
      headers: {},
      tls: { rejectUnauthorized: false, servername: 'server.example' },
    });
  });

  test('work with a plain http cluster', async () => {
    const plain = { server: 'http://127.0.0.1:8080', 'certificate-authority-data': base64('x') };
    expect(await credentialsOf(config({ token: 'abc' }, plain))).toEqual({
      headers: { authorization: 'Bearer abc' },
      tls: {},
    });
  });

  test('contain the impersonated user, groups, uid and extras', async () => {
    const user = {
      token: 'abc',
      as: 'bob',
      'as-uid': '7',
      'as-groups': ['a', 'b'],
      'as-user-extra': { 'x/y': ['1', '2'] },
    };
    expect(await credentialsOf(config(user))).toMatchObject({
      headers: {
        'impersonate-user': 'bob',
        'impersonate-uid': '7',
        'impersonate-group': ['a', 'b'],
        'impersonate-extra-x%2Fy': ['1', '2'],
      },
    });
  });

  test('encode impersonation headers: values in UTF-8, keys with percent signs', async () => {
    const user = { as: 'Łuk', 'as-groups': ['é'], 'as-user-extra': { "a(b)'c": ['ß'] } };
    const utf8 = (text: string): string => Buffer.from(text).toString('latin1');
    expect(await credentialsOf(config(user))).toMatchObject({
      headers: {
        'impersonate-user': utf8('Łuk'),
        'impersonate-group': [utf8('é')],
        "impersonate-extra-a%28b%29'c": [utf8('ß')],
      },
    });
  });

  test('come from an exec plugin beside the kubeconfig, which receives the cluster and runs again with force', async () => {
    await plugin(
      'exec/plugin.sh',
      `cd "$(dirname "$0")"; echo run >> runs; printf %s "$KUBERNETES_EXEC_INFO" > info
printf '{"status":{"token":"token-%s"}}' "$(wc -l < runs | tr -d ' ')"`,
    );
    const exec = {
      apiVersion: 'client.authentication.k8s.io/v1',
      command: './plugin.sh',
      provideClusterInfo: true,
    };
    const extension = { name: 'client.authentication.k8s.io/exec', extension: { id: 'c-1' } };
    const text = config({ exec }, { extensions: [extension] });
    const cluster = await loadCluster({ file: await file('exec/config', text) });
    const token = async (force: boolean): Promise<unknown> =>
      (await cluster.credentials?.({ force }))?.headers?.['authorization'];
    expect([await token(false), await token(false), await token(true), await token(false)]).toEqual(
      ['Bearer token-1', 'Bearer token-1', 'Bearer token-2', 'Bearer token-2'],
    );
    const info = await readFile(path.join(directory, 'exec/info'), 'utf8');
    expect(JSON.parse(info)).toMatchObject({
      apiVersion: 'client.authentication.k8s.io/v1',
      kind: 'ExecCredential',
      spec: {
        interactive: false,
        cluster: { server: 'https://127.0.0.1:6443', config: { id: 'c-1' } },
      },
    });
  });

  test('may be a client certificate of an exec plugin', async () => {
    const { cert, key } = clientCertificate;
    const credential = { clientCertificateData: cert, clientKeyData: key };
    await file('cert/output', JSON.stringify({ status: credential }));
    const command = await plugin('cert/plugin.sh', 'cat "$(dirname "$0")/output"');
    expect(await credentialsOf(config({ exec: { command } }))).toEqual({
      headers: {},
      tls: { cert, key },
    });
  });

  test('are refreshed by the command of an auth provider after a refusal', async () => {
    const command = await plugin(
      'gcp/plugin.sh',
      `printf '{"t":"new","e":"2126-01-01T00:00:00Z"}'`,
    );
    const provider = {
      name: 'gcp',
      config: {
        'access-token': 'old',
        expiry: '2125-01-01T00:00:00Z',
        'cmd-path': command,
        'token-key': '{.t}',
        'expiry-key': '{.e}',
      },
    };
    const cluster = await load(config({ 'auth-provider': provider }));
    const before = await cluster.credentials?.({ force: false });
    expect(before?.headers?.['authorization']).toBe('Bearer old');
    const after = await cluster.credentials?.({ force: true });
    expect(after?.headers?.['authorization']).toBe('Bearer new');
  });

  test('may come from a custom authenticator of a KubeConfig', async () => {
    const { KubeConfig } = await loadClientNode();
    const kubeConfig = new KubeConfig();
    kubeConfig.addAuthenticator({
      isAuthProvider: (user) =>
        (user.authProvider as { name?: string } | undefined)?.name === 'mine',
      async applyAuthentication(_user, options) {
        options.headers = { 'X-Mine': 'yes' };
      },
    });
    kubeConfig.loadFromString(config({ 'auth-provider': { name: 'mine' } }));
    const cluster = await loadCluster({ kubeConfig });
    expect(await cluster.credentials?.({ force: true })).toMatchObject({
      headers: { 'x-mine': 'yes' },
    });
  });

  test('are fetched without a change of the given KubeConfig', async () => {
    const { KubeConfig } = await loadClientNode();
    const kubeConfig = new KubeConfig();
    const exec = { apiVersion: 'v1', command: 'true' };
    kubeConfig.loadFromString(config({ exec }, { server: 'http://127.0.0.1' }));
    const before = kubeConfig.exportConfig();
    await rejection(
      Promise.resolve((await loadCluster({ kubeConfig })).credentials?.({ force: true })),
    );
    expect(kubeConfig.exportConfig()).toBe(before);
  });
});

describe('401', () => {
  test.each(['exec', 'tokenFile'])('RF45 refreshes a refused %s token once', async (kind) => {
    let accepted = 'token-1';
    await using server = await startServer(({ headers }, response) => {
      if (headers.authorization === `Bearer ${accepted}`) json(response, { metadata: {} });
      else status(response, 401, 'Unauthorized');
    });
    const tokenFile = await file(`401-${kind}/token`, accepted);
    const command = await plugin(
      `401-${kind}/plugin.sh`,
      `printf '{"status":{"token":"%s"}}' "$(cat "$(dirname "$0")/token")"`,
    );
    const user = kind === 'exec' ? { exec: { command } } : { tokenFile };
    const cluster = await load(config(user, { server: server.url }));
    await using client = createClient({ cluster });
    await client.get(builtin.Node, { name: 'a' });
    accepted = 'token-2';
    await writeFile(tokenFile, accepted);
    const gets = Array.from({ length: 5 }, () => client.get(builtin.Node, { name: 'a' }));
    await expect(Promise.all(gets)).resolves.toHaveLength(5);
  });
});

describe('errors', () => {
  const environment = process.env['KUBECONFIG'];
  afterEach(() => {
    if (environment === undefined) delete process.env['KUBECONFIG'];
    else process.env['KUBECONFIG'] = environment;
  });

  test('KUBECONFIG_NOT_FOUND lists the files that were searched', async () => {
    const absent = path.join(directory, 'absent');
    expect(await rejection(loadCluster({ file: absent }))).toMatchObject({
      code: 'KUBECONFIG_NOT_FOUND',
      facts: { looked: [absent] },
    });
    process.env['KUBECONFIG'] = absent;
    expect(await rejection(loadCluster())).toMatchObject({
      code: 'KUBECONFIG_NOT_FOUND',
      facts: { looked: [absent] },
    });
  });

  test.each<[string, object, 'plugins' | 'files']>([
    ['exec', { exec: { apiVersion: 'client.authentication.k8s.io/v1', command: 'sh' } }, 'plugins'],
    [
      'auth-provider',
      { 'auth-provider': { name: 'gcp', config: { 'cmd-path': 'sh' } } },
      'plugins',
    ],
    ['auth-provider', { 'auth-provider': { name: 'oidc', config: {} } }, 'plugins'],
    ['tokenFile', { tokenFile: '/etc/token' }, 'files'],
    ['client-key', { 'client-key': '/etc/key', 'client-certificate-data': 'eA==' }, 'files'],
    ['client-certificate', { 'client-certificate': '/etc/crt' }, 'files'],
  ])('KUBECONFIG_REFUSED names %s, unless it is allowed', async (member, user, power) => {
    const error = await rejection(load(config(user), { allow: [] }));
    expect(error).toMatchObject({ code: 'KUBECONFIG_REFUSED', facts: { member, allow: power } });
    expect(await load(config(user), { allow: [power] })).toHaveProperty('server');
    const wrong = rejection(load(config(user), { allow: ['all' as never] }));
    expect(await wrong).toMatchObject({ code: 'INVALID_OPTION' });
  });

  test('KUBECONFIG_INVALID names file, line and reason without quotes', async () => {
    const broken = `clusters:\n- name: a\nusers:\n- name: u\n  user: { token: "${secret}\n`;
    const at = await file('broken', broken);
    const error = await rejection(loadCluster({ file: at }));
    expect(error).toMatchObject({ code: 'KUBECONFIG_INVALID', facts: { file: at } });
    expect(error.message).toMatch(/line=\d/);
    expect(error.message + String(error.stack) + String(error.cause)).not.toContain(secret);
  });

  test.each([
    ['just a string', 'it is not a mapping'],
    ['[]', 'it is not a mapping'],
    [
      JSON.stringify({ clusters: [{ name: 'c', cluster: {} }] }),
      'clusters[0].cluster.server is missing',
    ],
    [JSON.stringify({ users: [{ user: { token: secret } }] }), 'users[0].name is missing'],
  ])('KUBECONFIG_INVALID for %s', async (text, reason) => {
    const error = await rejection(load(text));
    expect(error).toMatchObject({ code: 'KUBECONFIG_INVALID', facts: { reason } });
    expect(error.message).not.toContain(secret);
  });

  test('KUBECONFIG_INVALID is thrown if a context names a missing cluster or user', async () => {
    expect(await rejection(load(config({}, {}, { cluster: 'nope' })))).toMatchObject({
      code: 'KUBECONFIG_INVALID',
      facts: { context: 'x', cluster: 'nope' },
    });
    expect(await rejection(load(config({}, {}, { user: 'nope' })))).toMatchObject({
      code: 'KUBECONFIG_INVALID',
      facts: { context: 'x', user: 'nope' },
    });
  });

  test('NO_CURRENT_CONTEXT lists the existing contexts', async () => {
    const text = config({}).replace('"current-context":"x"', '"current-context":""');
    expect(await rejection(load(text))).toMatchObject({
      code: 'NO_CURRENT_CONTEXT',
      facts: { contexts: ['x'] },
    });
    await expect(load(text, { context: 'x' })).resolves.toMatchObject({
      server: 'https://127.0.0.1:6443',
    });
  });

  test('CONTEXT_NOT_FOUND names the context and lists the existing ones', async () => {
    expect(await rejection(load(config({}), { context: 'y' }))).toMatchObject({
      code: 'CONTEXT_NOT_FOUND',
      facts: { context: 'y', contexts: ['x'] },
    });
  });

  test('INVALID_CLUSTER is thrown for a server that is not a URL', async () => {
    expect(await rejection(load(config({}, { server: 'kube' })))).toMatchObject({
      code: 'INVALID_CLUSTER',
    });
  });

  test('INVALID_OPTION is thrown for unknown options and for two sources', async () => {
    expect(await rejection(loadCluster({ path: 'x' } as never))).toMatchObject({
      code: 'INVALID_OPTION',
      facts: { option: 'loadCluster.path' },
    });
    expect(await rejection(loadCluster({ file: 'x', kubeConfig: 'y' }))).toMatchObject({
      code: 'INVALID_OPTION',
      facts: { option: 'loadCluster.file' },
    });
  });

  test.each([
    ['prints invalid JSON', `echo 'oops ${secret}'`, 'the output is not JSON'],
    [
      'fails with a message',
      `echo 'no session: run login ${secret}' >&2; exit 1`,
      'no session: run login …',
    ],
    ['fails without a message', 'exit 1', 'it failed without a message'],
    ['prints no status', `printf '{"token":"${secret}"}'`, 'the output has no status'],
  ])(
    'CREDENTIALS_FAILED is thrown when a plugin %s, with its text redacted',
    async (name, script, reason) => {
      const command = await plugin(`bad/${name}.sh`, script);
      const error = await rejection(credentialsOf(config({ exec: { command } })));
      expect(error).toMatchObject({
        code: 'CREDENTIALS_FAILED',
        facts: { user: 'u', kind: 'exec', command, reason },
      });
      expect(error.message + String(error.stack)).not.toContain(secret);
      expect(error.cause).toBeUndefined();
    },
  );

  test('CREDENTIALS_FAILED contains the install hint of a missing plugin', async () => {
    const exec = { command: 'keelson-no-such-plugin', installHint: 'get it' };
    expect(await rejection(credentialsOf(config({ exec })))).toMatchObject({
      code: 'CREDENTIALS_FAILED',
      facts: { reason: 'ENOENT', command: 'keelson-no-such-plugin', hint: 'get it' },
    });
  });

  test('CREDENTIALS_FAILED is thrown for a missing file', async () => {
    const user = { tokenFile: path.join(directory, 'absent') };
    expect(await rejection(credentialsOf(config(user)))).toMatchObject({
      code: 'CREDENTIALS_FAILED',
      facts: { kind: 'tokenFile', reason: 'ENOENT' },
    });
  });
});

describe('kubeconfig files', () => {
  test('give the namespace and the proxy of the context', async () => {
    const text = config({}, { 'proxy-url': 'http://proxy:3128' }, { namespace: 'team' });
    await expect(load(text)).resolves.toMatchObject({
      namespace: 'team',
      proxy: 'http://proxy:3128',
    });
  });

  test('are merged: the first definition wins, and missing files are skipped', async () => {
    const first = await file('m/1', config({ token: 'first' }));
    const second = await file('m/2', config({ token: 'second' }).replaceAll('"x"', '"y"'));
    const before = process.env['KUBECONFIG'];
    process.env['KUBECONFIG'] = [path.join(directory, 'absent'), first, second].join(
      path.delimiter,
    );
    try {
      const [x, y] = await Promise.all([loadCluster(), loadCluster({ context: 'y' })]);
      const tokens = await Promise.all(
        [x, y].map(async (each) => each.credentials?.({ force: false })),
      );
      expect(tokens.map((each) => each?.headers?.['authorization'])).toEqual([
        'Bearer first',
        'Bearer first',
      ]);
    } finally {
      if (before === undefined) delete process.env['KUBECONFIG'];
      else process.env['KUBECONFIG'] = before;
    }
  });

  test('are searched in the home directory, then in the service account of a Pod', async () => {
    const home = path.join(directory, 'home');
    const token = await file('sa/token', 'x');
    const pod = { KUBERNETES_SERVICE_HOST: '10.0.0.1', KUBERNETES_SERVICE_PORT: '443' };
    expect(await findKubeConfig(pod, home, token)).toEqual({ server: 'https://10.0.0.1:443' });
    expect(await rejection(findKubeConfig({}, home, token))).toMatchObject({
      code: 'KUBECONFIG_NOT_FOUND',
      facts: { looked: [path.join(home, '.kube', 'config')], inCluster: false },
    });
    const at = await file('home/.kube/config', '');
    expect(await findKubeConfig(pod, home, token)).toEqual({ files: [at] });
  });
});
