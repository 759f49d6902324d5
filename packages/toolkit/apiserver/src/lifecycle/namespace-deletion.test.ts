import { describe, expect, test } from '@jest/globals';
import { createApiServer } from '../server/api-server.ts';
import { type Json, RawClient } from '../server/raw-client.test-support.ts';

const namespaces = '/api/v1/namespaces';

describe('namespaces', () => {
  test('a new server has four namespaces', async () => {
    await using server = await createApiServer();
    const { body } = await new RawClient(server).get(namespaces);
    expect(body.items.map(({ metadata }: Json) => metadata.name)).toEqual([
      'default',
      'kube-node-lease',
      'kube-public',
      'kube-system',
    ]);
  });

  test('the deletion of a namespace deletes its content', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    const { body: made } = await client.post(namespaces, { metadata: { name: 'a' } });
    expect(made).toMatchObject({
      metadata: { labels: { 'kubernetes.io/metadata.name': 'a' } },
      spec: { finalizers: ['kubernetes'] },
      status: { phase: 'Active' },
    });
    await client.post(`${namespaces}/a/configmaps`, { metadata: { name: 'm' } });
    const claim = {
      metadata: { name: 'c' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    };
    expect((await client.post(`${namespaces}/a/persistentvolumeclaims`, claim)).code).toBe(201);
    const { body } = await client.delete(`${namespaces}/a`);
    expect(body.status.phase).toBe('Terminating');
    await server.idle();
    expect((await client.get(`${namespaces}/a`)).code).toBe(404);
    expect((await client.get(`${namespaces}/a/configmaps/m`)).code).toBe(404);
  });

  test('a namespace with a generated name has the label of its name', async () => {
    await using server = await createApiServer();
    const metadata = { generateName: 'a-' };
    const { body: made } = await new RawClient(server).post(namespaces, { metadata });
    expect(made.metadata.labels).toEqual({ 'kubernetes.io/metadata.name': made.metadata.name });
  });

  test('a namespace that waits for a finalizer refuses new objects', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    await client.post(namespaces, { metadata: { name: 'a' } });
    const held = { metadata: { name: 'm', finalizers: ['x.io/y'] } };
    await client.post(`${namespaces}/a/configmaps`, held);
    await client.delete(`${namespaces}/a`);
    await server.idle();
    expect((await client.get(`${namespaces}/a`)).body.status.phase).toBe('Terminating');
    const late = await client.post(`${namespaces}/a/configmaps`, { metadata: { name: 'late' } });
    expect(late.body).toMatchObject({
      code: 403,
      reason: 'Forbidden',
      details: { causes: [{ reason: 'NamespaceTerminating' }] },
    });
    const free = { metadata: { finalizers: null } };
    await client.patch(`${namespaces}/a/configmaps/m`, 'merge', free);
    await server.idle();
    expect((await client.get(`${namespaces}/a`)).code).toBe(404);
  });
});
