import { describe, expect, test } from '@jest/globals';
import { type ApiServer, createApiServer } from '../server/api-server.ts';
import { type Json, RawClient } from '../server/raw-client.test-support.ts';

// The cases of Kubernetes' own tests of its collector, by their names: test/integration/garbagecollector and "Garbage collector"
// of test/e2e/apimachinery, in 1.36. ReplicationControllers and Pods are written by the test, because no controller runs.

const namespace = '/api/v1/namespaces/default';
const controllers = `${namespace}/replicationcontrollers`;
const pods = `${namespace}/pods`;
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const items = '/apis/gc.example.com/v1/namespaces/default/items';

const template = {
  metadata: { labels: { app: 'a' } },
  spec: { containers: [{ name: 'a', image: 'a' }] },
};

const controller = (name: string): Json => ({
  apiVersion: 'v1',
  kind: 'ReplicationController',
  metadata: { name },
  spec: { replicas: 0, selector: { app: 'a' }, template },
});

function referenceTo({ apiVersion, kind, metadata: { name, uid } }: Json, extra: Json = {}): Json {
  return { apiVersion, kind, name, uid, ...extra };
}

function pod(name: string, ownerReferences: Json[], extra: Json = {}): Json {
  return { metadata: { name, ownerReferences, ...extra }, spec: template.spec };
}

const itemDefinition: Json = {
  metadata: { name: 'items.gc.example.com' },
  spec: {
    group: 'gc.example.com',
    scope: 'Namespaced',
    names: { plural: 'items', kind: 'Item' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        },
      },
    ],
  },
};

class Setup implements AsyncDisposable {
  readonly server: ApiServer;
  readonly client: RawClient;

  constructor(server: ApiServer) {
    this.server = server;
    this.client = new RawClient(server);
  }

  async create(path: string, object: Json): Promise<Json> {
    const { code, body } = await this.client.post(path, object);
    expect(code).toBe(201);
    return body;
  }

  async delete(path: string, propagationPolicy: string): Promise<void> {
    const { code } = await this.client.delete(path, { propagationPolicy });
    expect(code).toBe(200);
  }

  /** The names in a collection once the collector has nothing to do. */
  async names(path: string): Promise<string[]> {
    await this.server.idle();
    const { body } = await this.client.get(path);
    return body.items.map(({ metadata }: Json) => metadata.name);
  }

  async removeFinalizers(path: string): Promise<void> {
    const change = { metadata: { finalizers: null } };
    expect((await this.client.patch(path, 'merge', change)).code).toBe(200);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server.close();
  }
}

const start = async (): Promise<Setup> => new Setup(await createApiServer());

