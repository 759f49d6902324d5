import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import {
  builtin,
  defineResource,
  type ApiResource,
  type Condition,
  type KubernetesObject,
  type NewCondition,
  type Persisted,
} from '@keelson/apimachinery';
import { createApiServer, type ApiServer } from '@keelson/apiserver';
import { crdOf } from '../testing/crd.test-support.ts';
import type { Client } from '../verbs/client.ts';
import { createClient } from '../verbs/create-client.ts';
import { patchStatus } from './patch-status.ts';

interface App extends KubernetesObject {
  spec?: { replicas?: number };
  status?: { replicas?: number; conditions?: Condition[] };
}

const App: ApiResource<App> = defineResource<App>({
  group: 'apps.example.com',
  version: 'v1',
  kind: 'App',
  plural: 'apps',
});
const name = { namespace: 'default', name: 'shop' };
const condition = (type: string, status: Condition['status']): NewCondition => ({
  type,
  status,
  reason: `${type}Is${status}`,
  message: '',
});
const summary = { type: 'Ready', of: ['Database', 'Network'], reason: 'Up' };

let server: ApiServer;
let client: Client;

beforeEach(async () => {
  server = await createApiServer({});
  client = createClient({ cluster: server.cluster });
  await client.create(builtin.CustomResourceDefinition, crdOf(App));
});

afterEach(async () => {
  await client.close();
  await server.close();
});

const created = (): Promise<Persisted<App>> => client.create(App, { metadata: name });
const patches = (): number => server.stats.requests({ resource: App, verb: 'patch' });

/** Type, status and reason of the stored conditions. */
function stored(): string[] {
  const object: App | undefined = server.object(App, name);
  const conditions = object?.status?.conditions ?? [];
  return conditions.map(({ type, status, reason }) => `${type} ${status} ${reason}`);
}

describe('the summary of patchStatus', () => {
  test('sums up the conditions of the same write, in one patch', async () => {
    const object = await created();
    const conditions = [condition('Database', 'True'), condition('Network', 'True')];
    const options = { client, resource: App, object, status: { conditions }, summary };
    const written = await patchStatus(options);
    expect(stored()).toEqual([
      'Database True DatabaseIsTrue',
      'Network True NetworkIsTrue',
      'Ready True Up',
    ]);
    expect(written?.status?.conditions?.[2]).toMatchObject({
      observedGeneration: 1,
      lastTransitionTime: expect.any(String) as unknown,
    });
    await patchStatus({ ...options, object: await client.get(App, name) });
    expect(patches()).toBe(1);
  });

  test('includes the conditions of other writers, also after a conflict, and needs no own ones', async () => {
    const stale = await created();
    const lastTransitionTime = '2020-01-01T00:00:00Z';
    const network = { ...condition('Network', 'False'), lastTransitionTime };
    await client.status(App).update({ ...stale, status: { conditions: [network] } });
    const status = { conditions: [condition('Database', 'True')] };
    await patchStatus({ client, resource: App, object: stale, status, summary });
    expect(stored()).toEqual([
      'Network False NetworkIsFalse',
      'Database True DatabaseIsTrue',
      'Ready False NetworkIsFalse',
    ]);
    const object = await client.get(App, name);
    const other = { type: 'Usable', of: ['Database'] };
    await patchStatus({ client, resource: App, object, status: {}, summary: other });
    expect(stored().at(-1)).toBe('Usable True AllTrue');
  });

  test('counts a condition of an older generation as Unknown', async () => {
    const object = await created();
    const conditions = [condition('Database', 'True'), condition('Network', 'True')];
    await patchStatus({ client, resource: App, object, status: { conditions }, summary });
    const next = await client.patch(App, name, { type: 'merge', body: { spec: { replicas: 2 } } });
    const status = { conditions: [condition('Database', 'True')] };
    await patchStatus({ client, resource: App, object: next, status, summary });
    expect(stored().at(-1)).toBe('Ready Unknown Outdated');
  });

  test.each<[string, object, object]>([
    ['aggregateConditions.of', { conditions: [] }, { ...summary, of: ['Ready'] }],
    ['patchStatus.summary.type', { conditions: [condition('Ready', 'True')] }, summary],
    ['patchStatus.summary', { conditions: null }, summary],
    ['aggregateConditions.of', {}, { ...summary, of: [] }],
    ['patchStatus.summary.generation', {}, { ...summary, generation: 1 }],
  ])('throws INVALID_OPTION for %s', async (option, status, wrong) => {
    const object = await created();
    const options = { client, resource: App, object, status, summary: wrong };
    await expect(patchStatus(options as never)).rejects.toMatchObject({
      code: 'INVALID_OPTION',
      facts: { option },
    });
    expect(patches()).toBe(0);
  });
});
