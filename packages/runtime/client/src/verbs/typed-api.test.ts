import { describe, expect, test } from '@jest/globals';
import type { ApiException, V1Status } from '@kubernetes/client-node';
import { isNotFound } from '@keelson/apimachinery';
import { createClient } from './create-client.ts';
import { loadClientNode } from '../cluster/kubeconfig/client-node.ts';
import { json, rejection, startServer, status } from '../testing/recording-server.test-support.ts';

const { AppsV1Api, CoreV1Api } = await loadClientNode();

describe('apiClient', () => {
  test('typed APIs of client-node use the connections and credentials of the client', async () => {
    await using server = await startServer((_request, response) =>
      json(response, {
        items: [{ metadata: { name: 'a', creationTimestamp: '2026-01-01T00:00:00Z' } }],
      }),
    );
    const cluster = { server: `${server.url}/prefix`, token: 'abc' };
    await using client = createClient({ cluster, userAgent: 'mine' });
    const api = await client.apiClient(CoreV1Api);
    for (let round = 0; round < 5; round++) {
      const { items } = await api.listNamespacedPod({ namespace: 'x', labelSelector: 'a=b' });
      expect(items[0]?.metadata?.creationTimestamp).toEqual(new Date('2026-01-01T00:00:00Z'));
    }
    const [first] = server.requests;
    expect(`${first?.method} ${first?.url.pathname}${first?.url.search}`).toBe(
      'GET /prefix/api/v1/namespaces/x/pods?labelSelector=a%3Db',
    );
    expect(first?.headers).toMatchObject({ authorization: 'Bearer abc', 'user-agent': 'mine' });
    // The pool may open a second connection before it notices that the first one is free again.
    expect(server.accepted()).toBeLessThanOrEqual(2);
  });

  test('writes send their bodies and media types', async () => {
    await using server = await startServer(({ body }, response) =>
      json(response, JSON.parse(body), 201),
    );
    await using client = createClient({ cluster: { server: server.url } });
    const core = await client.apiClient(CoreV1Api);
    const body = { metadata: { name: 'a' }, data: { k: 'v' } };
    expect(await core.createNamespacedConfigMap({ namespace: 'x', body })).toMatchObject(body);
    const apps = await client.apiClient(AppsV1Api);
    const patch = [{ op: 'replace', path: '/spec/replicas', value: 2 }];
    await apps.patchNamespacedDeployment({ namespace: 'x', name: 'a', body: patch });
    expect(server.requests.map(({ method, headers }) => [method, headers['content-type']])).toEqual(
      [
        ['POST', 'application/json'],
        ['PATCH', 'application/json-patch+json'],
      ],
    );
    expect(JSON.parse(server.requests[1]?.body ?? '')).toEqual(patch);
  });

  test("error responses throw client-node's own errors, which our guards recognize", async () => {
    await using server = await startServer((_request, response) =>
      status(response, 404, 'NotFound'),
    );
    await using client = createClient({ cluster: { server: server.url } });
    const api = await client.apiClient(CoreV1Api);
    const error = await rejection(api.readNamespace({ name: 'a' }));
    expect((error as ApiException<V1Status>).code).toBe(404);
    expect(isNotFound(error)).toBe(true);
  });

  test('other errors are those of the client', async () => {
    await using client = createClient({ cluster: { server: 'http://127.0.0.1:1' }, retry: false });
    const api = await client.apiClient(CoreV1Api);
    expect(await rejection(api.readNamespace({ name: 'a' }))).toMatchObject({
      code: 'SERVER_UNREACHABLE',
    });
  });
});
