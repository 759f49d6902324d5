import { describe, expect, test } from '@jest/globals';
import { createApiServer } from '../server/api-server.ts';
import { RawClient } from '../server/raw-client.test-support.ts';

const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const probes = '/apis/example.com/v1/namespaces/default/probes';
const probe = { apiVersion: 'example.com/v1', kind: 'Probe', metadata: { name: 'a' } };

/** A server with a kind whose status has this schema and is a subresource. */
async function withStatus(status: object): Promise<AsyncDisposable & { client: RawClient }> {
  const server = await createApiServer();
  const client = new RawClient(server);
  const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec: open, status } } };
  await client.post(crds, {
    metadata: { name: 'probes.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'probes', kind: 'Probe' },
      versions: [{ name: 'v1', served: true, storage: true, schema, subresources: { status: {} } }],
    },
  });
  await server.idle();
  return { client, [Symbol.asyncDispose]: () => server.close() };
}

const phases = {
  type: 'object',
  properties: { phase: { type: 'string' } },
  default: { phase: 'Pending' },
};

/**
 * kube-apiserver removes the status of a new object after it has set the defaults, and sets them again in everything
 * that it reads from its storage (`unstructuredDefaulter` of apiextensions-apiserver).
 */
describe('a status subresource whose status has a default', () => {
  test('has the default after a create, in reads and lists', async () => {
    await using server = await withStatus(phases);
    const { client } = server;
    const status = { phase: 'Pending' };
    const created = await client.post(probes, { ...probe, status: { phase: 'Other' } });
    expect(created.body.status).toEqual(status);
    expect((await client.get(`${probes}/a`)).body.status).toEqual(status);
    expect((await client.get(probes)).body.items[0].status).toEqual(status);
  });

  test('has the default again after a write of the status removes it', async () => {
    await using server = await withStatus(phases);
    const { client } = server;
    const { body } = await client.post(probes, probe);
    const ready = { ...body, status: { phase: 'Ready' } };
    const { body: written } = await client.put(`${probes}/a/status`, ready);
    expect(written.status).toEqual({ phase: 'Ready' });
    const { code, body: removed } = await client.patch(`${probes}/a/status`, 'json', [
      { op: 'remove', path: '/status' },
    ]);
    expect([code, removed.status]).toEqual([200, { phase: 'Pending' }]);
  });

  test('accepts its invalid default, which the write leaves unchanged', async () => {
    // The rules of a definition do not compare the type of a default whose format is unknown.
    await using server = await withStatus({ type: 'object', format: 'f', default: '?' });
    const { client } = server;
    const { body } = await client.post(probes, probe);
    const kept = await client.put(`${probes}/a/status`, { ...body, status: null });
    expect([kept.code, kept.body.status]).toEqual([200, '?']);
    const changed = await client.put(`${probes}/a/status`, { ...kept.body, status: '!' });
    expect(changed.code).toBe(422);
  });
});
