import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createApiServer, type ApiServer } from '@keelson/apiserver';
import { createClient, type Client } from '@keelson/client';
import {
  builtin,
  createManager,
  defineResource,
  isConditionTrue,
  type Condition,
  type KubernetesObject,
  type Manager,
  type NewCondition,
  type ObjectOf,
} from '@keelson/manager';
import type { Cached } from '@keelson/manager/objects';
import { crdOf, eventually, running, silent } from './testing/fixtures.test-support.ts';

interface Shop extends KubernetesObject {
  spec: { image: string; cache?: boolean; configMap?: string };
  status?: { conditions?: Condition[] };
}

const Shop = defineResource<Shop>({
  group: 'apps.example.com',
  version: 'v1',
  kind: 'Shop',
  plural: 'shops',
});

const name = { namespace: 'default', name: 'books' };
let server: ApiServer;
let client: Client;
let manager: Manager;

beforeEach(async () => {
  server = await createApiServer();
  client = createClient({ cluster: server.cluster });
  await client.create(builtin.CustomResourceDefinition, crdOf(Shop));
  manager = createManager({ cluster: server.cluster, logger: silent, stopSignals: [] });
});

afterEach(async () => {
  await manager.stop();
  await client.close();
  await server.close();
});

// #region objects
/** Every object of a shop. What a shop no longer has is simply not in the list. */
function objectsOf({ metadata, spec }: Cached<Shop>) {
  const web = workload(`${metadata.name}-web`, spec.image);
  const cache = spec.cache === true ? workload(`${metadata.name}-cache`, 'memcached') : [];
  return [...web, ...cache];
}

function workload(named: string, image: string) {
  const matchLabels = { app: named };
  const template = {
    metadata: { labels: matchLabels },
    spec: { containers: [{ name: 'main', image }] },
  };
  return [
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: named },
      spec: { selector: { matchLabels }, template },
    },
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: named },
      spec: { selector: matchLabels, ports: [{ port: 80 }] },
    },
  ];
}
// #endregion

// #region controller
function addShops(operator: Manager) {
  return operator.addController({
    name: 'shop',
    for: Shop,
    owns: [builtin.Deployment, builtin.Service],
    async reconcile(request, { applyAll, cache, patchStatus }) {
      const shop = cache.get(Shop, request);
      if (shop === undefined) return; // the garbage collector deletes its objects
      await applyAll(objectsOf(shop), { owner: shop, prune: true });
      const conditions = cache.owned(builtin.Deployment, shop).map(conditionOf);
      const summary = { type: 'Ready', of: conditions.map(({ type }) => type) };
      await patchStatus(Shop, shop, { conditions }, { summary });
    },
  });
}

function conditionOf({ metadata, spec, status }: Cached<Deployment>): NewCondition {
  const isUp = (status?.readyReplicas ?? 0) >= (spec?.replicas ?? 1);
  const type = metadata.name.endsWith('-cache') ? 'CacheReady' : 'WebReady';
  return { type, status: isUp ? 'True' : 'False', reason: isUp ? 'Up' : 'Starting', message: '' };
}
// #endregion

// #region order
function addShopsInOrder(operator: Manager) {
  return operator.addController({
    name: 'ordered-shop',
    for: Shop,
    owns: [builtin.Deployment, builtin.Service],
    async reconcile(request, { applyAll, cache }) {
      const shop = cache.get(Shop, request);
      if (shop === undefined) return;
      const objects = objectsOf(shop);
      const first = objects.filter(({ metadata }) => metadata.name.endsWith('-cache'));
      const isUp = cache
        .owned(builtin.Deployment, shop)
        .some(
          ({ metadata, status }) => metadata.name.endsWith('-cache') && status?.readyReplicas === 1,
        );
      const isWhole = isUp || first.length === 0;
      // Until the list is whole nothing is deleted, because the second half may exist from an earlier run.
      await applyAll(isWhole ? objects : first, { owner: shop, prune: isWhole });
    },
  });
}
// #endregion

// #region track
function addConfiguredShops(operator: Manager) {
  return operator.addController({
    name: 'configured-shop',
    for: Shop,
    async reconcile(request, { cache, track, patchStatus }) {
      const shop = cache.get(Shop, request);
      if (shop?.spec.configMap === undefined) return;
      const { namespace } = shop.metadata;
      const found = await track(builtin.ConfigMap, { namespace, name: shop.spec.configMap });
      const conditions: NewCondition[] = [
        {
          type: 'Configured',
          status: found === undefined ? 'False' : 'True',
          reason: found === undefined ? 'ConfigMapMissing' : 'Found',
          message: found?.data?.['title'] ?? '',
        },
      ];
      await patchStatus(Shop, shop, { conditions });
    },
  });
}
// #endregion

type Deployment = ObjectOf<typeof builtin.Deployment>;

const conditions = (): readonly Condition[] =>
  (server.object(Shop, name) as Shop | undefined)?.status?.conditions ?? [];

async function deployments(): Promise<string[]> {
  const { items } = await client.list(builtin.Deployment, { namespace: 'default' });
  return items.map(({ metadata }) => metadata.name);
}

async function bringUp(deployment: string): Promise<void> {
  const body = { status: { replicas: 1, readyReplicas: 1 } };
  const target = { namespace: 'default', name: deployment };
  await client.status(builtin.Deployment).patch(target, { type: 'merge', body });
}

describe('the guide to graphs of dependents', () => {
  test('applies the objects, sums up their state, and deletes what is no longer named', async () => {
    addShops(manager);
    await running(manager);
    await client.create(Shop, { metadata: name, spec: { image: 'web', cache: true } });
    await eventually(async () => (await deployments()).length === 2);
    await bringUp('books-web');
    await bringUp('books-cache');
    await eventually(() => isConditionTrue(conditions(), 'Ready'));
    await client.patch(Shop, name, { type: 'merge', body: { spec: { cache: false } } });
    await eventually(async () => (await deployments()).length === 1);
    const { items } = await client.list(builtin.Service, { namespace: 'default' });
    expect(items.map(({ metadata }) => metadata.name)).toEqual(['books-web', 'kubernetes']);
  });

  test('applies the second half when the first one is up', async () => {
    addShopsInOrder(manager);
    await running(manager);
    await client.create(Shop, { metadata: name, spec: { image: 'web', cache: true } });
    await eventually(async () => (await deployments()).length === 1);
    expect(await deployments()).toEqual(['books-cache']);
    await bringUp('books-cache');
    await eventually(async () => (await deployments()).length === 2);
  });
});

describe('the guide to tracked objects', () => {
  test('runs the request again when the tracked object appears and changes', async () => {
    addConfiguredShops(manager);
    await running(manager);
    await client.create(Shop, { metadata: name, spec: { image: 'web', configMap: 'texts' } });
    const configured = (): string | undefined => conditions()[0]?.reason;
    await eventually(() => configured() === 'ConfigMapMissing');
    const texts = { namespace: 'default', name: 'texts' };
    await client.create(builtin.ConfigMap, { metadata: texts, data: { title: 'Books' } });
    await eventually(() => conditions()[0]?.message === 'Books');
    await client.patch(builtin.ConfigMap, texts, {
      type: 'merge',
      body: { data: { title: 'Maps' } },
    });
    await eventually(() => conditions()[0]?.message === 'Maps');
    await client.delete(builtin.ConfigMap, texts);
    await eventually(() => configured() === 'ConfigMapMissing');
  });
});
