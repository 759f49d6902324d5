import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, jest, test } from '@jest/globals';
import { builtin, defineResource, type KubernetesObject } from '@keelson/apimachinery';
import { createApiServer } from '@keelson/apiserver';
import { createClient } from '@keelson/client';
import { createTestEnvironment, until } from '../index.ts';
import { installCrds, uninstallCrds } from './install-crds.ts';

function definition(plural: string, kind: string): KubernetesObject & { spec: object } {
  const versions = [
    { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } },
  ];
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.example.com` },
    spec: { group: 'example.com', scope: 'Namespaced', names: { plural, kind }, versions },
  };
}

const crds = builtin.CustomResourceDefinition;

/** Runs an action whose time limit is reached after `progress`. */
async function expireAfter(
  action: () => Promise<void>,
  progress: () => Promise<void>,
): Promise<void> {
  const limit = new AbortController();
  const timeout = jest.spyOn(AbortSignal, 'timeout').mockReturnValueOnce(limit.signal);
  const ended = action();
  await Promise.allSettled([ended, progress().then(() => limit.abort())]);
  timeout.mockRestore();
  await ended;
}

describe('installCrds', () => {
  test('waits until the objects of a new kind can be listed', async () => {
    await using server = await createApiServer();
    await using client = createClient({ cluster: server.cluster });
    const names = { group: 'example.com', version: 'v1', kind: 'Gadget', plural: 'gadgets' };
    const gadget = defineResource(names);
    server.faults.throttle({ resource: gadget, verb: 'list', times: 2, retryAfterSeconds: 0 });
    await installCrds(client, [definition('gadgets', 'Gadget')], 10_000);
    expect(server.stats.lists(gadget)).toBe(3);
  });

  test('installs a definition whose objects exist already', async () => {
    await using server = await createApiServer();
    await using client = createClient({ cluster: server.cluster });
    const gadget = defineResource({
      group: 'example.com',
      version: 'v1',
      kind: 'Gadget',
      plural: 'gadgets',
      scope: 'Namespaced',
    });
    await installCrds(client, [definition('gadgets', 'Gadget')], 10_000);
    await client.create(gadget, { metadata: { namespace: 'default', name: 'a' } });
    await installCrds(client, [definition('gadgets', 'Gadget')], 10_000);
    expect(server.stats.lists(gadget)).toBe(2);
  });

  test('throws CRD_NOT_ESTABLISHED with the reason of the server if another definition has the kind', async () => {
    await using server = await createApiServer();
    await using client = createClient({ cluster: server.cluster });
    await installCrds(client, [definition('gizmos', 'Gizmo')], 10_000);
    const others = [definition('others', 'Gizmo')];
    const installing = expireAfter(
      () => installCrds(client, others, 10_000),
      async () => {
        await server.watchers(crds, 1);
        await until(client, crds, { name: 'others.example.com' }, (crd) => {
          return crd?.status?.conditions !== undefined;
        });
        // A response later than the event, which the watch of the installation got too.
        await client.get(crds, { name: 'others.example.com' });
      },
    );
    await expect(installing).rejects.toMatchObject({
      code: 'CRD_NOT_ESTABLISHED',
      facts: { crd: 'others.example.com', seen: expect.stringContaining('Gizmo') },
    });
  });

  test('throws CRD_NOT_ESTABLISHED if the server does not respond in time', async () => {
    const server = createServer(() => {});
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    await using client = createClient({ cluster: { server: `http://127.0.0.1:${port}` } });
    await expect(installCrds(client, [definition('gizmos', 'Gizmo')], 20)).rejects.toMatchObject({
      code: 'CRD_NOT_ESTABLISHED',
      facts: { crd: 'gizmos.example.com', seen: 'no response in time' },
    });
    server.closeAllConnections();
    server.close();
  });

  test('waits for the deletion of a terminating definition and creates it again', async () => {
    await using environment = await createTestEnvironment({ use: 'memory' });
    await using client = createClient({ cluster: environment.admin.cluster });
    const gizmo = defineResource({
      group: 'example.com',
      version: 'v1',
      kind: 'Gizmo',
      plural: 'gizmos',
    });
    const key = { namespace: 'default', name: 'held' };
    const name = { name: 'gizmos.example.com' };
    await environment.installCrds([definition('gizmos', 'Gizmo')]);
    const { metadata: before } = await client.get(crds, name);
    const finalizers = ['example.com/hold'];
    await client.create(gizmo, { metadata: { ...key, finalizers } });
    await client.delete(crds, name);
    const installing = environment.installCrds([definition('gizmos', 'Gizmo')]);
    const body = { metadata: { finalizers: null } };
    await client.patch(gizmo, key, { type: 'merge', body });
    await installing;
    const { metadata: after } = await client.get(crds, name);
    expect(after?.uid).not.toBe(before?.uid);
    expect(after?.deletionTimestamp).toBeUndefined();
  });
});

describe('uninstallCrds', () => {
  test('deletes definitions and waits until they are gone; ignores those that do not exist', async () => {
    await using environment = await createTestEnvironment({ use: 'memory' });
    await using client = createClient({ cluster: environment.admin.cluster });
    const gizmos = definition('gizmos', 'Gizmo');
    await environment.installCrds([gizmos]);
    await environment.uninstallCrds([gizmos, definition('others', 'Other')]);
    const { items } = await client.list(builtin.CustomResourceDefinition);
    expect(items).toEqual([]);
  });

  test('throws CRD_NOT_REMOVED with the state of a definition whose object has a finalizer', async () => {
    await using server = await createApiServer();
    await using client = createClient({ cluster: server.cluster });
    const gizmos = definition('gizmos', 'Gizmo');
    await installCrds(client, [gizmos], 10_000);
    const gizmo = defineResource({
      group: 'example.com',
      version: 'v1',
      kind: 'Gizmo',
      plural: 'gizmos',
    });
    const finalizers = ['example.com/hold'];
    await client.create(gizmo, { metadata: { namespace: 'default', name: 'held', finalizers } });
    const uninstalling = expireAfter(
      () => uninstallCrds(client, [gizmos], 10_000),
      () => server.watchers(crds, 1),
    );
    await expect(uninstalling).rejects.toMatchObject({
      code: 'CRD_NOT_REMOVED',
      facts: { crd: 'gizmos.example.com', seen: expect.stringContaining('deletionTimestamp') },
    });
  });
});
