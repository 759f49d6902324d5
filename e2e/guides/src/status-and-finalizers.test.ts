import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createApiServer, type ApiServer } from '@keelson/apiserver';
import { createClient, type Client } from '@keelson/client';
import { createTestEnvironment } from '@keelson/envtest';
import {
  aggregateConditions,
  builtin,
  createManager,
  defineResource,
  type Condition,
  type KubernetesObject,
  type Manager,
  type NewCondition,
} from '@keelson/manager';
import type { Cached } from '@keelson/manager/objects';
import { crdOf, eventually, running, silent } from './testing/fixtures.test-support.ts';

interface Site extends KubernetesObject {
  spec: { host: string };
  status?: { address?: string; conditions?: Condition[] };
}

const Site = defineResource<Site>({
  group: 'apps.example.com',
  version: 'v1',
  kind: 'Site',
  plural: 'sites',
});

const name = { namespace: 'default', name: 'shop' };
let server: ApiServer;
let client: Client;
let manager: Manager;

beforeEach(async () => {
  server = await createApiServer();
  client = createClient({ cluster: server.cluster });
  await client.create(builtin.CustomResourceDefinition, crdOf(Site));
  manager = createManager({ cluster: server.cluster, logger: silent, stopSignals: [] });
});

afterEach(async () => {
  await manager.stop();
  await client.close();
  await server.close();
});

function probe(host: string): Promise<NewCondition> {
  const [status, message] =
    host === 'down' ? (['False', 'no response'] as const) : (['True', ''] as const);
  return Promise.resolve({ type: 'Reachable', status, reason: 'Probed', message });
}

// #region status
function addSites(operator: Manager) {
  return operator.addController({
    name: 'site',
    for: Site,
    async reconcile(request, { cache, patchStatus }) {
      const site = cache.get(Site, request);
      if (site === undefined) return;
      const conditions = [await probe(site.spec.host)];
      const summary = { type: 'Ready', of: ['Reachable', 'Certified'] };
      await patchStatus(Site, site, { address: site.spec.host, conditions }, { summary });
    },
  });
}
// #endregion

// #region ready
function usableOf({ metadata, status }: Cached<Site>, determined: NewCondition[]): NewCondition {
  return aggregateConditions([...determined, ...(status?.conditions ?? [])], {
    type: 'Usable',
    of: ['Reachable', 'Certified'],
    generation: metadata.generation,
  });
}
// #endregion

interface NameServer {
  register(id: string, host: string): Promise<void>;
  /** Returns whether the name is gone. */
  remove(id: string): Promise<boolean>;
}

// #region finalizer
function addNames(operator: Manager, names: NameServer) {
  return operator.addController({
    name: 'names',
    for: Site,
    async reconcile(request, { cache, finalizer }) {
      const object = cache.get(Site, request);
      if (object === undefined) return undefined;
      const id = object.metadata.uid;
      return finalizer({
        resource: Site,
        object,
        finalizer: 'example.com/name',
        apply: ({ spec }) => names.register(id, spec.host),
        async cleanup() {
          if (!(await names.remove(id))) return { requeueAfter: '5s' }; // called again; the finalizer stays
          return undefined; // removes the finalizer, and Kubernetes deletes the object
        },
      });
    },
  });
}
// #endregion

const stored = (): Site | undefined => server.object(Site, name) as Site | undefined;

describe('the guide to status and finalizers', () => {
  test('the status has the condition with its time and generation, and is written once', async () => {
    addSites(manager);
    await running(manager);
    await client.create(Site, { metadata: name, spec: { host: 'down' } });
    await eventually(() => stored()?.status?.address === 'down');
    const [reachable, ready] = stored()?.status?.conditions ?? [];
    expect(reachable).toMatchObject({ status: 'False', observedGeneration: 1 });
    expect(reachable?.lastTransitionTime).toMatch(/Z$/);
    const summary = { status: 'False', reason: 'Probed' };
    const message = 'Reachable: no response; Certified: has not been determined';
    expect(ready).toMatchObject({ type: 'Ready', ...summary, message, observedGeneration: 1 });
    const cached = (): Cached<Site> | undefined => manager.cache.get(Site, name);
    await eventually(() => cached()?.status !== undefined);
    const certified: NewCondition = { ...reachable!, type: 'Certified', status: 'True' };
    expect(usableOf(cached()!, [certified])).toEqual({
      type: 'Usable',
      ...summary,
      message: 'Reachable: no response',
    });
    expect(server.stats.requests({ resource: Site, verb: 'patch' })).toBe(1);
  });

  test('the object stays until its cleanup has ended', async () => {
    await using environment = await createTestEnvironment({ time: 'virtual' });
    await environment.installCrds([crdOf(Site)]);
    const { cluster } = environment.admin;
    await using operator = createManager({ cluster, logger: silent, stopSignals: [] });
    const calls: string[] = [];
    let isGone = false;
    addNames(operator, {
      register: async (_id, host) => void calls.push(`register ${host}`),
      remove: async () => {
        calls.push('remove');
        return isGone;
      },
    });
    await running(operator);
    await operator.client.create(Site, { metadata: name, spec: { host: 'shop' } });
    await environment.settled();
    expect(calls).toEqual(['register shop']);
    await operator.client.delete(Site, name);
    await environment.advance('12s');
    expect(calls.slice(1)).toEqual(['remove', 'remove', 'remove']);
    const { metadata } = await operator.client.get(Site, name);
    expect(metadata.finalizers).toEqual(['example.com/name']);
    isGone = true;
    await environment.advance('3s');
    expect(calls).toHaveLength(5);
    await expect(operator.client.get(Site, name)).rejects.toMatchObject({ statusCode: 404 });
  });
});
