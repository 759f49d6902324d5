import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { ObjectOf } from '@keelson/apimachinery';
import { createApiServer, type ApiServer } from '@keelson/apiserver';
import { createClient, type Client } from '@keelson/client';
import { crdOf, eventually, silent } from './testing/fixtures.test-support.ts';

let server: ApiServer;
let client: Client;

beforeEach(async () => {
  server = await createApiServer({});
  client = createClient({ cluster: server.cluster });
});

afterEach(async () => {
  await client.close();
  await server.close();
});

test('the example of the README applies a ConfigMap for a Greeting', async () => {
  const manager = createManager({ cluster: server.cluster, logger: silent, stopSignals: [] });
  addGreeter(manager);
  await client.create(builtin.CustomResourceDefinition, crdOf(Greeting));
  const end = manager.start();
  await client.create(Greeting, {
    apiVersion: 'example.com/v1',
    kind: 'Greeting',
    metadata: { namespace: 'default', name: 'world' },
    spec: { text: 'hello' },
  });
  const name = { namespace: 'default', name: 'world' };
  const text = (): unknown => {
    const stored: ObjectOf<typeof builtin.ConfigMap> | undefined = server.object(
      builtin.ConfigMap,
      name,
    );
    return stored?.data?.['text'];
  };
  await eventually(() => text() === 'hello');
  await client.patch(builtin.ConfigMap, name, { type: 'merge', body: { data: { text: 'bye' } } });
  await eventually(() => text() === 'hello');
  await manager.stop();
  expect(await end).toBeUndefined();
});

// #region readme
import {
  builtin,
  createManager,
  defineResource,
  ownerReferenceTo,
  type KubernetesObject,
  type Manager,
} from './index.ts';

interface Greeting extends KubernetesObject {
  spec: { text: string };
}

const Greeting = defineResource<Greeting>({
  group: 'example.com',
  version: 'v1',
  kind: 'Greeting',
  plural: 'greetings',
});

function addGreeter(manager: Manager): void {
  manager.addController({
    name: 'greeter',
    for: Greeting,
    owns: [builtin.ConfigMap],
    async reconcile({ namespace, name }, { cache, client: api, signal }) {
      const greeting = cache.get(Greeting, { namespace, name });
      if (greeting === undefined) return; // deleted: the garbage collector deletes the objects that it owned
      const ownerReferences = [ownerReferenceTo(greeting, { controller: true })];
      await api.apply(
        builtin.ConfigMap,
        { metadata: { namespace, name, ownerReferences }, data: { text: greeting.spec.text } },
        { signal },
      );
    },
  });
}
// #endregion
