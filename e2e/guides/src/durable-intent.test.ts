import { afterEach, beforeEach, expect, test } from '@jest/globals';
import {
  builtin,
  defineResource,
  type ApiResource,
  type KubernetesObject,
} from '@keelson/apimachinery';
import { createApiServer, type ApiServer } from '@keelson/apiserver';
import { createClient, type Client } from '@keelson/client';
import type { IntentPlace } from '@keelson/intent';
import { createManager, type Manager } from '@keelson/manager';
import { crdOf, eventually, silent } from './testing/fixtures.test-support.ts';

interface App extends KubernetesObject {
  spec?: { image?: string; replicas?: number };
  status?: { image?: string };
}

const App: ApiResource<App> = defineResource<App>({
  group: 'apps.example.com',
  version: 'v1',
  kind: 'App',
  plural: 'apps',
});
const name = { namespace: 'default', name: 'shop' };

let server: ApiServer;
let api: Client;
let migrated: string[];
let operator: Manager;

beforeEach(async () => {
  server = await createApiServer({});
  api = createClient({ cluster: server.cluster });
  await api.create(builtin.CustomResourceDefinition, crdOf(App));
  operator = createManager({ cluster: server.cluster, logger: silent, stopSignals: [] });
  migrated = [];
});

afterEach(async () => {
  await operator.stop();
  await api.close();
  await server.close();
});

async function migrate(from: string | undefined, to: string, signal: AbortSignal): Promise<void> {
  if (to === 'slow') await new Promise((resolve) => signal.addEventListener('abort', resolve));
  signal.throwIfAborted();
  migrated.push(`${from ?? 'nothing'} → ${to}`);
}

const change = (spec: NonNullable<App['spec']>): Promise<App> =>
  api.patch(App, name, { type: 'merge', body: { spec } });

const recorded = (image: string) => async (): Promise<boolean> => {
  const record = await intent.read({ client: api, object: await api.get(App, name) });
  return record?.spec.image === image;
};

test('the code of the guide migrates from the image that was applied last', async () => {
  addAppController(operator);
  void operator.start();
  await operator.started;
  await api.create(App, { metadata: name, spec: { image: '1' } });
  await eventually(recorded('1'));
  await change({ image: '2' });
  await eventually(recorded('2'));
  await change({ replicas: 5 });
  await eventually(async () => (await api.get(App, name)).status?.image === '2');
  expect(migrated).toEqual(['nothing → 1', '1 → 2']);
});

test('the second controller of the guide ends an execution of an earlier generation', async () => {
  addAppController(operator);
  addSuperseder(operator);
  void operator.start();
  await operator.started;
  await api.create(App, { metadata: name, spec: { image: 'slow' } });
  await eventually(() => operator.cache.get(App, name) !== undefined);
  await change({ image: '2' });
  await eventually(recorded('2'));
  expect(migrated).toEqual(['nothing → 2']);
});

test('a place of user code', async () => {
  const texts = new Map<string, string>();
  const own = durableIntent({ resource: App, place: placeIn(texts) });
  const object = await api.create(App, { metadata: name, spec: { image: 'a' } });
  await own.run({ client: api, object }, () => undefined);
  expect(await own.read({ client: api, object })).toMatchObject({ generation: 1 });
  expect([...texts.keys()]).toEqual([object.metadata.uid]);
});

// #region place
function placeIn(texts: Map<string, string>): IntentPlace<App> {
  return {
    read: ({ object }) => texts.get(object.metadata.uid),
    write: ({ object }, text) => void texts.set(object.metadata.uid, text),
  };
}
// #endregion

// #region intent
import { durableIntent } from '@keelson/intent';
import { generationChanged, isDeleting } from '@keelson/manager';

const intent = durableIntent({
  resource: App,
  place: { annotation: 'example.com/last-applied' },
  policy: 'supersede',
});

function addAppController(manager: Manager) {
  return manager.addController({
    name: 'app',
    for: { resource: App, predicates: [generationChanged] }, // the record starts no reconcile
    async reconcile(request, { cache, client, signal }) {
      const object = cache.get(App, request);
      if (object === undefined || isDeleting(object)) return undefined;
      return intent.run({ client, object, signal }, async (run) => {
        const { image = 'latest' } = run.object.spec ?? {};
        if (run.difference.touches('image')) {
          await migrate(run.lastApplied?.spec.image, image, run.signal);
        }
        return { status: { image } }; // written after the record
      });
    },
  });
}
// #endregion

// #region supersede
function addSuperseder(manager: Manager) {
  return manager.addController({
    name: 'app-superseder',
    for: { resource: App, predicates: [generationChanged] }, // shares the watch of the other controller
    reconcile(request, { cache }) {
      const object = cache.get(App, request);
      if (object !== undefined) intent.supersede(object);
    },
  });
}
// #endregion
