import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import {
  builtin,
  defineResource,
  isNotFound,
  ownerReferenceTo,
  type ApiResource,
  type Persisted,
} from '@keelson/apimachinery';
import { createApiServer, type ApiServer } from '@keelson/apiserver';
import { crdOf } from '../testing/crd.test-support.ts';
import type { Client } from '../verbs/client.ts';
import { createClient } from '../verbs/create-client.ts';
import { applyAll } from './apply-all.ts';
import type { AppliedObject, ApplySetOptions } from './apply-all-options.ts';
import type { ApplyAllResult } from './apply-all-result.ts';
import { clientWith } from './interrupted-client.test-support.ts';
import { applySetAnnotations, applySetId, applySetLabels } from './apply-set.ts';

const App: ApiResource = defineResource({
  group: 'apps.example.com',
  version: 'v1',
  kind: 'App',
  plural: 'apps',
});
const { ConfigMap, Secret, Namespace } = builtin;
const shop = { namespace: 'default', name: 'shop' };
const ConfigMaps = { group: '', kind: 'ConfigMap' };

let server: ApiServer;
let client: Client;
let owner: Persisted;

beforeEach(async () => {
  server = await createApiServer({});
  client = createClient({ cluster: server.cluster, fieldManager: 'shop-operator' });
  owner = await client.create(ConfigMap, { metadata: shop });
  for (const name of ['far', 'farther']) await client.create(Namespace, { metadata: { name } });
});

afterEach(async () => {
  await client.close();
  await server.close();
});

function configMap(
  name: string,
  namespace?: string,
  value = 'x',
): AppliedObject & { data: object } {
  const metadata = namespace === undefined ? { name } : { name, namespace };
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { value } };
}

const secret = (name: string): AppliedObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name },
});

function apply(
  objects: readonly AppliedObject[],
  options: Partial<ApplySetOptions> = {},
): Promise<ApplyAllResult> {
  return applyAll(objects, { client, owner, prune: true, ...options });
}

async function names(resource: ApiResource = ConfigMap, namespace = 'default'): Promise<string[]> {
  const { items } = await client.list(resource, { namespace });
  return items.map(({ metadata }) => metadata.name).filter((name) => name !== 'shop');
}

async function annotations(): Promise<Record<string, string>> {
  const { metadata } = await client.get(ConfigMap, shop);
  return metadata.annotations ?? {};
}

const write = { verb: ['create', 'update', 'patch', 'delete'] };

async function codeOf(call: Promise<unknown>): Promise<unknown> {
  const error: unknown = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return (error as { code?: unknown } | undefined)?.code;
}

