import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import { builtin } from '@keelson/apimachinery';
import { serverCertificate } from '../testing/certificates.test-support.ts';
import { createClient } from '../verbs/create-client.ts';
import { loadCluster } from './kubeconfig/kubeconfig.ts';
import { kubeConfigOf } from '../testing/kubeconfig.test-support.ts';
import { proxyFor } from './proxy-environment.ts';
import { json, startServer } from '../testing/recording-server.test-support.ts';

const proxy = 'http://proxy.example:3128';

function goesThrough(server: string, exceptions: string): boolean {
  return proxyFor(new URL(server), { HTTPS_PROXY: proxy, NO_PROXY: exceptions }) === proxy;
}

describe('the proxy of the environment', () => {
  test('is HTTPS_PROXY for https and HTTP_PROXY for http, in capitals or lower case', () => {
    const both = { HTTPS_PROXY: 'http://s:1', HTTP_PROXY: 'http://p:1' };
    expect(proxyFor(new URL('https://k8s.example'), both)).toBe('http://s:1');
    expect(proxyFor(new URL('http://k8s.example'), both)).toBe('http://p:1');
    expect(proxyFor(new URL('https://k8s.example'), { https_proxy: proxy })).toBe(proxy);
    expect(proxyFor(new URL('https://k8s.example'), { HTTPS_PROXY: '', https_proxy: proxy })).toBe(
      proxy,
    );
  });

  test('is not used for the other scheme, and ALL_PROXY has no effect', () => {
    expect(proxyFor(new URL('https://k8s.example'), { HTTP_PROXY: proxy })).toBeUndefined();
    expect(proxyFor(new URL('http://k8s.example'), { HTTPS_PROXY: proxy })).toBeUndefined();
    expect(proxyFor(new URL('https://k8s.example'), { ALL_PROXY: proxy })).toBeUndefined();
  });

  test('may lack its scheme, which is http by default', () => {
    const environment = { HTTPS_PROXY: 'proxy.example:3128' };
    expect(proxyFor(new URL('https://k8s.example'), environment)).toBe(proxy);
    const socks = { HTTPS_PROXY: 'socks5://proxy.example:1080' };
    expect(proxyFor(new URL('https://k8s.example'), socks)).toBe('socks5://proxy.example:1080');
  });

  test.each(['localhost', 'LOCALHOST', 'localhost.', '127.0.0.1', '127.8.9.10', '[::1]'])(
    'is not used for %s',
    (host) => expect(goesThrough(`https://${host}:6443`, '')).toBe(false),
  );

  test.each([
    ['k8s.example', ''],
    ['k8s.example', 'other.example'],
    ['notk8s.example', 'k8s.example'],
    ['k8s.example', '.k8s.example'],
    ['k8s.example', '*.k8s.example'],
    ['k8s.example', 'k8s.example:443'],
    ['10.0.0.1', '10.0.0.2'],
    ['10.0.0.1', '10.1.0.0/16'],
    ['10.0.0.1', '10.0.0.0/33'],
    ['10.0.0.1', '0.0.1'],
    ['[fd00::1]', 'fd01::/16'],
    ['k8s.example', '10.0.0.0/8'],
  ])('is used for %s with NO_PROXY=%s', (host, exceptions) => {
    expect(goesThrough(`https://${host}:6443`, exceptions)).toBe(true);
  });

  test.each([
    ['k8s.example', '*'],
    ['k8s.example', 'other, *'],
    ['k8s.example', 'k8s.example'],
    ['K8S.Example', 'k8s.eXample'],
    ['k8s.example', 'other.example, k8s.example'],
    ['a.k8s.example', 'k8s.example'],
    ['a.k8s.example', '.k8s.example'],
    ['a.k8s.example', '*.k8s.example'],
    ['k8s.example', 'k8s.example:6443'],
    ['10.0.0.1', '10.0.0.1'],
    ['10.0.0.1', '10.0.0.1:6443'],
    ['10.0.0.1', '10.0.0.0/8'],
    ['[fd00::1]', 'fd00::/16'],
    ['[fd00::1]', 'fd00:0::1'],
    ['[fd00::1]', '[fd00::1]:6443'],
  ])('is not used for %s with NO_PROXY=%s', (host, exceptions) => {
    expect(goesThrough(`https://${host}:6443`, exceptions)).toBe(false);
  });
});

