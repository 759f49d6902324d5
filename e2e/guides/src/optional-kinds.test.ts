import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createApiServer, type ApiServer } from '@keelson/apiserver';
import { createClient } from '@keelson/client';
import { crdOf, eventually, running, silent } from './testing/fixtures.test-support.ts';

let server: ApiServer;
let user: Client;
let manager: Manager;

beforeEach(async () => {
  server = await createApiServer();
  user = createClient({ cluster: server.cluster });
  manager = createManager({ cluster: server.cluster, logger: silent, stopSignals: [] });
});

afterEach(async () => {
  await manager.stop();
  await user.close();
  await server.close();
});

const namesOfMonitors = async (): Promise<string[]> =>
  (await user.list(Monitor)).items.map(({ metadata }) => metadata.name);

describe('the guide to optional kinds', () => {
  test('makes the objects of the kind when it becomes served, also of Services that exist', async () => {
    await user.create(builtin.Service, {
      metadata: { namespace: 'default', name: 'shop', labels: { monitored: 'yes' } },
      spec: { ports: [{ port: 80 }] },
    });
    const controller = addMonitors(manager);
    using following = followMonitors(manager, controller);
    await running(manager);
    await eventually(() => controller.running === 0 && controller.length === 0);
    expect(await kindsOf(user)).toEqual(['services']);
    const crd = crdOf(Monitor);
    await user.create(builtin.CustomResourceDefinition, crd);
    manager.cache.served(Monitor); // the test does not wait for the next attempt
    await eventually(async () => (await kindsOf(user)).includes('monitors'));
    await eventually(() => manager.cache.isServed(Monitor));
    await eventually(async () => (await namesOfMonitors()).includes('shop'));
    await user.delete(builtin.CustomResourceDefinition, { name: crd.metadata!.name! });
    await eventually(() => !manager.cache.isServed(Monitor));
    following[Symbol.dispose]();
  });
});

import {
  builtin,
  createManager,
  defineResource,
  ownerReferenceTo,
  requestFor,
  type Client,
  type Controller,
  type KubernetesObject,
  type Manager,
} from '@keelson/manager';

// #region declare
interface Monitor extends KubernetesObject {
  spec: { service: string };
}

const Monitor = defineResource<Monitor>({
  group: 'monitoring.example.com',
  version: 'v1',
  kind: 'Monitor',
  plural: 'monitors',
});

function addMonitors(operator: Manager): Controller {
  return operator.addController({
    name: 'monitors',
    for: { resource: builtin.Service, labelSelector: 'monitored' },
    owns: [{ resource: Monitor, required: false }], // the controller also runs without the kind
    async reconcile(request, { cache, client }) {
      const service = cache.get(builtin.Service, request);
      if (service === undefined || !cache.isServed(Monitor)) return;
      const { namespace, name } = service.metadata;
      await client.apply(Monitor, {
        metadata: { namespace, name, ownerReferences: [ownerReferenceTo(service)] },
        spec: { service: name },
      });
    },
  });
}
// #endregion

// #region follow
function followMonitors(operator: Manager, monitors: Controller): Disposable {
  return operator.cache.onServedChange(Monitor, (isServed) => {
    if (!isServed) return;
    const services = operator.cache.list(builtin.Service, { labelSelector: 'monitored' });
    for (const service of services) monitors.enqueue(requestFor(service));
  });
}
// #endregion

// #region find
async function kindsOf(client: Client): Promise<string[]> {
  const found = [builtin.Service, Monitor].map((token) => client.discovery.find(token));
  return (await Promise.all(found)).flatMap((token) => token?.plural ?? []);
}
// #endregion
