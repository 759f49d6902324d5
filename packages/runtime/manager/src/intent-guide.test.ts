import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { App, IntentWorld } from './intent/intent-world.test-support.ts';
import { createManager, type IntentPlace, type Manager } from './index.ts';
import { eventually, silent } from './testing/fixtures.test-support.ts';

let world: IntentWorld;
let migrated: string[];
let operator: Manager;

beforeEach(async () => {
  world = await IntentWorld.open();
  operator = createManager({ cluster: world.server.cluster, logger: silent, stopSignals: [] });
  migrated = [];
});

afterEach(async () => {
  await operator.stop();
  await world[Symbol.asyncDispose]();
});

async function migrate(from: string | undefined, to: string, signal: AbortSignal): Promise<void> {
  if (to === 'slow') await new Promise((resolve) => signal.addEventListener('abort', resolve));
  signal.throwIfAborted();
  migrated.push(`${from ?? 'nothing'} → ${to}`);
}

const recorded = (image: string) => async (): Promise<boolean> => {
  const record = await intent.read({ client: world.client, object: await world.read() });
  return record?.spec.image === image;
};

test('the code of the guide migrates from the image that was applied last', async () => {
  addAppController(operator);
  void operator.start();
  await operator.started;
  await world.create({ image: '1' });
  await eventually(recorded('1'));
  await world.change({ image: '2' });
  await eventually(recorded('2'));
  await world.change({ replicas: 5 });
  await eventually(async () => (await world.read()).status?.image === '2');
  expect(migrated).toEqual(['nothing → 1', '1 → 2']);
});

test('the second controller of the guide ends an execution of an earlier generation', async () => {
  addAppController(operator);
  addSuperseder(operator);
  void operator.start();
  await operator.started;
  await world.create({ image: 'slow' });
  await eventually(() => operator.cache.get(App, world.name) !== undefined);
  await world.change({ image: '2' });
  await eventually(recorded('2'));
  expect(migrated).toEqual(['nothing → 2']);
});

test('a place of user code', async () => {
  const texts = new Map<string, string>();
  const own = durableIntent({ resource: App, place: placeIn(texts) });
  const object = await world.create();
  await own.run({ client: world.client, object }, () => undefined);
  expect(await own.read({ client: world.client, object })).toMatchObject({ generation: 1 });
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
import { durableIntent, generationChanged, isDeleting } from './index.ts';

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