describe('loadCluster', () => {
  const names = ['HTTPS_PROXY', 'https_proxy', 'NO_PROXY', 'no_proxy'];

  /** Runs with only these environment variables. */
  async function within<Result>(environment: object, run: () => Promise<Result>): Promise<Result> {
    const before = names.map((name) => [name, process.env[name]] as const);
    for (const name of names) delete process.env[name];
    Object.assign(process.env, environment);
    try {
      return await run();
    } finally {
      for (const name of names) delete process.env[name];
      for (const [name, value] of before) if (value !== undefined) process.env[name] = value;
    }
  }

  async function proxyWith(environment: object, cluster: object = {}): Promise<unknown> {
    const server = 'https://k8s.example:6443';
    const kubeConfig = kubeConfigOf({}, { server, ...cluster });
    return (await within(environment, () => loadCluster({ kubeConfig }))).proxy;
  }

  test('uses the proxy of the kubeconfig, else that of the environment', async () => {
    expect(await proxyWith({})).toBeUndefined();
    expect(await proxyWith({ HTTPS_PROXY: proxy })).toBe(proxy);
    expect(await proxyWith({ HTTPS_PROXY: proxy, NO_PROXY: '.example' })).toBeUndefined();
    const own = { 'proxy-url': 'http://own.example:1' };
    expect(await proxyWith({ HTTPS_PROXY: proxy }, own)).toBe('http://own.example:1');
    expect(await proxyWith({ HTTPS_PROXY: proxy, NO_PROXY: '*' }, own)).toBe(
      'http://own.example:1',
    );
  });

  test('sends requests, also those to an identity provider, through the proxy of the environment', async () => {
    await using server = await startServer(({ url, method }, response) => {
      const endpoint = `https://server.example:${server.port}`;
      if (url.pathname.startsWith('/api/')) json(response, { metadata: {} });
      else if (method === 'GET') json(response, { token_endpoint: `${endpoint}/token` });
      else json(response, { id_token: 'granted' });
    }, serverCertificate);
    await using tunnel = await startTunnel(server.port);
    const address = `https://server.example:${server.port}`;
    const authority = Buffer.from(serverCertificate.cert).toString('base64');
    const config = {
      'idp-issuer-url': address,
      'idp-certificate-authority-data': authority,
      'client-id': 'keelson',
      'refresh-token': 'refresh',
    };
    const kubeConfig = kubeConfigOf(
      { 'auth-provider': { name: 'oidc', config } },
      { server: address, 'certificate-authority-data': authority },
    );
    const environment = { HTTPS_PROXY: tunnel.url };
    await within(environment, async () => {
      await using client = createClient({ cluster: () => loadCluster({ kubeConfig }) });
      await client.get(builtin.Node, { name: 'a' });
    });
    expect(tunnel.asked).toEqual(Array(3).fill(`server.example:${server.port}`));
    expect(server.requests.at(-1)?.headers.authorization).toBe('Bearer granted');
  });
});

/** An HTTP proxy whose tunnels all lead to one port, and the hosts that clients requested. */
async function startTunnel(
  port: number,
): Promise<{ url: string; asked: (string | undefined)[] } & AsyncDisposable> {
  const asked: (string | undefined)[] = [];
  const open = new Set<Socket>();
  const server = createServer();
  server.on('connect', (request, socket: Socket) => {
    asked.push(request.url);
    const upstream = connect(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      upstream.pipe(socket).pipe(upstream);
    });
    for (const each of [socket, upstream]) open.add(each.on('error', () => undefined));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