describe('applyAll', () => {
  test('applies the objects with the label of the set, the owner reference and the field manager of the client', async () => {
    const { applied, pruned } = await apply([configMap('a')]);
    const id = applySetId({ resource: ConfigMaps, namespace: 'default', name: 'shop' });
    const { uid } = owner.metadata;
    expect(applied).toEqual([await client.get(ConfigMap, { namespace: 'default', name: 'a' })]);
    expect(applied[0]?.metadata.labels).toEqual({ [applySetLabels.partOf]: id });
    expect(applied[0]?.metadata.ownerReferences).toEqual([
      {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        name: 'shop',
        uid,
        controller: true,
        blockOwnerDeletion: true,
      },
    ]);
    expect(applied[0]?.metadata.managedFields?.map(({ manager }) => manager)).toEqual([
      'shop-operator',
    ]);
    expect(pruned).toEqual([]);
  });

  test('marks the owner as the parent of the set', async () => {
    await apply([configMap('a', 'far'), secret('s')]);
    const { metadata } = await client.get(ConfigMap, shop);
    const id = applySetId({ resource: ConfigMaps, namespace: 'default', name: 'shop' });
    expect(metadata.labels).toEqual({ [applySetLabels.id]: id });
    expect(metadata.annotations).toEqual({
      [applySetAnnotations.tooling]: 'keelson/v1',
      [applySetAnnotations.kinds]: 'ConfigMap,Secret',
      [applySetAnnotations.namespaces]: 'far',
    });
  });

  test('deletes what the owner applied before and no longer names', async () => {
    await apply([configMap('a'), configMap('b'), configMap('c', 'far'), secret('s')]);
    const { pruned } = await apply([configMap('a')]);
    expect(pruned).toHaveLength(3);
    expect(pruned).toContainEqual({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      namespace: 'far',
      name: 'c',
    });
    expect([await names(), await names(Secret), await names(ConfigMap, 'far')]).toEqual([
      ['a'],
      [],
      [],
    ]);
    expect(await annotations()).toMatchObject({
      [applySetAnnotations.kinds]: 'ConfigMap',
      [applySetAnnotations.namespaces]: '',
    });
  });

  test('keeps former objects without prune, and a later call deletes them', async () => {
    await apply([configMap('a'), secret('s')]);
    await apply([configMap('b')], { prune: false });
    expect([await names(), await names(Secret)]).toEqual([['a', 'b'], ['s']]);
    await apply([]);
    expect([await names(), await names(Secret)]).toEqual([[], []]);
    expect(await annotations()).toMatchObject({ [applySetAnnotations.kinds]: '' });
  });

  test('writes nothing to the owner if kinds and namespaces stay the same', async () => {
    await apply([configMap('a')]);
    const { resourceVersion } = (await client.get(ConfigMap, shop)).metadata;
    await apply([configMap('b')]);
    const { metadata } = await client.get(ConfigMap, shop);
    expect(metadata.resourceVersion).toBe(resourceVersion);
  });

  test('writes nothing for an owner without objects', async () => {
    const before = server.stats.requests(write);
    expect(await apply([])).toEqual({ applied: [], pruned: [], unserved: [], unchecked: [] });
    expect(server.stats.requests(write)).toBe(before);
  });

  test('applies in the order of dependencies and deletes in the reverse order', async () => {
    const sent: string[] = [];
    const observed = clientWith(client, {
      apply: async (...given) => {
        sent.push(`apply ${given[0].kind}`);
        return client.apply(...given);
      },
      delete: async (...given) => {
        sent.push(`delete ${given[0].kind}`);
        return client.delete(...given);
      },
    });
    const objects: AppliedObject[] = [
      { apiVersion: 'apps.example.com/v1', kind: 'App', metadata: { name: 'a', namespace: 'new' } },
      configMap('a', 'new'),
      crdOf(App) as AppliedObject,
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'new' } },
    ];
    const { applied } = await applyAll(objects, { client: observed, owner, prune: true });
    const order = ['Namespace', 'CustomResourceDefinition', 'ConfigMap', 'App'];
    expect(sent).toEqual(order.map((kind) => `apply ${kind}`));
    expect(applied.map(({ kind }) => kind)).toEqual(objects.map(({ kind }) => kind));
    sent.length = 0;
    await applyAll([], { client: observed, owner, prune: true });
    expect(sent).toEqual(order.toReversed().map((kind) => `delete ${kind}`));
  });

  test('refuses an object of another owner before the first write', async () => {
    const other = await client.create(ConfigMap, {
      metadata: { namespace: 'default', name: 'rival' },
    });
    await apply([secret('s')], { owner: other });
    const before = server.stats.requests(write);
    const call = apply([configMap('a'), secret('s')]);
    await expect(call).rejects.toMatchObject({
      code: 'APPLY_ALL_FAILED',
      facts: { step: 'apply', failed: ['Secret default/s'] },
      cause: { code: 'APPLY_SET_MEMBER_CONFLICT' },
    });
    // The owner names its kinds before it reads the objects.
    expect(server.stats.requests(write) - before).toBe(1);
    expect(await names()).toEqual(['rival']);
  });

  test('refuses an object that another object controls', async () => {
    const rival = await client.create(Secret, {
      metadata: { namespace: 'default', name: 'rival' },
    });
    const reference = ownerReferenceTo(rival, { controller: true });
    const metadata = { namespace: 'default', name: 'a', ownerReferences: [reference] };
    await client.create(ConfigMap, { metadata });
    await expect(apply([configMap('a')])).rejects.toMatchObject({
      cause: { code: 'APPLY_SET_MEMBER_CONFLICT', facts: { controller: 'Secret rival' } },
    });
  });

  test('does not delete a member that another object controls', async () => {
    await apply([configMap('a')], { ownerReferences: false });
    const rival = await client.create(Secret, {
      metadata: { namespace: 'default', name: 'rival' },
    });
    const reference = ownerReferenceTo(rival, { controller: true });
    const body = { metadata: { ownerReferences: [reference] } };
    await client.patch(ConfigMap, { namespace: 'default', name: 'a' }, { type: 'merge', body });
    await expect(apply([])).rejects.toMatchObject({
      code: 'APPLY_ALL_FAILED',
      facts: { step: 'prune' },
      cause: { code: 'APPLY_SET_MEMBER_CONFLICT' },
    });
    expect(await names()).toEqual(['a']);
  });

  test('takes over an object without an owner', async () => {
    await client.create(ConfigMap, {
      metadata: { namespace: 'default', name: 'a' },
      data: { value: 'old' },
    });
    await apply([configMap('a')]);
    expect(await client.get(ConfigMap, { namespace: 'default', name: 'a' })).toMatchObject({
      data: { value: 'x' },
    });
    await apply([]);
    expect(await names()).toEqual([]);
  });

  test('never deletes objects without the label of the set', async () => {
    await client.create(ConfigMap, { metadata: { namespace: 'default', name: 'free' } });
    await apply([configMap('a')]);
    await apply([secret('s')]);
    expect(await names()).toEqual(['free']);
  });

  test('deletes nothing if an object cannot be applied, and reports each', async () => {
    await apply([configMap('a')]);
    const wrong = { ...configMap('b'), data: { value: 1 } };
    const call = apply([wrong, { ...wrong, metadata: { name: 'c' } }, secret('s')]);
    await expect(call).rejects.toMatchObject({
      code: 'APPLY_ALL_FAILED',
      facts: { step: 'apply', count: 2, failed: ['ConfigMap default/b', 'ConfigMap default/c'] },
      cause: { errors: [{ code: 'API_STATUS' }, { code: 'API_STATUS' }] },
    });
    expect([await names(), await names(Secret)]).toEqual([['a'], ['s']]);
    await apply([]);
    expect([await names(), await names(Secret)]).toEqual([[], []]);
  });

  test('stores nothing in a dry run', async () => {
    await apply([configMap('a')]);
    const state = server.object(ConfigMap, shop);
    const inNew = configMap('c', 'new');
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'new' } };
    const result = await apply([configMap('b'), namespace, inNew], { dryRun: true });
    expect(result.applied.map(({ metadata }) => metadata.name)).toEqual(['b', 'new']);
    expect(result.pruned.map(({ name }) => name)).toEqual(['a']);
    expect(result.unchecked).toEqual([
      { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'new', name: 'c' },
    ]);
    expect(await names()).toEqual(['a']);
    expect(server.object(ConfigMap, shop)).toEqual(state);
  });

  test('keeps a kind that the server no longer serves, and deletes its members when it is served again', async () => {
    await client.create(builtin.CustomResourceDefinition, crdOf(App));
    await server.idle();
    const app = { apiVersion: 'apps.example.com/v1', kind: 'App', metadata: { name: 'a' } };
    await apply([app, configMap('a')]);
    {
      using _ = server.faults.unserve({ resource: App });
      const { unserved } = await apply([configMap('a')]);
      expect(unserved).toEqual(['App.apps.example.com']);
    }
    expect((await annotations())[applySetAnnotations.kinds]).toBe('App.apps.example.com,ConfigMap');
    const { unserved, pruned } = await apply([configMap('a')]);
    expect([unserved, pruned.map(({ kind }) => kind)]).toEqual([[], ['App']]);
    expect((await annotations())[applySetAnnotations.kinds]).toBe('ConfigMap');
  });

  test('prunes and protects the objects of a kind whose definition gets a new version in the same call', async () => {
    const first = crdOf(App) as AppliedObject & ReturnType<typeof crdOf>;
    const [served] = first.spec.versions;
    const spec = { ...first.spec, versions: [served, { ...served, name: 'v2', storage: false }] };
    const app = (version: string, name: string): AppliedObject => ({
      apiVersion: `apps.example.com/${version}`,
      kind: 'App',
      metadata: { name },
    });
    await apply([first, app('v1', 'old')]);
    const rival = await client.create(Secret, {
      metadata: { namespace: 'default', name: 'rival' },
    });
    await apply([app('v1', 'taken')], { owner: rival });
    const second = { ...first, spec } as AppliedObject;
    await expect(apply([second, app('v2', 'taken')])).rejects.toMatchObject({
      cause: { code: 'APPLY_SET_MEMBER_CONFLICT' },
    });
    const { pruned } = await apply([second, app('v2', 'new')]);
    expect(pruned.map(({ name }) => name)).toEqual(['old']);
    expect(await names(App)).toEqual(['new', 'taken']);
  });

  test('continues after the definition of a former kind was deleted', async () => {
    await client.create(builtin.CustomResourceDefinition, crdOf(App));
    await server.idle();
    await apply([{ apiVersion: 'apps.example.com/v1', kind: 'App', metadata: { name: 'a' } }]);
    await client.delete(builtin.CustomResourceDefinition, { name: 'apps.apps.example.com' });
    await server.idle();
    client.discovery.invalidate();
    expect((await apply([configMap('a')])).unserved).toEqual(['App.apps.example.com']);
    expect(await names()).toEqual(['a']);
  });

  test('refuses an owner that does not exist any more, or was created again', async () => {
    await client.delete(ConfigMap, shop);
    expect(await codeOf(apply([configMap('a')]))).toBe('APPLY_SET_OWNER_GONE');
    await client.create(ConfigMap, { metadata: shop });
    expect(await codeOf(apply([configMap('a')]))).toBe('APPLY_SET_OWNER_GONE');
    expect(await names()).toEqual([]);
  });

  test('refuses objects that the garbage collector deletes with their owner in the foreground', async () => {
    await apply([configMap('a')]);
    const held = { metadata: { finalizers: ['example.com/hold'] } };
    await client.patch(ConfigMap, { ...shop, name: 'a' }, { type: 'merge', body: held });
    await client.delete(ConfigMap, shop, { propagationPolicy: 'Foreground' });
    await server.idle();
    expect(await codeOf(apply([configMap('a'), configMap('b')]))).toBe('APPLY_SET_OWNER_DELETING');
    expect(await codeOf(apply([configMap('b')], { dryRun: true }))).toBe(
      'APPLY_SET_OWNER_DELETING',
    );
    expect(await names()).toEqual(['a']);
    // A cleanup applies objects that have no reference to the owner, and deletes them.
    await apply([configMap('b', 'far')]);
    expect((await apply([])).pruned.map(({ name }) => name)).toEqual(['b']);
  });

  test('applies the objects of an owner whose deletion only waits for a finalizer', async () => {
    const held = { metadata: { finalizers: ['example.com/hold'] } };
    await client.patch(ConfigMap, shop, { type: 'merge', body: held });
    await client.delete(ConfigMap, shop);
    await apply([configMap('cleanup')]);
    expect(await names()).toEqual(['cleanup']);
  });

  test('does not create an owner that is deleted between its read and its write', async () => {
    const deleting = clientWith(client, {
      patch: async (...given) => {
        await client.delete(ConfigMap, shop);
        return client.patch(...given);
      },
    });
    const call = applyAll([configMap('a')], { client: deleting, owner, prune: true });
    expect(await codeOf(call)).toBe('APPLY_SET_OWNER_GONE');
    const reading = client.get(ConfigMap, shop);
    await expect(reading.catch(isNotFound)).resolves.toBe(true);
    expect(await names()).toEqual([]);
  });

  test('does not change an owner that is created again between its read and its write', async () => {
    const recreating = clientWith(client, {
      patch: async (...given) => {
        await client.delete(ConfigMap, shop);
        await client.create(ConfigMap, { metadata: shop });
        return client.patch(...given);
      },
    });
    const call = applyAll([configMap('a')], { client: recreating, owner, prune: true });
    expect(await codeOf(call)).toBe('APPLY_SET_OWNER_GONE');
    expect(await annotations()).toEqual({});
    expect(await names()).toEqual([]);
  });

  test('repeats the write of the owner after a conflict, and keeps what others added', async () => {
    const added = ['Secret', 'Secret,Service'];
    const busy = clientWith(client, {
      patch: async (...given) => {
        const kinds = added.shift();
        const body = { metadata: { annotations: { [applySetAnnotations.kinds]: kinds } } };
        if (kinds !== undefined) await client.patch(ConfigMap, shop, { type: 'merge', body });
        return client.patch(...given);
      },
    });
    await applyAll([configMap('a')], { client: busy, owner });
    const kinds = 'ConfigMap,Secret,Service';
    expect(await annotations()).toMatchObject({ [applySetAnnotations.kinds]: kinds });
  });

  test('deletes a member that changes meanwhile, unless it left the set', async () => {
    await apply([configMap('a'), configMap('b')]);
    const changing = clientWith(client, {
      delete: async (...given) => {
        const [, { name: member }, options] = given;
        const labels = member === 'a' ? { touched: 'yes' } : { [applySetLabels.partOf]: null };
        const body = { metadata: { labels } };
        const isFirst = options?.preconditions?.resourceVersion === firstVersion.get(member);
        if (isFirst) await client.patch(ConfigMap, given[1], { type: 'merge', body });
        return client.delete(...given);
      },
    });
    const { items } = await client.list(ConfigMap, { namespace: 'default' });
    const firstVersion = new Map(
      items.map(({ metadata }) => [metadata.name, metadata.resourceVersion]),
    );
    const { pruned } = await applyAll([], { client: changing, owner, prune: true });
    expect(pruned.map(({ name }) => name)).toEqual(['a']);
    expect(await names()).toEqual(['b']);
  });

  test('does not take an object that joins another set between its read and its apply', async () => {
    await client.create(ConfigMap, { metadata: { namespace: 'default', name: 'a' } });
    const body = { metadata: { labels: { [applySetLabels.partOf]: 'applyset-other-v1' } } };
    const racing = clientWith(client, {
      apply: async (...given) => {
        await client.patch(ConfigMap, { namespace: 'default', name: 'a' }, { type: 'merge', body });
        return client.apply(...given);
      },
    });
    const call = applyAll([configMap('a')], { client: racing, owner, prune: true });
    await expect(call).rejects.toMatchObject({ cause: { code: 'APPLY_SET_MEMBER_CONFLICT' } });
    const { metadata } = await client.get(ConfigMap, { namespace: 'default', name: 'a' });
    expect(metadata.labels).toEqual(body.metadata.labels);
  });

  test('refuses the set of another tool, and the id of another set', async () => {
    await apply([configMap('a')], { tooling: 'kubectl/v1.36' });
    expect(await codeOf(apply([configMap('a')]))).toBe('APPLY_SET_OTHER_TOOL');
    await apply([configMap('a')], { tooling: 'kubectl/v1.37' });
    const body = { metadata: { labels: { [applySetLabels.id]: 'applyset-x-v1' } } };
    await client.patch(ConfigMap, shop, { type: 'merge', body });
    expect(await codeOf(apply([], { tooling: 'kubectl/v1.37' }))).toBe('APPLY_SET_ID_INVALID');
  });

  test('adds no owner reference across namespaces', async () => {
    const { applied } = await apply([
      configMap('a', 'far'),
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'new' } },
    ]);
    expect(applied.map(({ metadata }) => metadata.ownerReferences)).toEqual([undefined, undefined]);
  });

  test('ends with the reason of the signal', async () => {
    const stop = new AbortController();
    const reason = new Error('stopped');
    stop.abort(reason);
    await expect(applyAll([configMap('a')], { client, owner, signal: stop.signal })).rejects.toBe(
      reason,
    );
  });

  test('refuses invalid arguments', async () => {
    const call = (objects: unknown, options: object = {}): Promise<unknown> =>
      codeOf(applyAll(objects as AppliedObject[], { client, owner, ...options }));
    const labels = { [applySetLabels.partOf]: 'x' };
    expect(await call('a')).toBe('INVALID_OPTION');
    expect(await call([{ kind: 'ConfigMap' }])).toBe('INVALID_OPTION');
    expect(await call([{ apiVersion: 'v1', kind: 'ConfigMap', metadata: {} }])).toBe(
      'INVALID_OPTION',
    );
    expect(await call([{ ...configMap('a'), metadata: { name: 'a', labels } }])).toBe(
      'INVALID_OPTION',
    );
    expect(await call([configMap('a'), configMap('a', 'default')])).toBe('INVALID_OPTION');
    expect(await call([configMap('shop')])).toBe('INVALID_OPTION');
    expect(await call([], { owner: { kind: 'ConfigMap' } })).toBe('INVALID_OPTION');
    expect(await call([], { client: null })).toBe('INVALID_OPTION');
    expect(await call([], { client: {} })).toBe('INVALID_OPTION');
    expect(await call([{ ...configMap('a'), metadata: { name: 5 } }])).toBe('INVALID_OPTION');
    expect(await call([], { concurrency: 0 })).toBe('INVALID_OPTION');
    expect(await call([], { tooling: 'keelson' })).toBe('INVALID_OPTION');
    expect(await call([], { prun: true })).toBe('INVALID_OPTION');
    expect(await call([{ apiVersion: 'v9', kind: 'Nothing', metadata: { name: 'a' } }])).toBe(
      'KIND_NOT_SERVED',
    );
    expect(
      await call([
        { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'a', namespace: 'b' } },
      ]),
    ).toBe('NAMESPACE_NOT_ALLOWED');
    const namespace = await client.get(Namespace, { name: 'far' });
    expect(await call([configMap('a')], { owner: namespace })).toBe('NAMESPACE_REQUIRED');
  });
});

describe('applySetId', () => {
  test('is that of kubectl', () => {
    const resource = { group: '', kind: 'Secret' };
    expect(applySetId({ resource, namespace: 'test', name: 'my-set' })).toBe(
      'applyset-0eFHV8ySqp7XoShsGvyWFQD3s96yqwHmzc4e0HR1dsY-v1',
    );
  });
});
