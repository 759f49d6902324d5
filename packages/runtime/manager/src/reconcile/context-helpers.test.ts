import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import {
  builtin,
  defineResource,
  type ApiResource,
  type KubernetesObject,
} from '@keelson/apimachinery';
import { createApiServer, type ApiServer } from '@keelson/apiserver';
import { createClient, type Client } from '@keelson/client';
import { createManager } from '../manager/controller-manager.ts';
import { crdOf, eventually, running, silent } from '../testing/fixtures.test-support.ts';

interface App extends KubernetesObject {
  spec?: { replicas?: number };
  status?: { replicas?: number };
}

const App: ApiResource<App> = defineResource<App>({
  group: 'apps.example.com',
  version: 'v1',
  kind: 'App',
  plural: 'apps',
});
const name = { namespace: 'default', name: 'shop' };

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

describe('the helpers of a reconcile', () => {
  test('a reconcile patches the status and adds a finalizer with functions of its context', async () => {
    const manager = createManager({ cluster: server.cluster, logger: silent, stopSignals: [] });
    manager.addController({
      name: 'app',
      for: App,
      async reconcile(request, { cache, finalizer, patchStatus: patch }) {
        const object = cache.get(App, request);
        if (object === undefined) return undefined;
        return finalizer({
          resource: App,
          object,
          finalizer: 'example.com/app',
          apply: async () => void (await patch(App, object, { replicas: object.spec?.replicas })),
          cleanup: () => undefined,
        });
      },
    });
    await running(manager);
    await client.create(App, { metadata: name, spec: { replicas: 1 } });
    await eventually(() => stored()?.replicas === 1);
    await client.delete(App, name);
    await eventually(() => server.object(App, name) === undefined);
    await manager.stop();
  });

  test('a reconcile applies the dependents of its object, and prunes those that it no longer names', async () => {
    const manager = createManager({ cluster: server.cluster, logger: silent, stopSignals: [] });
    manager.addController({
      name: 'app',
      for: App,
      async reconcile(request, { cache, applyAll }) {
        const owner = cache.get(App, request);
        if (owner === undefined) return;
        const numbers = Array.from({ length: owner.spec?.replicas ?? 0 }, (_, index) => index);
        const parts = numbers.map((number) => ({
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { name: `part-${number}` },
        }));
        await applyAll(parts, { owner, prune: true });
      },
    });
    await running(manager);
    const parts = (): unknown[] =>
      [0, 1, 2].filter(
        (number) =>
          server.object(builtin.ConfigMap, { ...name, name: `part-${number}` }) !== undefined,
      );
    await client.create(App, { metadata: name, spec: { replicas: 3 } });
    await eventually(() => parts().length === 3);
    const part = await client.get(builtin.ConfigMap, { ...name, name: 'part-0' });
    expect(part.metadata.managedFields?.map(({ manager: owner }) => owner)).toEqual(['app']);
    await client.patch(App, name, { type: 'merge', body: { spec: { replicas: 1 } } });
    await eventually(() => parts().length === 1);
    await manager.stop();
  });
});
