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
import { patchStatus, type StatusChange } from './patch-status.ts';

interface App extends KubernetesObject {
  spec?: { replicas?: number };
  status?: { replicas?: number; sizes?: Record<string, number>; conditions?: Condition[] };
}

const App: ApiResource<App> = defineResource<App>({
  group: 'apps.example.com',
  version: 'v1',
  kind: 'App',
  plural: 'apps',
});
const name = { namespace: 'default', name: 'shop' };
const up = { type: 'Ready', status: 'True', reason: 'Up', message: '' } as const;
const long = '2020-01-01T00:00:00Z';

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

function stored(): App['status'] {
  const object: App | undefined = server.object(App, name);
  return object?.status;
}

const patches = (): number => server.stats.requests({ resource: App, verb: 'patch' });

async function created(status?: App['status']): Promise<Persisted<App>> {
  const object = await client.create(App, { metadata: name, spec: { replicas: 1 } });
  if (status === undefined) return object;
  return client.status(App).update({ ...object, status });
}

function patched(
  object: Persisted<App>,
  status: StatusChange<App>,
): ReturnType<typeof patchStatus<App>> {
  return patchStatus({ client, resource: App, object, status });
}

describe('patchStatus', () => {
  test('writes the given members, also to an object without a status', async () => {
    const object = await created();
    const written = await patched(object, { replicas: 2, conditions: [up] });
    const lastTransitionTime = expect.any(String) as unknown;
    const ready = { ...up, lastTransitionTime, observedGeneration: 1 };
    expect(stored()).toEqual({ replicas: 2, conditions: [ready] });
    expect(written?.status).toEqual(stored());
    expect(written?.metadata.resourceVersion).not.toBe(object.metadata.resourceVersion);
  });

  test('sends nothing if every member is as given', async () => {
    const ready = { ...up, observedGeneration: 1, lastTransitionTime: long };
    const object = await created({ replicas: 2, sizes: { a: 1 }, conditions: [ready] });
    const same = { replicas: 2, sizes: { a: 1 }, conditions: [up] } as const;
    expect(await patched(object, same)).toBe(object);
    expect(await patched(object, {})).toBe(object);
    expect(await patched(object, { replicas: undefined })).toBe(object);
    const withUndefined = { a: 1, b: undefined as unknown as number };
    expect(await patched(object, { sizes: withUndefined })).toBe(object);
    expect(patches()).toBe(0);
  });

  test('replaces a member as a whole, removes null, and keeps members that are not given', async () => {
    const object = await created({ replicas: 2, sizes: { a: 1, b: 2 } });
    await patched(object, { sizes: { b: 3 } });
    expect(stored()).toEqual({ replicas: 2, sizes: { b: 3 } });
    const next = await client.get(App, name);
    await patched(next, { replicas: undefined, sizes: null });
    expect(stored()).toEqual({ replicas: 2 });
  });

  test('keeps lastTransitionTime while the status is the same, and conditions of other types', async () => {
    const other = { ...up, type: 'Other', lastTransitionTime: long };
    const ready = { ...up, lastTransitionTime: long };
    const object = await created({ conditions: [ready, other] });
    await patched(object, { conditions: [{ ...up, reason: 'StillUp' }] });
    const [first, second] = stored()?.conditions ?? [];
    expect(first).toEqual({
      ...up,
      reason: 'StillUp',
      observedGeneration: 1,
      lastTransitionTime: long,
    });
    expect(second).toEqual(other);
    const down: NewCondition = { ...up, status: 'False', observedGeneration: 7 };
    await patched(await client.get(App, name), { conditions: [down] });
    const [changed] = stored()?.conditions ?? [];
    expect(changed).toMatchObject({ status: 'False', observedGeneration: 7 });
    expect(changed?.lastTransitionTime).not.toBe(long);
  });

  test('after a conflict it keeps what another client wrote meanwhile', async () => {
    const stale = await created({ replicas: 1 });
    const other = { ...up, type: 'Other', lastTransitionTime: long };
    await client.status(App).update({ ...stale, status: { replicas: 1, conditions: [other] } });
    await patched(stale, { replicas: 2, conditions: [up] });
    expect(stored()?.replicas).toBe(2);
    expect(stored()?.conditions?.map(({ type }) => type)).toEqual(['Other', 'Ready']);
  });

  test('R3-03 after a conflict conditions keep the generation of the object that the reconcile read', async () => {
    const stale = await created({ replicas: 1 });
    const body = { spec: { replicas: 2 } };
    await client.patch(App, name, { type: 'merge', body });
    await patched(stale, { conditions: [up] });
    expect(server.object(App, name)?.metadata?.generation).toBe(2);
    expect(stored()?.conditions?.[0]).toMatchObject({ type: 'Ready', observedGeneration: 1 });
  });

  test('sends no second write if another client wrote the same', async () => {
    const stale = await created({ replicas: 1 });
    await client.status(App).update({ ...stale, status: { replicas: 2 } });
    const found = await patched(stale, { replicas: 2 });
    expect(found?.status).toEqual({ replicas: 2 });
    expect(patches()).toBe(1);
  });

  test('gives up after five conflicts in a row', async () => {
    const object = await created();
    server.faults.fail({ resource: App, verb: 'patch', code: 409 });
    await expect(patched(object, { replicas: 2 })).rejects.toMatchObject({ statusCode: 409 });
    expect(patches()).toBe(5);
  });

  test('does not write to an object that is gone, or to a new one of its name', async () => {
    const object = await created();
    await client.delete(App, name);
    expect(await patched(object, { replicas: 2 })).toBeUndefined();
    await created();
    expect(await patched(object, { replicas: 2 })).toBeUndefined();
    expect(stored()).toBeUndefined();
  });

  test('throws the 404 of a kind without the subresource', async () => {
    const config = await client.create(builtin.ConfigMap, { metadata: name });
    const resource = builtin.ConfigMap as unknown as ApiResource<App>;
    const object = config as unknown as Persisted<App>;
    const end = patchStatus({ client, resource, object, status: { replicas: 1 } });
    await expect(end).rejects.toMatchObject({ statusCode: 404 });
  });

  test('throws every other error at once', async () => {
    const object = await created();
    server.faults.forbid({ resource: App, verb: 'patch' });
    await expect(patched(object, { replicas: 2 })).rejects.toMatchObject({ statusCode: 403 });
    expect(patches()).toBe(1);
  });

  test.each<[string, object]>([
    ['patchStatus.object', { object: null }],
    ['patchStatus.object', { object: { metadata: { name: 'shop' } } }],
    ['patchStatus.resource', { resource: 'webapps' }],
    ['patchStatus.status', { status: [] }],
    ['patchStatus.status', { status: undefined }],
    ['patchStatus.status.replicas', { status: { replicas: 1n } }],
    ['patchStatus.status.replicas', { status: { replicas: () => 1 } }],
    ['patchStatus.status.conditions', { status: { conditions: {} } }],
    ['patchStatus.signal', { signal: new AbortController() }],
    ['patchStatus.force', { force: true }],
    ['setCondition.condition.reason', { status: { conditions: [{ ...up, reason: 1 }] } }],
  ])('throws INVALID_OPTION for %s and sends nothing', async (option, wrong) => {
    const object = await created();
    const options = { client, resource: App, object, status: {}, ...wrong };
    await expect(patchStatus(options as never)).rejects.toMatchObject({
      code: 'INVALID_OPTION',
      facts: { option },
    });
    expect(patches()).toBe(0);
  });
});