describe('cases of the garbage collector of Kubernetes', () => {
  test('TestCascadingDeletion: a valid owner keeps a dependent, a missing one removes it', async () => {
    await using setup = await start();
    const remaining = await setup.create(controllers, controller('remaining'));
    const deleted = await setup.create(controllers, controller('deleted'));
    await setup.create(pods, pod('of-none', []));
    await setup.create(pods, pod('of-both', [referenceTo(deleted), referenceTo(remaining)]));
    await setup.create(pods, pod('of-deleted', [referenceTo(deleted)]));
    await setup.delete(`${controllers}/deleted`, 'Background');
    expect(await setup.names(pods)).toEqual(['of-both', 'of-none']);
  });

  test('TestCreateWithNonExistentOwner: a dependent of an owner that never existed is removed', async () => {
    await using setup = await start();
    const owner = { ...controller('never'), metadata: { name: 'never', uid: 'never-created' } };
    await setup.create(pods, pod('a', [referenceTo(owner)]));
    expect(await setup.names(pods)).toEqual([]);
  });

  test('TestStressingCascadingDeletion: of many owners at once, each policy does what it names', async () => {
    await using setup = await start();
    const expected: string[] = [];
    await Promise.all(
      Array.from({ length: 15 }, async (_, index) => {
        const policy = ['Background', 'Orphan', 'Foreground'][index % 3] ?? '';
        const owner = await setup.create(controllers, controller(`c${index}`));
        const reference = referenceTo(owner, { blockOwnerDeletion: true });
        await setup.create(pods, pod(`p${index}`, [reference]));
        if (policy === 'Orphan') expected.push(`p${index}`);
        await setup.delete(`${controllers}/c${index}`, policy);
      }),
    );
    expect(await setup.names(controllers)).toEqual([]);
    expect(await setup.names(pods)).toEqual(expected.toSorted());
  });

  test('TestOrphaning: the dependents stay without the reference', async () => {
    await using setup = await start();
    const owner = await setup.create(controllers, controller('owner'));
    for (const name of ['a', 'b', 'c']) await setup.create(pods, pod(name, [referenceTo(owner)]));
    await setup.delete(`${controllers}/owner`, 'Orphan');
    expect(await setup.names(pods)).toEqual(['a', 'b', 'c']);
    const { body } = await setup.client.get(pods);
    for (const { metadata } of body.items) expect(metadata.ownerReferences).toBeUndefined();
  });

  test('TestSolidOwnerDoesNotBlockWaitingOwner: a dependent with another valid owner loses the reference to the waiting one', async () => {
    await using setup = await start();
    const waiting = await setup.create(controllers, controller('waiting'));
    const solid = await setup.create(controllers, controller('solid'));
    const references = [referenceTo(waiting, { blockOwnerDeletion: true }), referenceTo(solid)];
    await setup.create(pods, pod('a', references));
    await setup.delete(`${controllers}/waiting`, 'Foreground');
    expect(await setup.names(controllers)).toEqual(['solid']);
    expect(await setup.names(pods)).toEqual(['a']);
    const { body } = await setup.client.get(`${pods}/a`);
    expect(body.metadata.ownerReferences).toMatchObject([{ name: 'solid' }]);
  });

  test('TestNonBlockingOwnerRefDoesNotBlock: the owner goes before a dependent that does not block', async () => {
    await using setup = await start();
    const owner = await setup.create(controllers, controller('owner'));
    const held = { finalizers: ['x.io/held'] };
    await setup.create(pods, pod('unset', [referenceTo(owner)], held));
    await setup.create(pods, pod('no', [referenceTo(owner, { blockOwnerDeletion: false })], held));
    await setup.delete(`${controllers}/owner`, 'Foreground');
    expect(await setup.names(controllers)).toEqual([]);
    expect(await setup.names(pods)).toEqual(['no', 'unset']);
  });

  test('TestBlockingOwnerRefDoesBlock: the owner waits for a dependent that blocks', async () => {
    await using setup = await start();
    const owner = await setup.create(controllers, controller('owner'));
    const reference = referenceTo(owner, { blockOwnerDeletion: true });
    await setup.create(pods, pod('a', [reference], { finalizers: ['x.io/held'] }));
    await setup.delete(`${controllers}/owner`, 'Foreground');
    expect(await setup.names(controllers)).toEqual(['owner']);
    expect(await setup.names(pods)).toEqual(['a']);
    await setup.removeFinalizers(`${pods}/a`);
    expect(await setup.names(controllers)).toEqual([]);
    expect(await setup.names(pods)).toEqual([]);
  });

  test('TestDoubleDeletionWithFinalizer: a second delete in the foreground does not add the finalizer again', async () => {
    await using setup = await start();
    await setup.create(pods, pod('a', [], { finalizers: ['x.io/held'] }));
    await setup.delete(`${pods}/a`, 'Foreground');
    await setup.server.idle();
    const finalizers = async (): Promise<Json> =>
      (await setup.client.get(`${pods}/a`)).body.metadata.finalizers;
    expect(await finalizers()).toEqual(['x.io/held']);
    await setup.delete(`${pods}/a`, 'Foreground');
    await setup.server.idle();
    expect(await finalizers()).toEqual(['x.io/held']);
    await setup.removeFinalizers(`${pods}/a`);
    expect(await setup.names(pods)).toEqual([]);
  });

  test.each([
    ['Background', []],
    ['Orphan', ['dependent']],
  ])(
    'TestCustomResourceCascadingDeletion and orphan deletion of custom resources: %s',
    async (policy, left) => {
      await using setup = await start();
      await setup.create(definitions, itemDefinition);
      const item = { apiVersion: 'gc.example.com/v1', kind: 'Item' };
      const owner = await setup.create(items, { ...item, metadata: { name: 'owner' } });
      const metadata = { name: 'dependent', ownerReferences: [referenceTo(owner)] };
      await setup.create(items, { ...item, metadata });
      await setup.delete(`${items}/owner`, policy);
      expect(await setup.names(items)).toEqual(left);
    },
  );

  test('TestMixedRelationships: custom resources and built-in objects own each other', async () => {
    await using setup = await start();
    await setup.create(definitions, itemDefinition);
    const item = { apiVersion: 'gc.example.com/v1', kind: 'Item' };
    const customOwner = await setup.create(items, { ...item, metadata: { name: 'custom' } });
    await setup.create(pods, pod('of-custom', [referenceTo(customOwner)]));
    const coreOwner = await setup.create(controllers, controller('core'));
    const metadata = { name: 'of-core', ownerReferences: [referenceTo(coreOwner)] };
    await setup.create(items, { ...item, metadata });
    await setup.delete(`${items}/custom`, 'Foreground');
    await setup.delete(`${controllers}/core`, 'Foreground');
    expect(await setup.names(items)).toEqual([]);
    expect(await setup.names(pods)).toEqual([]);
  });

  test('TestCRDDeletionCascading: the dependents of custom resources go with their definition', async () => {
    await using setup = await start();
    for (let round = 0; round < 2; round += 1) {
      await setup.create(definitions, itemDefinition);
      const owner = await setup.create(items, {
        apiVersion: 'gc.example.com/v1',
        kind: 'Item',
        metadata: { name: 'owner' },
      });
      await setup.create(pods, pod('a', [referenceTo(owner)]));
      await setup.delete(`${definitions}/items.gc.example.com`, 'Background');
      await setup.server.idle();
      expect((await setup.client.get(`${definitions}/items.gc.example.com`)).code).toBe(404);
      expect(await setup.names(pods)).toEqual([]);
    }
  });

  test('TestClusterScopedOwner: a cluster-scoped owner keeps its dependents in a namespace', async () => {
    await using setup = await start();
    const volume = await setup.create('/api/v1/persistentvolumes', {
      metadata: { name: 'owner' },
      spec: {
        capacity: { storage: '1Gi' },
        accessModes: ['ReadWriteMany'],
        hostPath: { path: '/a' },
      },
    });
    const maps = `${namespace}/configmaps`;
    const owned = { ownerReferences: [referenceTo(volume)] };
    await setup.create(maps, { metadata: { name: 'valid', ...owned } });
    const missing = { ...volume, metadata: { name: 'missing', uid: 'missing' } };
    const metadata = { name: 'invalid', ownerReferences: [referenceTo(missing)] };
    await setup.create(maps, { metadata });
    expect(await setup.names(maps)).toEqual(['valid']);
  });

  test('TestCrossNamespaceReferences: children of a parent in another namespace go, and those beside it stay', async () => {
    await using setup = await start();
    await setup.create('/api/v1/namespaces', { metadata: { name: 'other' } });
    const parent = await setup.create(`${namespace}/configmaps`, { metadata: { name: 'parent' } });
    const child = (name: string): Json => ({
      metadata: { name, ownerReferences: [referenceTo(parent)] },
    });
    const beside = `${namespace}/secrets`;
    const elsewhere = '/api/v1/namespaces/other/secrets';
    await setup.create(elsewhere, child('invalid'));
    await setup.create(beside, child('valid'));
    expect(await setup.names(elsewhere)).toEqual([]);
    expect(await setup.names(beside)).toEqual(['valid']);
  });

  test('should not be blocked by dependency circle', async () => {
    await using setup = await start();
    const created = [];
    for (const name of ['a', 'b', 'c']) created.push(await setup.create(pods, pod(name, [])));
    const [a, b, c] = created;
    for (const [dependent, owner] of [
      [a, c],
      [b, a],
      [c, b],
    ]) {
      const ownerReferences = [referenceTo(owner, { controller: true, blockOwnerDeletion: true })];
      const path = `${pods}/${dependent.metadata.name}`;
      await setup.client.patch(path, 'merge', { metadata: { ownerReferences } });
    }
    await setup.delete(`${pods}/a`, 'Foreground');
    expect(await setup.names(pods)).toEqual([]);
  });

  test('should keep the rc around until all its pods are deleted', async () => {
    await using setup = await start();
    const owner = await setup.create(controllers, controller('owner'));
    const reference = referenceTo(owner, { controller: true, blockOwnerDeletion: true });
    const held = { finalizers: ['x.io/held'] };
    for (const name of ['a', 'b']) await setup.create(pods, pod(name, [reference], held));
    await setup.delete(`${controllers}/owner`, 'Foreground');
    for (const name of ['a', 'b']) {
      expect(await setup.names(controllers)).toEqual(['owner']);
      await setup.removeFinalizers(`${pods}/${name}`);
    }
    expect(await setup.names(controllers)).toEqual([]);
  });
});
