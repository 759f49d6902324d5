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

  test('foreground: an object of a new cluster waits for its dependents too', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    const schema = '/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas/probes';
    const { body: owner } = await client.get(schema);
    await client.post(maps, ownedBy(owner, 'child', { blockOwnerDeletion: true }));
    expect(await present(server, client)).toEqual(['child']);
    await client.delete(schema, { propagationPolicy: 'Foreground' });
    expect(await present(server, client)).toEqual([]);
    expect((await client.get(schema)).code).toBe(404);
  });

  test.each([[2], [3]])(
    'foreground: deletes a circle of %i owners that block each other',
    async (size) => {
      await using server = await createApiServer();
      const client = new RawClient(server);
      const blocking = { blockOwnerDeletion: true };
      const { body: first } = await client.post(maps, { metadata: { name: 'o0' } });
      let last = first;
      for (let index = 1; index < size; index += 1) {
        last = (await client.post(maps, ownedBy(last, `o${index}`, blocking))).body;
      }
      await client.patch(`${maps}/o0`, 'merge', ownedBy(last, 'o0', blocking));
      await client.delete(`${maps}/o0`, { propagationPolicy: 'Foreground' });
      expect(await present(server, client)).toEqual([]);
    },
  );

  test('foreground: an object of a circle stops blocking, its owner goes, then it goes without waiting', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    const blocking = { blockOwnerDeletion: true };
    const { body: one } = await client.post(maps, { metadata: { name: 'one' } });
    const { body: two } = await client.post(maps, ownedBy(one, 'two', blocking));
    const { body: last } = await client.patch(
      `${maps}/one`,
      'merge',
      ownedBy(two, 'one', blocking),
    );
    await using watch = await client.watch(
      `${maps}?watch=1&resourceVersion=${last.metadata.resourceVersion}`,
    );
    await client.delete(`${maps}/one`, { propagationPolicy: 'Foreground' });
    const steps: unknown[] = [];
    for (let at = 0; at < 4; at += 1) {
      const { type, object } = await watch.next();
      const { name, finalizers, ownerReferences } = object.metadata;
      steps.push([type, name, finalizers, ownerReferences[0].blockOwnerDeletion]);
    }
    expect(steps).toEqual([
      ['MODIFIED', 'one', ['foregroundDeletion'], true],
      ['MODIFIED', 'two', undefined, false],
      ['DELETED', 'one', ['foregroundDeletion'], true],
      ['DELETED', 'two', undefined, false],
    ]);
  });

  test('foreground: comes to rest with an object that blocks itself, as kube-controller-manager does', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    const { body: own } = await client.post(maps, { metadata: { name: 'own' } });
    await client.patch(`${maps}/own`, 'merge', ownedBy(own, 'own', { blockOwnerDeletion: true }));
    await client.delete(`${maps}/own`, { propagationPolicy: 'Foreground' });
    expect(await present(server, client)).toEqual(['own']);
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

  test('deletes an object whose reference has the uid of an owner and another group, kind or name', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    const { body: owner } = await client.post(maps, { metadata: { name: 'owner' } });
    const { body: namespace } = await client.get('/api/v1/namespaces/default');
    await client.post(maps, ownedBy(owner, 'kind', { kind: 'Secret' }));
    await client.post(maps, ownedBy(owner, 'group', { apiVersion: 'apps/v1', kind: 'Deployment' }));
    await client.post(maps, ownedBy(owner, 'name', { name: 'other' }));
    await client.post(maps, ownedBy(namespace, 'cluster-kind', { kind: 'Node' }));
    await client.post(maps, ownedBy(namespace, 'right'));
    expect(await present(server, client)).toEqual(['owner', 'right']);
  });

  test('keeps an object whose owner is named in another served version', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    const { body: owner } = await client.post(
      '/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers',
      {
        metadata: { name: 'owner' },
        spec: {
          maxReplicas: 1,
          scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' },
        },
      },
    );
    await client.post(maps, ownedBy(owner, 'child', { apiVersion: 'autoscaling/v1' }));
    expect(await present(server, client)).toEqual(['child']);
  });

  describe('a namespaced owner of a cluster-scoped object', () => {
    const classes = '/apis/scheduling.k8s.io/v1/priorityclasses';
    const events = '/api/v1/namespaces/default/events';

    const create = (client: RawClient, child: Json): Promise<unknown> =>
      client.post(classes, { ...child, value: 1 });

    test('cannot be resolved, so that the object stays, with an Event', async () => {
      await using server = await createApiServer();
      const client = new RawClient(server);
      const { body: owner } = await client.post(maps, { metadata: { name: 'owner' } });
      await create(client, ownedBy(owner, 'child'));
      await server.idle();
      await client.delete(`${maps}/owner`);
      await server.idle();
      const { code, body: child } = await client.get(`${classes}/child`);
      expect(code).toBe(200);
      const { items } = (await client.get(events)).body;
      expect(items).toEqual([
        expect.objectContaining({
          reason: 'OwnerRefInvalidNamespace',
          message: `ownerRef [v1/ConfigMap, namespace: , name: owner, uid: ${owner.metadata.uid}] does not exist in namespace ""`,
          involvedObject: {
            kind: 'PriorityClass',
            name: 'child',
            uid: child.metadata.uid,
            apiVersion: 'scheduling.k8s.io/v1',
          },
          source: { component: 'garbage-collector-controller' },
          reportingComponent: 'garbage-collector-controller',
          type: 'Warning',
          count: 1,
        }),
      ]);
    });

    test('keeps the object beside an owner that is missing', async () => {
      await using server = await createApiServer();
      const client = new RawClient(server);
      const { body: owner } = await client.post(maps, { metadata: { name: 'owner' } });
      await create(client, ownedBy(owner, 'gone', { uid: 'gone' }));
      const mixed = ownedBy(owner, 'mixed');
      mixed.metadata.ownerReferences.push({
        apiVersion: 'v1',
        kind: 'Namespace',
        name: 'x',
        uid: 'y',
      });
      await create(client, mixed);
      await server.idle();
      expect((await client.get(`${classes}/gone`)).code).toBe(200);
      expect((await client.get(`${classes}/mixed`)).body.metadata.ownerReferences).toHaveLength(2);
      expect((await client.get(events)).body.items).toHaveLength(1);
    });
  });

  test('reports an owner in another namespace once, and deletes the object', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    const other = '/api/v1/namespaces/kube-public';
    const { body: owner } = await client.post(maps, { metadata: { name: 'owner' } });
    const child = ownedBy(owner, 'child');
    child.metadata.finalizers = ['x.io/y'];
    await client.post(`${other}/configmaps`, child);
    await server.idle();
    await client.patch(`${other}/configmaps/child`, 'merge', { metadata: { labels: { a: 'b' } } });
    await server.idle();
    const { metadata } = (await client.get(`${other}/configmaps/child`)).body;
    expect(metadata.deletionTimestamp).toBeDefined();
    const { items } = (await client.get(`${other}/events`)).body;
    expect(items).toHaveLength(1);
    expect(items[0].involvedObject).toMatchObject({ namespace: 'kube-public', name: 'child' });
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
