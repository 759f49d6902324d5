import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { builtin, defineResource, type ApiResource } from '@keelson/apimachinery';
import { createApiServer, type ApiServer } from '@keelson/apiserver';
import { clientWith } from '../apply-set/interrupted-client.test-support.ts';
import { crdOf } from '../testing/crd.test-support.ts';
import type { Client } from '../verbs/client.ts';
import { createClient } from '../verbs/create-client.ts';
import { migrateStoredVersions } from './migrate-stored-versions.ts';

const { CustomResourceDefinition } = builtin;
const App: ApiResource = defineResource({
  group: 'apps.example.com',
  version: 'v1',
  kind: 'App',
  plural: 'apps',
});
const crd = { name: 'apps.apps.example.com' };

let server: ApiServer;
let client: Client;

beforeEach(async () => {
  server = await createApiServer({});
  client = createClient({ cluster: server.cluster, fieldManager: 'test' });
  await define(['v1']);
  await server.idle();
});

afterEach(async () => {
  await client.close();
  await server.close();
});

/** Defines versions, of which the last one is the storage version. */
async function define(names: readonly string[], unserved: readonly string[] = []): Promise<void> {
  const definition = crdOf(App);
  const [first] = definition.spec.versions;
  const versions = names.map((name, index) => ({
    ...first!,
    name,
    storage: index === names.length - 1,
    served: !unserved.includes(name),
  }));
  await client.apply(CustomResourceDefinition, {
    ...definition,
    spec: { ...definition.spec, versions },
  });
  await server.idle();
}

async function create(...names: readonly string[]): Promise<void> {
  for (const name of names) await client.create(App, { metadata: { namespace: 'default', name } });
}

async function storedVersions(): Promise<readonly string[] | undefined> {
  return (await client.get(CustomResourceDefinition, crd)).status?.storedVersions;
}

const patches = (): number => server.stats.requests({ verb: 'patch', resource: App });

describe('migrateStoredVersions', () => {
  test('stores every object in the storage version, so that the others may leave the definition', async () => {
    await create('a', 'b', 'c');
    await define(['v1', 'v2']);
    expect(await storedVersions()).toEqual(['v1', 'v2']);
    await expect(define(['v2'])).rejects.toThrow('storedVersions');
    const before = await client.list(App);
    expect(await migrateStoredVersions({ client, resource: App, concurrency: 2 })).toEqual({
      storage: 'v2',
      removed: ['v1'],
      objects: 3,
    });
    expect(await storedVersions()).toEqual(['v2']);
    const after = await client.list(App);
    expect(after.items.map(({ metadata }) => metadata.generation)).toEqual([1, 1, 1]);
    for (const [index, { metadata }] of after.items.entries()) {
      expect(metadata.resourceVersion).not.toBe(before.items[index]?.metadata.resourceVersion);
      expect(metadata.managedFields).toEqual(before.items[index]?.metadata.managedFields);
    }
    await define(['v2']);
  });

  test('sends one request if all objects are stored in the storage version', async () => {
    await create('a');
    const result = await migrateStoredVersions({ client, resource: App });
    expect(result).toEqual({ storage: 'v1', removed: [], objects: 0 });
    expect(patches()).toBe(0);
  });

  test('reads a served version if the storage version is not served', async () => {
    await create('a');
    await define(['v1', 'v2'], ['v2']);
    await migrateStoredVersions({ client, resource: { ...App, version: 'v2' } });
    expect(await storedVersions()).toEqual(['v2']);
  });

  test('fails if no version is served', async () => {
    await define(['v1', 'v2'], ['v1', 'v2']);
    const call = migrateStoredVersions({ client, resource: App });
    await expect(call).rejects.toMatchObject({ code: 'KIND_NOT_SERVED' });
  });

  test('ignores objects that are deleted or replaced meanwhile', async () => {
    await create('a', 'b', 'c');
    await define(['v1', 'v2']);
    let isFirst = true;
    const racing = clientBefore(async () => {
      if (!isFirst) return;
      isFirst = false;
      for (const name of ['a', 'b']) await client.delete(App, { namespace: 'default', name });
      await create('b');
    });
    expect(await migrateStoredVersions({ client: racing, resource: App })).toMatchObject({
      removed: ['v1'],
      objects: 3,
    });
  });

  test('names the objects that the server refuses, and keeps the stored versions', async () => {
    await create('a', 'b', 'c');
    await define(['v1', 'v2']);
    const refusing = clientBefore(async ({ name }) => {
      if (name !== 'a') throw new Error('refused');
    });
    const call = migrateStoredVersions({ client: refusing, resource: App });
    await expect(call).rejects.toMatchObject({
      code: 'MIGRATION_FAILED',
      facts: { crd: crd.name, count: 2, failed: ['default/b', 'default/c'] },
    });
    expect(await storedVersions()).toEqual(['v1', 'v2']);
  });

  test.each([
    [2, { removed: ['v1'] }],
    [3, 'MIGRATION_FAILED'],
  ])('begins again if the definition changes, %i times', async (changes, expected) => {
    await create('a');
    await define(['v1', 'v2']);
    let count = 0;
    const racing = clientBefore(async () => {
      if ((count += 1) > changes) return;
      const body = { spec: { names: { shortNames: [`a${count}`] } } };
      await client.patch(CustomResourceDefinition, crd, { type: 'merge', body });
    });
    const result = migrateStoredVersions({ client: racing, resource: App }).catch(
      ({ code }: { code: string }) => code,
    );
    if (typeof expected === 'string') expect(await result).toBe(expected);
    else expect(await result).toMatchObject(expected);
    expect(await storedVersions()).toEqual(typeof expected === 'string' ? ['v1', 'v2'] : ['v2']);
  });

  test('an aborted call leaves the stored versions', async () => {
    await create('a', 'b', 'c');
    await define(['v1', 'v2']);
    const stop = new AbortController();
    const stopping = clientBefore(async () => stop.abort(new Error('stopped')));
    const { signal } = stop;
    const call = migrateStoredVersions({ client: stopping, resource: App, signal });
    await expect(call).rejects.toThrow('stopped');
    expect(await storedVersions()).toEqual(['v1', 'v2']);
  });

  test.each<[string, object]>([
    ['migrateStoredVersions', { resource: App, force: true }],
    ['migrateStoredVersions.client', { client: {} }],
    ['migrateStoredVersions.resource', { resource: builtin.Pod }],
    ['migrateStoredVersions.resource', { resource: undefined }],
    ['migrateStoredVersions.concurrency', { concurrency: 0 }],
    ['migrateStoredVersions.signal', { signal: {} }],
  ])('throws INVALID_OPTION for a wrong %s', async (option, wrong) => {
    const call = migrateStoredVersions({ client, resource: App, ...wrong });
    await expect(call).rejects.toMatchObject({
      code: 'INVALID_OPTION',
      facts: { option: expect.stringContaining(option) },
    });
  });
});

/** The client, which runs a step before each patch. */
function clientBefore(step: (name: { readonly name: string }) => Promise<void>): Client {
  const patch: Client['patch'] = async (resource, name, ...rest) => {
    await step(name);
    return client.patch(resource, name, ...rest);
  };
  return clientWith(client, { patch });
}
