import { describe, expect, test } from '@jest/globals';
import { type ApiServer, createApiServer } from '../server/api-server.ts';
import { type Json, RawClient } from '../server/raw-client.test-support.ts';

const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const widgets = '/apis/example.com/v1/namespaces/default/widgets';
const maps = '/api/v1/namespaces/default/configmaps';
const name = 'widgets.example.com';

/** Makes a custom resource with `spec.frozen` refuse every update, also those of the garbage collector. */
const frozenRule = { rule: '!has(oldSelf.spec.frozen) || !oldSelf.spec.frozen', message: 'frozen' };

function definition(rules: object[] = [frozenRule]): Json {
  const spec = {
    type: 'object',
    properties: { frozen: { type: 'boolean' }, text: { type: 'string' } },
  };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'widgets', kind: 'Widget' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: {
              type: 'object',
              properties: { spec },
              'x-kubernetes-validations': rules,
            },
          },
        },
      ],
    },
  };
}

function widget(metadata: object, spec: object = { frozen: true }): Json {
  return { apiVersion: 'example.com/v1', kind: 'Widget', metadata, spec };
}

/** An object so large that a deletionTimestamp exceeds the size limit. */
const large = widget(
  { name: 'large', finalizers: ['x.io/y'] },
  { text: 'x'.repeat(1.5 * 1024 * 1024 - 480) },
);

async function serving(): Promise<[ApiServer, RawClient]> {
  const server = await createApiServer();
  const client = new RawClient(server);
  expect((await client.post(crds, definition())).code).toBe(201);
  await server.idle();
  return [server, client];
}

async function ownedBy(client: RawClient, path: string, object: Json): Promise<Json> {
  const { body } = await client.post(maps, { metadata: { name: 'owner' } });
  const reference = { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: body.metadata.uid };
  object.metadata.ownerReferences = [reference];
  expect((await client.post(path, object)).code).toBe(201);
  return reference;
}

describe('background work that fails', () => {
  test('does not end the process when an orphaned object refuses every update', async () => {
    const [server, client] = await serving();
    await using _ = server;
    await ownedBy(client, widgets, widget({ name: 'a' }));
    await adopt(client, widgets, widget({ name: 'b' }, {}));
    await client.delete(`${maps}/owner?propagationPolicy=Orphan`);
    await server.idle();
    const { body } = await client.get(widgets);
    expect(body.items.map(({ metadata }: Json) => metadata.ownerReferences?.length)).toEqual([
      1,
      undefined,
    ]);
    expect((await client.get(`${maps}/owner`)).body.metadata.finalizers).toEqual(['orphan']);
    const [failure] = server.stats.backgroundFailures();
    expect(failure).toMatchObject({
      key: expect.stringMatching(/^collect /),
      error: expect.objectContaining({ message: expect.stringContaining('frozen') }),
    });
  });

  test('is retried by idle() and succeeds after its cause is removed', async () => {
    const [server, client] = await serving();
    await using _ = server;
    await ownedBy(client, widgets, widget({ name: 'a' }));
    await client.delete(`${maps}/owner?propagationPolicy=Orphan`);
    await server.idle();
    expect(server.stats.backgroundFailures()).toHaveLength(1);
    const body = (await client.get(`${crds}/${name}`)).body;
    body.spec.versions = definition([]).spec.versions;
    expect((await client.put(`${crds}/${name}`, body)).code).toBe(200);
    await server.idle();
    await server.idle();
    expect((await client.get(`${maps}/owner`)).code).toBe(404);
    expect((await client.get(`${widgets}/a`)).body.metadata.ownerReferences).toBeUndefined();
    expect(server.stats.backgroundFailures()).toEqual([]);
  });

  test('leaves a namespace with only the object that is too large to be marked as deleted', async () => {
    const [server, client] = await serving();
    await using _ = server;
    const inside = '/apis/example.com/v1/namespaces/n/widgets';
    await client.post('/api/v1/namespaces', { metadata: { name: 'n' } });
    expect((await client.post(inside, large)).code).toBe(201);
    await client.post(inside, widget({ name: 'small' }, {}));
    await client.delete('/api/v1/namespaces/n');
    await server.idle();
    expect(largeFailures(server)).toHaveLength(1);
    const { body } = await client.get(inside);
    expect(body.items.map((item: Json) => item.metadata.name)).toEqual(['large']);
    expect((await client.get('/api/v1/namespaces/n')).body.status.phase).toBe('Terminating');
    await client.patch(`${inside}/large`, 'merge', { spec: null, metadata: { finalizers: null } });
    await server.idle();
    expect((await client.get('/api/v1/namespaces/n')).code).toBe(404);
  });

  test('leaves a definition with only the object that is too large to be marked as deleted', async () => {
    const [server, client] = await serving();
    await using _ = server;
    expect((await client.post(widgets, large)).code).toBe(201);
    await client.post(widgets, widget({ name: 'small' }, {}));
    await client.delete(`${crds}/${name}`);
    await server.idle();
    expect(largeFailures(server)).toHaveLength(1);
    const { body } = await client.get(widgets);
    expect(body.items.map((item: Json) => item.metadata.name)).toEqual(['large']);
  });

  test('does not block idle() or close()', async () => {
    const [server, client] = await serving();
    await ownedBy(client, widgets, widget({ name: 'a' }));
    await client.delete(`${maps}/owner?propagationPolicy=Orphan`);
    for (let round = 0; round < 3; round++) await server.idle();
    await server.close();
  });
});

function largeFailures(server: ApiServer): unknown[] {
  return server.stats
    .backgroundFailures()
    .filter(({ error }) => String(error).includes('request is too large'));
}

async function adopt(client: RawClient, path: string, object: Json): Promise<void> {
  const { uid } = (await client.get(`${maps}/owner`)).body.metadata;
  object.metadata.ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid }];
  expect((await client.post(path, object)).code).toBe(201);
}
