import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { get } from 'node:https';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { builtin } from '@keelson/apimachinery';
import { createApiServer, type ApiServer } from '@keelson/apiserver';
import { createClient, type Client } from '@keelson/client';
import { CertificateFolder, pairOf } from '../../testing/certificates.test-support.ts';
import { managersOfTest, recordingLogger, running } from '../../testing/fixtures.test-support.ts';
import { createManager } from '../../manager/controller-manager.ts';
import type { Manager } from '../../manager/manager.ts';
import type { MetricsServerOptions } from '../server-options.ts';

const host = '127.0.0.1';
const rbac = 'rbac.authorization.k8s.io';
const managers = managersOfTest();
let server: ApiServer;
let client: Client;

/** Allows the user the rules of a ClusterRole of this name. */
async function grant(admin: Client, user: string, name: string, rules: object[]): Promise<void> {
  await admin.create(builtin.ClusterRole, {
    apiVersion: `${rbac}/v1`,
    kind: 'ClusterRole',
    metadata: { name },
    rules: rules as never,
  });
  await admin.create(builtin.ClusterRoleBinding, {
    apiVersion: `${rbac}/v1`,
    kind: 'ClusterRoleBinding',
    metadata: { name },
    roleRef: { apiGroup: rbac, kind: 'ClusterRole', name },
    subjects: [{ apiGroup: rbac, kind: 'User', name: user }],
  });
}

beforeAll(async () => {
  const names = ['operator', 'prometheus', 'stranger'];
  server = await createApiServer({
    authorizationMode: 'RBAC',
    tokens: new Map(
      names.map((name) => [`${name}-token`, { name, groups: ['system:authenticated'] }]),
    ),
  });
  await using admin = createClient({ cluster: server.cluster });
  await grant(admin, 'operator', 'metrics-auth-role', [
    { apiGroups: ['authentication.k8s.io'], resources: ['tokenreviews'], verbs: ['create'] },
    { apiGroups: ['authorization.k8s.io'], resources: ['subjectaccessreviews'], verbs: ['create'] },
  ]);
  await grant(admin, 'prometheus', 'metrics-reader', [
    { nonResourceURLs: ['/metrics'], verbs: ['get'] },
  ]);
  client = createClient({ cluster: { ...server.cluster, token: 'operator-token' } });
});

afterAll(async () => {
  await client.close();
  await server.close();
});

async function serving(
  metrics: Omit<MetricsServerOptions, 'port'>,
): Promise<{ manager: Manager; lines: object[]; reviews: string[] }> {
  const { logger, lines } = recordingLogger();
  const reviews: string[] = [];
  const counted: Client = Object.create(client, {
    withWriteObserver: { value: () => counted },
    create: {
      value: (resource: { kind: string }, ...rest: [never]) => {
        reviews.push(resource.kind);
        return client.create(resource as never, ...rest);
      },
    },
  });
  const { manager } = managers.make({
    client: counted,
    logger,
    servers: { host, metrics: { port: 0, authentication: true, ...metrics } },
  });
  await running(manager);
  return { manager, lines, reviews };
}

async function scrape(manager: Manager, token?: string, path = '/metrics'): Promise<Response> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  return fetch(`http://${host}:${manager.ports.metrics}${path}`, { headers });
}

describe('authentication of the metrics server', () => {
  test('sends the metrics only to a user with the ClusterRole metrics-reader', async () => {
    const { manager } = await serving({});
    const anonymous = await scrape(manager);
    expect([anonymous.status, await anonymous.text()]).toEqual([401, 'unauthorized\n']);
    expect((await scrape(manager, 'no-such-token')).status).toBe(401);
    const stranger = await scrape(manager, 'stranger-token');
    expect([stranger.status, await stranger.text()]).toEqual([403, 'forbidden\n']);
    const page = await scrape(manager, 'prometheus-token');
    expect(page.status).toBe(200);
    expect(await page.text()).toContain('keelson_watches');
    expect((await scrape(manager, 'prometheus-token', '/elsewhere')).status).toBe(403);
  });

  test('accepts the options of the guide', async () => {
    // #region options
    const manager = createManager({
      servers: {
        metrics: { port: 8443, tls: 'self-signed', authentication: true },
        health: 8081,
      },
    });
    // #endregion options
    expect(manager.ports).toEqual({ metrics: undefined, health: undefined });
    await manager.stop();
  });

  test('reviews a scraper once for 1000 scrapes, and keeps its token out of logs and metrics', async () => {
    const { manager, reviews, lines } = await serving({});
    for (let round = 0; round < 20; round += 1) {
      const scrapes = Array.from({ length: 50 }, () => scrape(manager, 'prometheus-token'));
      const statuses = await Promise.all(
        scrapes.map(async (sent) => {
          const response = await sent;
          await response.arrayBuffer();
          return response.status;
        }),
      );
      expect(new Set(statuses)).toEqual(new Set([200]));
    }
    expect(reviews).toEqual(['TokenReview', 'SubjectAccessReview']);
    const seen = JSON.stringify(lines) + (await manager.registry.metrics());
    expect(seen).not.toContain('prometheus-token');
  });

  test('accepts a certificate of the client authority as the user in its CN', async () => {
    const [authority, foreign, pair] = await Promise.all([
      pairOf('authority'),
      pairOf('foreign'),
      pairOf('server'),
    ]);
    await using folder = await CertificateFolder.create(pair);
    const clientCa = await folder.writeAuthority(authority);
    const { manager, reviews } = await serving({ tls: { ...folder.files, clientCa } });
    const statusFor = async (given: object): Promise<number | undefined> => {
      const { metrics: port } = manager.ports;
      const sent = get({ host, port, path: '/metrics', agent: false, ca: pair.cert, ...given });
      const [response] = (await once(sent, 'response')) as [IncomingMessage];
      await once(response.resume(), 'end');
      return response.statusCode;
    };
    expect(await statusFor(await pairOf('prometheus', { ca: authority }))).toBe(200);
    expect(await statusFor(await pairOf('stranger', { ca: authority }))).toBe(403);
    expect(reviews).toEqual(['SubjectAccessReview', 'SubjectAccessReview']);
    expect(await statusFor(await pairOf('prometheus', { ca: foreign }))).toBe(401);
    expect(await statusFor({})).toBe(401);
    const headers = { authorization: 'Bearer prometheus-token' };
    expect(await statusFor({ headers })).toBe(200);
  });
});
