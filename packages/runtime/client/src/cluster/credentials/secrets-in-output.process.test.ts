import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { inspect } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { builtin } from '@keelson/apimachinery';
import { secretSamples, leakedSecrets } from './secret-samples.test-support.ts';
import { serverCertificate } from '../../testing/certificates.test-support.ts';
import type { Client } from '../../verbs/client.ts';
import type { Cluster } from '../cluster.ts';
import { createClient } from '../../verbs/create-client.ts';
import { loadCluster } from '../kubeconfig/kubeconfig.ts';
import { kubeConfigOf, openFolder } from '../../testing/kubeconfig.test-support.ts';
import type { ClientObserver } from '../../http/observer.ts';
import { rejection, startServer } from '../../testing/recording-server.test-support.ts';

const name = { namespace: 'default', name: 'a' };

/** Records everything that an observer receives. */
function recorder(): { observer: ClientObserver; observed: unknown[] } {
  const observed: unknown[] = [];
  const keep = (...event: unknown[]): void => void observed.push(event);
  const observer: Required<ClientObserver> = {
    requestStarted: keep,
    requestEnded: keep,
    requestRetried: keep,
    credentialsRefreshed: keep,
    credentialsFailed: keep,
    warning: keep,
    protobufRefused: keep,
    // The objects of the API are for the caller, not for logs.
    objectReturned: () => undefined,
  };
  return { observer, observed };
}

/**
 * Runs calls against a cluster and returns their errors, the events of the observer and the inspected client.
 */
async function shownBy(
  cluster: Cluster | (() => Promise<Cluster>),
  run: (client: Client) => readonly Promise<unknown>[],
): Promise<unknown[]> {
  const { observer, observed } = recorder();
  const retry = { attempts: 2, base: 0 };
  await using client = createClient({ cluster, observer, retry });
  const ends = await Promise.allSettled(run(client));
  const errors = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason as unknown] : []));
  expect(errors).not.toEqual([]);
  return [...errors, ...observed, inspect(client, { depth: Infinity, showHidden: true })];
}

async function exhaust(iterable: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of iterable);
}

/** Calls of each kind, with the secret in each part of a request that may contain one. */
function calls(secret: string): (client: Client) => readonly Promise<unknown>[] {
  const object = { metadata: name, stringData: { password: secret } };
  const body = [{ op: 'add', path: '/data/a', value: secret }] as const;
  const { signal } = new AbortController();
  return (client) => [
    client.get(builtin.Secret, name),
    client.list(builtin.Secret),
    client.items(builtin.Secret).next(),
    client.create(builtin.Secret, object),
    client.update(builtin.Secret, object),
    client.apply(builtin.Secret, object),
    client.patch(builtin.Secret, name, { type: 'json', body }),
    exhaust(client.watch(builtin.Secret)),
    exhaust(client.listerWatcher({ resource: builtin.Secret }).list({ signal })),
    client.listerWatcher({ resource: builtin.Deployment }).isServed(signal),
    client.discovery.resources(),
    client.request({ path: '/x', query: { token: secret }, headers: { 'x-token': secret } }),
    client.request({ method: 'POST', path: `/x?token=${secret}`, body: secret }),
    client.request({ path: `x?token=${secret}` }),
  ];
}

