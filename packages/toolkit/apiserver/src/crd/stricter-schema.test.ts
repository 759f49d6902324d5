import { describe, expect, test } from '@jest/globals';
import { createApiServer } from '../server/api-server.ts';
import { RawClient } from '../server/raw-client.test-support.ts';

const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const ratchets = '/apis/example.com/v1/namespaces/default/ratchets';
const head = { apiVersion: 'example.com/v1', kind: 'Ratchet' };

const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
const strict = { type: 'object', properties: { text: { type: 'string' } } };

async function stricter(): Promise<AsyncDisposable & { client: RawClient }> {
  const server = await createApiServer();
  const client = new RawClient(server);
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec: open } } };
  await client.post(crds, {
    metadata: { name: 'ratchets.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'ratchets', kind: 'Ratchet' },
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  });
  await server.idle();
  for (const [name, spec] of [
    ['wrong', { text: 5 }],
    ['right', { text: 'a' }],
  ] as const) {
    const { body } = await client.post(ratchets, { ...head, metadata: { name }, spec });
    expect(body.metadata.managedFields).toHaveLength(1);
  }
  const value = { ...schema.openAPIV3Schema, properties: { spec: strict } };
  await client.patch(`${crds}/ratchets.example.com`, 'json', [
    { op: 'replace', path: '/spec/versions/0/schema/openAPIV3Schema', value },
  ]);
  await server.idle();
  return { client, [Symbol.asyncDispose]: () => server.close() };
}

// Recorded from kube-apiserver 1.36.3.
describe('a schema that becomes stricter', () => {
  test('drops the managed fields of an invalid object at the next write', async () => {
    await using server = await stricter();
    const { client } = server;
    const labels = { metadata: { labels: { a: 'b' } } };
    const wrong = await client.patch(`${ratchets}/wrong`, 'merge', labels);
    expect(wrong.code).toBe(200);
    expect(wrong.body.metadata.managedFields).toBeUndefined();
    const right = await client.patch(`${ratchets}/right`, 'merge', labels);
    expect(right.body.metadata.managedFields).toHaveLength(1);
  });

  test('rejects an apply to an invalid object', async () => {
    await using server = await stricter();
    const { client } = server;
    const { code, body } = await client.patch(`${ratchets}/wrong?fieldManager=a`, 'apply', {
      ...head,
      metadata: { name: 'wrong', labels: { x: 'y' } },
    });
    expect(code).toBe(500);
    expect(body.message).toBe(
      'failed to create typed live object (default/wrong; example.com/v1, Kind=Ratchet): .spec.text: expected string, got &value.valueUnstructured{Value:5}',
    );
  });
});
