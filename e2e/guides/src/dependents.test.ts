import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createApiServer, type ApiServer } from '@keelson/apiserver';
import { createClient, type Client } from '@keelson/client';
import {
  builtin,
  createLogger,
  createManager,
  defineResource,
  isConditionTrue,
  isDeleting,
  type Condition,
  type KubernetesObject,
  type Manager,
  type NewCondition,
  type ObjectOf,
} from '@keelson/manager';
import type { Cached } from '@keelson/manager/objects';
import { crdOf, eventually, running } from './testing/fixtures.test-support.ts';

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
let problems: string[];

beforeEach(async () => {
  server = await createApiServer();
  client = createClient({ cluster: server.cluster });
  await client.create(builtin.CustomResourceDefinition, crdOf(Shop));
  problems = [];
  const logger = createLogger({ level: 'warn', write: (line) => problems.push(line) });
  manager = createManager({ cluster: server.cluster, logger, stopSignals: [] });
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
      if (shop === undefined || isDeleting(shop)) return; // the garbage collector deletes its objects
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
      if (shop === undefined || isDeleting(shop)) return;
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
      if (shop === undefined) return;
      const { namespace } = shop.metadata;
      const named = shop.spec.configMap;
      const found = named && (await track(builtin.ConfigMap, { namespace, name: named }));
      const missing = named ? 'ConfigMapMissing' : 'NotRequested';
      const conditions: NewCondition[] = [
        {
          type: 'Configured',
          status: found ? 'True' : 'False',
          reason: found ? 'Found' : missing,
          message: (found && found.data?.['title']) ?? '',
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

describe('a shop that is deleted in the foreground', () => {
  test.each([
    ['applied as a whole', addShops],
    ['applied in order', addShopsInOrder],
  ])('gets no new objects while one of them is held: %s', async (_, addController) => {
    addController(manager);
    await running(manager);
    await client.create(Shop, { metadata: name, spec: { image: 'web', cache: true } });
    const held = { namespace: 'default', name: 'books-cache' };
    await eventually(async () => (await deployments()).includes(held.name));
    await bringUp(held.name);
    await eventually(async () => (await deployments()).length === 2);
    const body = { metadata: { finalizers: ['example.com/hold'] } };
    await client.patch(builtin.Deployment, held, { type: 'merge', body });
    await client.delete(Shop, name, { propagationPolicy: 'Foreground' });
    await eventually(async () => (await deployments()).length === 1);
    problems.length = 0; // a run that had begun before the deletion may fail
    await client.patch(builtin.Deployment, held, {
      type: 'merge',
      body: { metadata: { annotations: { touched: 'yes' } } },
    });
    await server.idle();
    expect(await deployments()).toEqual([held.name]);
    await client.patch(builtin.Deployment, held, {
      type: 'merge',
      body: { metadata: { finalizers: null } },
    });
    await eventually(() => server.object(Shop, name) === undefined);
    await manager.stop();
    expect(await deployments()).toEqual([]);
    expect(problems).toEqual([]);
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

  test('reports that the reference was removed', async () => {
    addConfiguredShops(manager);
    await running(manager);
    const texts = { namespace: 'default', name: 'texts' };
    await client.create(builtin.ConfigMap, { metadata: texts, data: { title: 'Books' } });
    await client.create(Shop, { metadata: name, spec: { image: 'web', configMap: 'texts' } });
    await eventually(() => isConditionTrue(conditions(), 'Configured'));
    const body = { spec: { configMap: null } };
    await client.patch(Shop, name, { type: 'merge', body });
    await eventually(() => conditions()[0]?.reason === 'NotRequested');
    expect(isConditionTrue(conditions(), 'Configured')).toBe(false);
  });
});
