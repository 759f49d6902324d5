import { describe, expect, test } from '@jest/globals';
import { type ApiServer, createApiServer } from '../server/api-server.ts';
import { type Json, RawClient } from '../server/raw-client.test-support.ts';

const head = { apiVersion: 'example.com/v1', kind: 'Widget' };

function definition(rule = 'self.spec.size < 10', extra: object = {}): Json {
  const spec = { type: 'object', properties: { size: { type: 'integer' } } };
  const openAPIV3Schema = {
    type: 'object',
    properties: { spec },
    'x-kubernetes-validations': [{ rule, message: 'too large' }],
  };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'widgets.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'widgets', kind: 'Widget' },
      versions: [
        { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema }, ...extra },
      ],
    },
  };
}

function widget(size: number): Json {
  return { ...head, metadata: { name: `w${size}`, namespace: 'default' }, spec: { size } };
}

async function seeded(): Promise<ApiServer> {
  const server = await createApiServer();
  server.seed([definition()]);
  await server.idle();
  return server;
}

describe('CEL rules of a definition', () => {
  test('apply to seeds before the first request', async () => {
    await using server = await seeded();
    server.seed([widget(1)]);
    expect(() => server.seed([widget(11)])).toThrow('too large');
  });

  test('are validated when the definition is seeded', async () => {
    await using server = await createApiServer();
    expect(() => server.seed([definition('self.spec.color == 1')])).toThrow('undefined field');
  });

  test('apply to the scale subresource before any other request', async () => {
    const paths = { specReplicasPath: '.spec.size', statusReplicasPath: '.status.size' };
    await using server = await createApiServer();
    server.seed([definition(undefined, { subresources: { scale: paths } })]);
    await server.idle();
    server.seed([widget(1)]);
    const client = new RawClient(server);
    const path = '/apis/example.com/v1/namespaces/default/widgets/w1/scale';
    const { body } = await client.patch(path, 'merge', { spec: { replicas: 20 } });
    expect([body.code, body.message]).toEqual([422, expect.stringContaining('too large')]);
  });

  test('apply in a new version of the definition as soon as it is served', async () => {
    await using server = await seeded();
    const client = new RawClient(server);
    const crd = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.example.com';
    const { body } = await client.get(crd);
    body.spec = definition('self.spec.size < 5').spec;
    await client.put(crd, body);
    await server.idle();
    expect(() => server.seed([widget(7)])).toThrow('too large');
  });
});
