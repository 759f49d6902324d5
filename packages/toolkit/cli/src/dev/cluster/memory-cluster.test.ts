import { once } from 'node:events';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { MemoryCluster } from './memory-cluster.ts';

const json = { 'content-type': 'application/json' };
const path = '/api/v1/namespaces/default/secrets';

describe('MemoryCluster', () => {
  let folder: string;
  let cluster: MemoryCluster;
  let url: string;
  let authorization: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'keelson-memory-'));
    cluster = await MemoryCluster.start({ folder, port: 0, namespace: 'operator' });
    const config = JSON.parse(await readFile(cluster.kubeconfig, 'utf8')) as {
      readonly clusters: readonly { readonly cluster: { readonly server: string } }[];
      readonly users: readonly { readonly user: { readonly token: string } }[];
    };
    url = config.clusters[0]?.cluster.server ?? '';
    authorization = `Bearer ${config.users[0]?.user.token}`;
  });

  afterEach(async () => {
    await cluster[Symbol.asyncDispose]();
    await rm(folder, { recursive: true });
  });

  /** Sends the Secret of a program or a web page, or lists Secrets, and returns the status. */
  async function statusOf(
    method: 'GET' | 'POST',
    headers: Readonly<Record<string, string>>,
  ): Promise<number | undefined> {
    const sent = request(`${url}${path}`, { method, headers, rejectUnauthorized: false });
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { generateName: 'a-' } };
    sent.end(method === 'POST' ? JSON.stringify(secret) : undefined);
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    response.resume();
    await once(response, 'end');
    return response.statusCode;
  }

  test('serves the owner of the kubeconfig, which only its owner can read', async () => {
    expect(await statusOf('POST', { ...json, authorization })).toBe(201);
    expect((await stat(cluster.kubeconfig)).mode & 0o777).toBe(0o600);
  });

  test.each<[string, Readonly<Record<string, string>>]>([
    ['without a token', json],
    ['with another token', { ...json, authorization: 'Bearer x' }],
  ])('refuses a request %s', async (_title, headers) => {
    expect(await statusOf('POST', headers)).toBe(401);
    expect(await statusOf('GET', headers)).toBe(401);
  });

  test.each<[string, Readonly<Record<string, string>>, number]>([
    ['of a web page', { origin: 'https://evil.example' }, 403],
    ['of a page without an origin', { origin: 'null' }, 403],
    ['that a browser marks', { 'sec-fetch-site': 'cross-site' }, 403],
    ['by a rebound name', { host: 'evil.example' }, 403],
  ])('refuses a request %s, also with the token', async (_title, headers, status) => {
    expect(await statusOf('POST', { ...json, authorization, ...headers })).toBe(status);
  });

  test('refuses a body without a media type, which a web page sends without a question', async () => {
    expect(await statusOf('POST', { authorization })).toBe(415);
    expect(await statusOf('POST', { authorization, 'content-type': 'text/plain' })).toBe(415);
  });
});