/** Starts a server that responds to any request with these bytes, and then closes the connection. */
async function startRawServer(
  bytes: (request: string) => string,
): Promise<{ url: string } & AsyncDisposable> {
  const open = new Set<Socket>();
  const server: Server = createServer((socket) => {
    open.add(socket);
    socket.on('error', () => undefined);
    socket.once('data', (request) => socket.end(bytes(request.toString('latin1'))));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const head = (status: number, type: string, more = ''): string =>
  `HTTP/1.1 ${status} Text\r\ncontent-type: ${type}\r\n${more}`;

const json = (status: number, body: object): string =>
  `${head(status, 'application/json')}\r\n${JSON.stringify(body)}`;

/** Writes a text in JSON with every character as an escape. */
const escaped = (text: string): string =>
  Array.from(text, (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');

/** Unusable responses that contain a secret or echo the request. */
const responses: Readonly<Record<string, (secret: string, request: string) => string>> = {
  'a chunk whose size is malformed': (secret) =>
    `${head(200, 'application/json', 'transfer-encoding: chunked\r\n')}\r\n{"data":"${secret}"}\r\n`,
  'a second chunk whose size is malformed': (secret) =>
    `${head(200, 'application/json', 'transfer-encoding: chunked\r\n')}\r\n2\r\n{"\r\nxyz${secret}\r\n`,
  'a malformed chunk of an error': (secret) =>
    `${head(500, 'application/json', 'transfer-encoding: chunked\r\n')}\r\n{"data":"${secret}"}\r\n`,
  'a header that is malformed': (secret) => `HTTP/1.1 200 OK\r\nx-${secret}\x00: a\r\n\r\n`,
  'no HTTP': (secret) => `${secret}\r\n\r\n`,
  'a body that is cut off': (secret) =>
    `${head(200, 'application/json', 'content-length: 9999\r\n')}\r\n{"data":"${secret}"}`,
  'JSON that does not parse': (secret) => `${head(200, 'application/json')}\r\n{"data":"${secret}`,
  'a string': (secret) => `${head(200, 'text/plain')}\r\n${secret}`,
  'an invalid list': (secret) => `${head(200, 'application/json')}\r\n{"items":{"a":"${secret}"}}`,
  'a string instead of an object': (secret) => `${head(200, 'application/json')}\r\n"${secret}"`,
  'an invalid compressed body': (secret) =>
    `${head(200, 'application/json', 'content-encoding: gzip\r\n')}\r\n${secret}`,
  'a redirect': (secret) =>
    `${head(302, 'text/html', `location: http://127.0.0.1/?token=${secret}\r\n`)}\r\n`,
  'a media type': (secret) => `${head(200, `text/html; session=${secret}`)}\r\n<html>`,
  'a media type of an error': (secret) => `${head(500, `text/html; session=${secret}`)}\r\n<html>`,
  'a kind': (secret) => json(200, { kind: secret, apiVersion: secret, items: [] }),
  'a status that is not one': (secret) => json(200, { kind: 'Status', status: secret }),
  'a Status with it in every member': (secret) =>
    json(409, {
      kind: 'Status',
      reason: secret,
      message: secret,
      metadata: { [secret]: secret },
      details: { name: secret, kind: secret, causes: [{ message: secret, field: secret }] },
    }),
  'a Status that escapes it': (secret) =>
    `${head(403, 'application/json')}\r\n{"kind":"Status","message":"${escaped(secret)}"}`,
  'a long text': (secret) => `${head(400, 'text/plain')}\r\n${'x'.repeat(1010)}${secret}`,
  'a warning': (secret) =>
    `${head(200, 'application/json', `warning: 299 - "${secret}"\r\n`)}\r\n{"items":{}}`,
  'an event of an unknown type': (secret) => json(200, { type: secret, object: {} }),
  'an event of another kind': (secret) => json(200, { type: 'ADDED', object: { kind: secret } }),
  'an ERROR event': (secret) =>
    json(200, { type: 'ERROR', object: { kind: 'Status', reason: secret, message: secret } }),
  'an ERROR event after another event': (secret) =>
    `${json(200, { type: 'ADDED', object: {} })}\n${JSON.stringify({
      type: 'ERROR',
      object: { kind: 'Status', reason: secret, message: secret },
    })}`,
  'the request, echoed as a string': (_secret, request) =>
    `${head(400, 'text/plain')}\r\n${request}`,
  'the headers, echoed as a Status': (_secret, request) =>
    `${head(403, 'application/json')}\r\n${JSON.stringify({
      kind: 'Status',
      message: request.split('\r\n\r\n', 1)[0],
    })}`,
  'a refusal that echoes the headers': (_secret, request) =>
    `${head(401, 'application/json')}\r\n${JSON.stringify({
      kind: 'Status',
      message: request.split('\r\n\r\n', 1)[0],
    })}`,
};

const basic = (secret: string): string => Buffer.from(`eve:${secret}`).toString('base64');

/** Clusters whose credentials contain the secret. */
const clusters: Readonly<Record<string, (secret: string, server: string) => Promise<Cluster>>> = {
  'a token': async (secret, server) => ({ server, token: secret }),
  'headers that a function returns': async (secret, server) => ({
    server,
    credentials: async () => ({
      headers: { authorization: `Bearer ${secret}`, 'x-api-key': secret },
    }),
  }),
  'a password': (secret, server) => {
    const user = { username: 'eve', password: secret };
    return loadCluster({ kubeConfig: kubeConfigOf(user, { server }) });
  },
};

describe.each(secretSamples)('the secret %p', (secret) => {
  const cases = Object.entries(responses).flatMap(([what, response]) =>
    Object.entries(clusters).map(([how, cluster]) => [how, what, cluster, response] as const),
  );

  test.each(cases)(
    'does not appear in any output of a client with %s if the server sends %s',
    async (_how, _what, cluster, response) => {
      await using server = await startRawServer((request) => response(secret, request));
      // A response that echoes the body is text of the server, so the body contains no secret then.
      const sent = response.length > 1 ? 'a' : secret;
      const shown = await shownBy(await cluster(secret, server.url), calls(sent));
      expect(leakedSecrets(...shown)).toEqual([]);
      expect(shown.join()).not.toContain(basic(secret));
    },
  );

  const settings: Readonly<Record<string, unknown>> = {
    token: secret,
    password: secret,
    'client-key-data': secret,
    'client-certificate-data': secret,
    'as-groups': secret,
    'as-user-extra': { a: secret },
    exec: { command: 'false', args: [secret], env: [{ name: 'A', value: secret }] },
    'auth-provider': {
      name: 'oidc',
      config: {
        'idp-issuer-url': 'https://127.0.0.1:1',
        'client-id': 'keelson',
        'client-secret': secret,
        'refresh-token': secret,
        'id-token': secret,
      },
    },
    tokenFile: { a: secret },
  };

  test.each(Object.entries(settings))(
    'does not appear in any output if it is %s of a user',
    async (member, value) => {
      const both = [
        { [member]: value, username: 'eve', 'client-certificate-data': secret },
        { [member]: value },
        { [member]: [value] },
      ];
      for (const user of both) {
        const load = (): Promise<Cluster> => loadCluster({ kubeConfig: kubeConfigOf(user) });
        const shown = await shownBy(load, (client) => [client.get(builtin.Secret, name)]);
        expect(leakedSecrets(...shown)).toEqual([]);
      }
    },
  );

  test.each([
    ['a YAML that breaks', `users: [{ name: u, user: { token: "${secret}`],
    ['a YAML with an unknown tag', `token: !${secret} a`],
    ['a YAML with an unknown alias', `token: *${secret}`],
    ['a YAML with a key twice', `{ ${secret}: 1, ${secret}: 2 }`],
    ['a string', secret],
    ['a list', `[${secret}]`],
  ])('when the kubeconfig is %s', async (_what, kubeConfig) => {
    expect(leakedSecrets(await rejection(loadCluster({ kubeConfig })))).toEqual([]);
  });

  const urls: Readonly<Record<string, Partial<Cluster>>> = {
    'the password of the server': { server: `http://eve:${secret}@127.0.0.1:1` },
    'the query of the server': { server: `http://127.0.0.1:1/?token=${secret}` },
    'the password of a proxy': { proxy: `http://eve:${secret}@127.0.0.1:1` },
    'the password of a SOCKS proxy': { proxy: `socks5://eve:${secret}@127.0.0.1:1` },
    'a proxy without its scheme': { proxy: `${secret}:secret@127.0.0.1:1` },
    'a proxy that is not a URL': { proxy: secret },
    'a server that is not a URL': { server: secret },
    'a token of two lines': { token: `a\n${secret}` },
    'a member that does not exist': { password: secret } as Partial<Cluster>,
    'a key': { tls: { cert: secret, key: secret } },
    'a key that is not that of the certificate': {
      tls: { cert: serverCertificate.cert, key: secret, passphrase: secret },
    },
    'an archive': { tls: { pfx: Buffer.from(secret), passphrase: secret } },
    'a namespace that is not a string': { namespace: [secret] as never },
  };

  test.each(Object.entries(urls))(
    'does not appear in any output if it is %s',
    async (_what, member) => {
      const cluster = { server: 'https://127.0.0.1:1', ...member };
      const shown = await shownBy(
        async () => cluster,
        (client) => [client.get(builtin.Secret, name)],
      );
      expect(leakedSecrets(...shown)).toEqual([]);
      const { server, proxy } = cluster;
      const text = kubeConfigOf({}, { server, 'proxy-url': proxy });
      const load = (): Promise<Cluster> => loadCluster({ kubeConfig: text });
      const loaded = await shownBy(load, (client) => [client.get(builtin.Secret, name)]);
      expect(leakedSecrets(...loaded)).toEqual([]);
    },
  );

  test.each([
    ['its output', (text: string) => `printf '${text}'`],
    ['its output and it fails', (text: string) => `printf '${text}'; exit 1`],
    ['its token and its complaint', (text: string) => `echo '{"password":"${text}"}' >&2; exit 1`],
    ['its error output', (text: string) => `echo 'token=${text}' >&2; exit 1`],
    ['an invalid status', (text: string) => `echo '{"status":"${text}"}'`],
    [
      'a token that no header can hold',
      (text: string) => `echo '{"status":{"token":"a ${text}"}}'`,
    ],
    [
      'a certificate',
      (text: string) =>
        `echo '{"status":{"clientCertificateData":"${text}","clientKeyData":"${text}"}}'`,
    ],
    [
      'an expiry',
      (text: string) => `echo '{"status":{"token":"a","expirationTimestamp":"${text}"}}'`,
    ],
    ['a kind', (text: string) => `echo '{"kind":"${text}","status":{"token":"a"}}'`],
  ])('when a plugin prints it as %s', async (_what, script) => {
    await using folder = await openFolder();
    const command = await folder.script('plugin.sh', script(secret));
    const provider = { name: 'gcp', config: { 'cmd-path': command } };
    for (const user of [{ exec: { command } }, { 'auth-provider': provider }]) {
      const load = (): Promise<Cluster> => loadCluster({ kubeConfig: kubeConfigOf(user) });
      const shown = await shownBy(load, (client) => [client.get(builtin.Secret, name)]);
      expect(leakedSecrets(...shown)).toEqual([]);
    }
  });

  test('does not appear in any output if it is in a token file of two lines', async () => {
    await using folder = await openFolder();
    const tokenFile = await folder.file('token', `${secret}\n${secret}`);
    const load = (): Promise<Cluster> => loadCluster({ kubeConfig: kubeConfigOf({ tokenFile }) });
    const shown = await shownBy(load, (client) => [client.get(builtin.Secret, name)]);
    expect(leakedSecrets(...shown)).toEqual([]);
  });

  test.each([
    ['a status', (text: string) => [400, JSON.stringify({ error: text, error_description: text })]],
    ['no JSON', (text: string) => [200, `{"id_token":"${text}`]],
    ['a token that no header can hold', (text: string) => [200, `{"id_token":"a ${text}"}`]],
    ['an endpoint elsewhere', (text: string) => [200, `{"token_endpoint":"https://${text}/"}`]],
    ['an endpoint that is not a URL', (text: string) => [200, `{"token_endpoint":"${text}"}`]],
  ] as const)('when an identity provider responds with %s', async (_what, respond) => {
    const [code, text] = respond(secret);
    await using provider = await startServer(({ method }, response) => {
      const own = JSON.stringify({ token_endpoint: `${provider.url}/token` });
      const isDiscovery = method === 'GET' && !String(text).includes('token_endpoint');
      response.writeHead(isDiscovery ? 200 : Number(code)).end(isDiscovery ? own : text);
    });
    const config = {
      'idp-issuer-url': provider.url,
      'client-id': 'keelson',
      'client-secret': secret,
      'refresh-token': secret,
    };
    const user = { 'auth-provider': { name: 'oidc', config } };
    const load = (): Promise<Cluster> => loadCluster({ kubeConfig: kubeConfigOf(user) });
    const shown = await shownBy(load, (client) => [client.get(builtin.Secret, name)]);
    expect(leakedSecrets(...shown)).toEqual([]);
  });
});
