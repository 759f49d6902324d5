import { describe, expect, test } from '@jest/globals';
import { type ApiServer, createApiServer } from '../server/api-server.ts';
import { type Json, RawClient } from '../server/raw-client.test-support.ts';

const maps = '/api/v1/namespaces/default/configmaps';

function ownedBy(owner: Json, name: string, extra: object = {}): Json {
  const { kind, apiVersion, metadata } = owner;
  const reference = { apiVersion, kind, name: metadata.name, uid: metadata.uid, ...extra };
  return { metadata: { name, ownerReferences: [reference] } };
}

async function present(server: ApiServer, client: RawClient): Promise<string[]> {
  await server.idle();
  return (await client.get(maps)).body.items.map(({ metadata }: Json) => metadata.name);
}

describe('garbage collector', () => {
  test('background: removes the owner first, then its dependents and theirs', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    const { body: owner } = await client.post(maps, { metadata: { name: 'owner' } });
    const { body: child } = await client.post(maps, ownedBy(owner, 'child'));
    await client.post(maps, ownedBy(child, 'grandchild'));
    await client.delete(`${maps}/owner`);
    expect((await client.get(`${maps}/owner`)).code).toBe(404);
    expect(await present(server, client)).toEqual([]);
  });

  test('foreground: keeps the owner until its blocking dependents are gone', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    const { body: owner } = await client.post(maps, { metadata: { name: 'owner' } });
    const child = ownedBy(owner, 'child', { blockOwnerDeletion: true });
    child.metadata.finalizers = ['x.io/y'];
    await client.post(maps, child);
    const { body } = await client.delete(`${maps}/owner`, { propagationPolicy: 'Foreground' });
    expect(body.metadata.finalizers).toEqual(['foregroundDeletion']);
    expect(await present(server, client)).toEqual(['child', 'owner']);
    await client.patch(`${maps}/child`, 'merge', { metadata: { finalizers: null } });
    expect(await present(server, client)).toEqual([]);
  });

  test('orphan: keeps the dependents and removes their reference to the owner', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    const { body: owner } = await client.post(maps, { metadata: { name: 'owner' } });
    await client.post(maps, ownedBy(owner, 'child'));
    await client.delete(`${maps}/owner`, { propagationPolicy: 'Orphan' });
    expect(await present(server, client)).toEqual(['child']);
    const { body } = await client.get(`${maps}/child`);
    expect(body.metadata.ownerReferences).toBeUndefined();
  });

  test('deletes an object whose owner has another uid', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    const { body: owner } = await client.post(maps, { metadata: { name: 'owner' } });
    await client.post(maps, ownedBy(owner, 'impostor', { uid: 'of-an-earlier-life' }));
    expect(await present(server, client)).toEqual(['owner']);
  });

  test('keeps an object with one existing owner and removes its references to others', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    const { body: one } = await client.post(maps, { metadata: { name: 'one' } });
    const { body: two } = await client.post(maps, { metadata: { name: 'two' } });
    const child = ownedBy(one, 'child');
    child.metadata.ownerReferences.push(...ownedBy(two, 'child').metadata.ownerReferences);
    await client.post(maps, child);
    await client.delete(`${maps}/one`);
    expect(await present(server, client)).toEqual(['child', 'two']);
    const { body } = await client.get(`${maps}/child`);
    expect(body.metadata.ownerReferences).toMatchObject([{ name: 'two' }]);
  });

  test('keeps an object whose owner has a kind that is not served', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    const owner = {
      apiVersion: 'a.example.com/v1',
      kind: 'Foo',
      metadata: { name: 'f', uid: 'u' },
    };
    await client.post(maps, ownedBy(owner, 'child'));
    expect(await present(server, client)).toEqual(['child']);
  });

  test('deletes an object that outlived the definition of its owner when the kind is served again', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
    const foos = '/apis/a.example.com/v1/namespaces/default/foos';
    const definition = definitionOfFoo();
    await client.post(definitions, definition);
    await server.idle();
    const { body: owner } = await client.post(foos, { ...fooType, metadata: { name: 'owner' } });
    await client.delete(`${definitions}/${definition.metadata.name}`);
    await server.idle();
    await client.post(maps, ownedBy(owner, 'child'));
    expect(await present(server, client)).toEqual(['child']);
    await client.post(definitions, definition);
    expect(await present(server, client)).toEqual([]);
  });
});

const fooType = { apiVersion: 'a.example.com/v1', kind: 'Foo' };

function definitionOfFoo(): Json {
  const schema = { openAPIV3Schema: { type: 'object' } };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'foos.a.example.com' },
    spec: {
      group: 'a.example.com',
      scope: 'Namespaced',
      names: { kind: 'Foo', plural: 'foos' },
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  };
}
