import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { get } from 'node:https';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { ApiServer } from '../../server/api-server.ts';
import { UsageError } from '../flags/flag-values.ts';
import { ignoredFlags, startKubeApiserver } from './kube-apiserver.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'keelson-assets-'));
});

afterEach(() => rm(folder, { recursive: true }));

const start = (...words: string[]): Promise<ApiServer> =>
  startKubeApiserver(['--secure-port=0', `--cert-dir=${folder}`, ...words]);

/** Status of a request without credentials, over the certificate of the folder. */
async function statusOf(server: ApiServer, path: string): Promise<number | undefined> {
  const ca = await readFile(join(folder, 'apiserver.crt'));
  const request = get(server.url + path, { ca, agent: false });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  response.resume();
  return response.statusCode;
}

describe('the stand-in for kube-apiserver', () => {
  test('serves a certificate that it writes into the folder, whose key only the owner reads', async () => {
    await using server = await start('--authorization-mode=RBAC');
    expect((await readdir(folder)).toSorted()).toEqual(['apiserver.crt', 'apiserver.key']);
    expect((await stat(join(folder, 'apiserver.key'))).mode & 0o777).toBe(0o600);
    expect(await statusOf(server, '/healthz')).toBe(200);
    expect(await statusOf(server, '/api/v1/secrets')).toBe(403);
  });

  test('serves the certificate that it finds there', async () => {
    const first = await start();
    await first.close();
    const cert = await readFile(join(folder, 'apiserver.crt'), 'utf8');
    await using second = await start('--authorization-mode=RBAC');
    expect(await readFile(join(folder, 'apiserver.crt'), 'utf8')).toBe(cert);
    expect(await statusOf(second, '/healthz')).toBe(200);
  });

  test.each([['apiserver.crt'], ['apiserver.key']])(
    'refuses a folder with %s alone',
    async (file) => {
      await writeFile(join(folder, file), '');
      await expect(start()).rejects.toThrow('is missing, beside its other half');
      expect(await readdir(folder)).toEqual([file]);
    },
  );

  test('accepts no anonymous request if every user may do everything, as kube-apiserver', async () => {
    await using server = await start('--authorization-mode=RBAC,AlwaysAllow', '--anonymous-auth');
    expect(await statusOf(server, '/healthz')).toBe(401);
  });

  test('gives Services addresses of the range', async () => {
    await using server = await start('--service-cluster-ip-range=10.9.0.0/24');
    const headers = { authorization: `Bearer ${server.cluster.token}` };
    const ca = server.cluster.tls?.ca;
    const request = get(`${server.url}/api/v1/namespaces/default/services/kubernetes`, {
      headers,
      ca,
      agent: false,
    });
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    const service = JSON.parse(await new Response(response as never).text()) as {
      spec: { clusterIP: string };
    };
    expect(service.spec.clusterIP).toBe('10.9.0.1');
  });

  test.each([['--secure-port=x'], ['--authorization-mode=Webhook'], ['--anonymous-auth=perhaps']])(
    'rejects %s',
    async (word) => {
      await expect(startKubeApiserver([word])).rejects.toThrow(UsageError);
    },
  );

  test('rejects a file that is missing with its path', async () => {
    await expect(start('--client-ca-file=/none/ca.crt')).rejects.toThrow(
      /^--client-ca-file: .*\/none\/ca.crt/,
    );
    await expect(start('--token-auth-file=/none/t')).rejects.toThrow(
      /^--token-auth-file: .*ENOENT/,
    );
    await expect(start('--service-cluster-ip-range=no')).rejects.toThrow(
      '--service-cluster-ip-range takes a network',
    );
    const file = join(folder, 'no-authority');
    const broken = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n';
    for (const text of ['', 'root:x:0:0\n', broken]) {
      await writeFile(file, text);
      await expect(start(`--client-ca-file=${file}`)).rejects.toThrow(
        '--client-ca-file takes certificates in PEM',
      );
    }
  });

  test('names the flags without an effect, but not those that envtest always gives', () => {
    const words = ['--etcd-servers=x', '--allow-privileged=true', '--disable-admission-plugins=a'];
    expect(ignoredFlags([...words, '--service-account-issuer=y', '--v=4'])).toEqual([]);
    expect(ignoredFlags(['--feature-gates=A=true', '--secure-port=1'])).toEqual(['feature-gates']);
  });
});
