import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { builtin, defineResource, type ClusterScopedObject } from '@keelson/apimachinery';
import { createManager, generationChanged } from '@keelson/manager';
import { eventually, silent } from './testing/fixtures.test-support.ts';
import { durableIntent, type DurableIntent } from './durable-intent.ts';
import { annotation, App, IntentWorld } from './testing/intent-world.test-support.ts';
import type { IntentPlaceOptions } from './place-options.ts';

const { ConfigMap, CustomResourceDefinition } = builtin;

let world: IntentWorld;

beforeEach(async () => {
  world = await IntentWorld.open();
});

afterEach(async () => {
  await world[Symbol.asyncDispose]();
});

async function run(
  intent: DurableIntent<App>,
  action: () => void = () => undefined,
): Promise<void> {
  await intent.run({ client: world.client, object: await world.read() }, action);
}

/** A place of user code: a map in memory. */
function mapPlace(): IntentPlaceOptions<App> & { readonly texts: Map<string, string> } {
  const texts = new Map<string, string>();
  return {
    texts,
    read: ({ object }) => texts.get(object.metadata.uid),
    write: ({ object }, text) => void texts.set(object.metadata.uid, text),
  };
}

describe.each<[string, () => IntentPlaceOptions<App>]>([
  ['an annotation', () => ({ annotation })],
  ['the status', () => ({ status: 'lastApplied' })],
  ['a ConfigMap', () => ({ configMap: {} })],
  ['a place of user code', mapPlace],
])('R3-02 a record in %s', (_name, place) => {
  test('is read again, also by the intent of a later process if the place survives it', async () => {
    await world.create();
    const chosen = place();
    const differences: boolean[] = [];
    for (let process = 0; process < 2; process += 1) {
      const intent = durableIntent({ resource: App, place: chosen });
      const target = { client: world.client, object: await world.read() };
      await intent.run(target, ({ difference }) => void differences.push(difference.isEmpty));
    }
    expect(differences).toEqual([false, true]);
  });

  test.each<[string, object]>([
    ['generationChanged', { predicates: [generationChanged] }],
    ['ignoreOwn', { ignoreOwn: true }],
  ])('triggers no reconcile with %s', async (_option, source) => {
    // An own event that arrives before the response of its write leads to a request.
    using _ = world.server.faults.delayWatches({ by: 20 });
    const manager = createManager({
      cluster: world.server.cluster,
      logger: silent,
      stopSignals: [],
    });
    const intent = durableIntent({ resource: App, place: place() });
    const seen: (string | undefined)[] = [];
    manager.addController({
      name: 'app',
      for: { resource: App, ...source },
      owns: [ConfigMap], // the record has no controller reference
      async reconcile(request, { cache, client, signal }) {
        const object = cache.get(App, request);
        if (object === undefined) return undefined;
        return intent.run({ client, object, signal }, ({ object: { spec } }) => {
          seen.push(spec?.image);
        });
      },
    });
    const ended = manager.start();
    await manager.started;
    for (const image of ['a', 'b', 'c']) {
      await (image === 'a' ? world.create() : world.change({ image }));
      const recorded = async (): Promise<boolean> => {
        const record = await intent.read({ client: world.client, object: await world.read() });
        return record?.spec.image === image;
      };
      await eventually(recorded);
      // The event of the record is in the cache, so its request would have begun before the next change.
      const version = (await world.read()).metadata.resourceVersion;
      await eventually(
        () => manager.cache.get(App, world.name)?.metadata.resourceVersion === version,
      );
    }
    await manager.stop();
    await ended;
    expect(seen).toEqual(['a', 'b', 'c']);
  });
});

describe.each<[string, { annotation: string } | { status: string }]>([
  ['annotation', { annotation }],
  ['status', { status: 'lastApplied' }],
])('a record in the object itself, as %s', (_, place) => {
  test('is not set back by an object that is older than it', async () => {
    const old = await world.create({ image: 'a' });
    const intent = durableIntent({ resource: App, place });
    await world.change({ image: 'b' });
    await run(intent);
    const seen: unknown[] = [];
    await intent.run({ client: world.client, object: old }, ({ object, difference }) => {
      seen.push(object.spec?.image, difference.isEmpty);
    });
    const record = await intent.read({ client: world.client, object: await world.read() });
    expect([seen, record?.spec]).toEqual([['b', true], { image: 'b' }]);
  });
});

describe('a record in an annotation', () => {
  const KIB = 1024;

  test('R3-02 over 256 KiB of all annotations is INTENT_TOO_LARGE, before the action runs', async () => {
    const others = { 'example.com/other': 'x'.repeat(200 * KIB) };
    await world.create({ data: { text: 'y'.repeat(50 * KIB) } }, { annotations: others });
    const intent = durableIntent({ resource: App, place: { annotation } });
    await run(intent);
    await world.change({ data: { text: 'y'.repeat(60 * KIB) } });
    let actions = 0;
    const error: unknown = await run(intent, () => void (actions += 1)).catch((thrown) => thrown);
    expect(error).toMatchObject({
      code: 'INTENT_TOO_LARGE',
      facts: { kind: 'App', namespace: 'default', name: 'shop', place: 'annotations' },
    });
    expect((error as { facts: { limit: number } }).facts.limit).toBe(256 * KIB);
    expect(error).toMatchObject({ cause: { name: 'TerminalError', code: 'TERMINAL' } });
    expect(actions).toBe(0);
  });

  test('R3-02 the limit is that of the server: what passes the check is stored', async () => {
    const object = await world.create();
    const intent = durableIntent({ resource: App, place: { annotation } });
    await run(intent);
    const size = (value: string): number =>
      Buffer.byteLength(annotation) + Buffer.byteLength(value);
    const text = (await world.read()).metadata.annotations?.[annotation] ?? '';
    const free = 256 * KIB - size(text) - Buffer.byteLength('example.com/other');
    const annotations = (length: number): object => ({
      type: 'merge',
      body: { metadata: { annotations: { 'example.com/other': 'ä'.repeat(length / 2) } } },
    });
    await world.client.patch(App, world.name, annotations(free - (free % 2)) as never);
    await expect(
      world.client.patch(App, world.name, annotations(free + 2 + (free % 2)) as never),
    ).rejects.toMatchObject({ statusCode: 422 });
    await world.change({ image: 'b' });
    await run(intent);
    const after = { client: world.client, object: await world.read() };
    expect((await intent.read(after))?.spec).toEqual({ image: 'b' });
    await world.change({ image: 'bcd' });
    await expect(run(intent)).rejects.toMatchObject({ code: 'INTENT_TOO_LARGE' });
    expect(object.metadata.uid).toBe(after.object.metadata.uid);
  });

  test('that the server refuses for another reason is an error', async () => {
    await world.create();
    const intent = durableIntent({ resource: App, place: { annotation } });
    using _ = world.server.faults.fail({ resource: App, verb: 'patch', code: 422, times: 1 });
    await expect(run(intent)).rejects.toMatchObject({ statusCode: 422 });
    await run(intent);
    expect((await world.read()).metadata.annotations).toHaveProperty([annotation]);
  });

  test('keeps the annotations of other clients', async () => {
    await world.create(undefined, { annotations: { other: '1' } });
    await run(durableIntent({ resource: App, place: { annotation } }));
    const { annotations } = (await world.read()).metadata;
    expect(Object.keys(annotations ?? {})).toEqual(['other', annotation]);
  });
});

describe('a record in the status', () => {
  test('that the schema prunes is INTENT_NOT_STORED', async () => {
    await world.create();
    const intent = durableIntent({ resource: App, place: { status: 'lastApplied' } });
    const { metadata } = await world.client.get(CustomResourceDefinition, {
      name: 'apps.apps.example.com',
    });
    const spec = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
    const status = { type: 'object', properties: { image: { type: 'string' } } };
    const schema = { openAPIV3Schema: { type: 'object', properties: { spec, status } } };
    const value = [
      { name: 'v1', served: true, storage: true, subresources: { status: {} }, schema },
    ];
    await world.client.patch(CustomResourceDefinition, metadata, {
      type: 'json',
      body: [{ op: 'replace', path: '/spec/versions', value }],
    });
    await eventually(async () => {
      const end = await run(intent).catch((error: unknown) => error);
      return (end as { code?: string } | undefined)?.code === 'INTENT_NOT_STORED';
    });
  });
});

describe('a record in a ConfigMap', () => {
  const owned = async (): Promise<string[]> => {
    const { items } = await world.client.list(ConfigMap, { namespace: 'default' });
    return items.map(({ metadata }) => metadata.name).toSorted();
  };

  test('R3-04 is owned by the object, and the garbage collector deletes both', async () => {
    const { metadata } = await world.create();
    await run(durableIntent({ resource: App, place: { configMap: {} }, history: { keep: 2 } }));
    const { items } = await world.client.list(ConfigMap, { namespace: 'default' });
    const owner = {
      apiVersion: 'apps.example.com/v1',
      kind: 'App',
      name: 'shop',
      uid: metadata.uid,
    };
    expect(items.map((item) => item.metadata.ownerReferences)).toEqual([[owner], [owner]]);
    expect(items[0]?.metadata.managedFields?.[0]).toMatchObject({ operation: 'Apply' });
    await world.client.delete(App, world.name);
    await eventually(async () => (await owned()).length === 0);
  });

  test('R3-15 by default one is kept', async () => {
    const { metadata } = await world.create();
    const intent = durableIntent({ resource: App, place: { configMap: {} } });
    for (const image of ['b', 'c', 'd']) {
      await world.change({ image });
      await run(intent);
    }
    expect(await owned()).toEqual([`last-applied-${metadata.uid}`]);
  });

  test('R3-18 a history of n has one ConfigMap for each of the last n generations, and no annotation', async () => {
    const { metadata } = await world.create();
    const intent = durableIntent({ resource: App, place: { annotation }, history: { keep: 2 } });
    for (const image of ['b', 'c', 'd']) {
      await world.change({ image });
      await run(intent);
    }
    expect(await owned()).toEqual([3, 4].map((at) => `last-applied-${metadata.uid}-${at}`));
    const { annotations } = (await world.read()).metadata;
    expect(Object.keys(annotations ?? {})).toEqual([annotation]);
    await run(intent);
    expect(await owned()).toHaveLength(2);
  });

  test('R3-05 R3-18 a history that cannot be written leaves the record, and the next run writes both', async () => {
    const { metadata } = await world.create();
    const intent = durableIntent({ resource: App, place: { annotation }, history: { keep: 2 } });
    const scope = { resource: ConfigMap, verb: 'patch', times: 1 };
    using _ = world.server.faults.fail({ ...scope, code: 403 });
    await expect(run(intent)).rejects.toMatchObject({ statusCode: 403 });
    expect((await world.read()).metadata.annotations).toBeUndefined();
    await run(intent);
    expect(await owned()).toEqual([`last-applied-${metadata.uid}-1`]);
  });

  test('of a cluster-scoped kind is in the namespace of the options', async () => {
    const Tenant = defineResource<ClusterScopedObject & { spec?: object }>({
      group: 'apps.example.com',
      version: 'v1',
      kind: 'Tenant',
      plural: 'tenants',
      scope: 'Cluster',
    });
    expect(() => durableIntent({ resource: Tenant, place: { configMap: {} } })).toThrow(
      expect.objectContaining({ code: 'INVALID_OPTION' }),
    );
    const metadata = { name: 'one', uid: 'uid-1', resourceVersion: '1', generation: 1 };
    const object = { metadata: { ...metadata, creationTimestamp: '' }, spec: { a: 1 } };
    const place = { configMap: { namespace: 'default' } };
    const intent = durableIntent({ resource: Tenant, place });
    await intent.run({ client: world.client, object }, () => undefined);
    expect(await owned()).toContain('last-applied-uid-1');
    const record = await intent.read({ client: world.client, object });
    expect(record?.spec).toEqual({ a: 1 });
  });

  test('over 1 MiB is INTENT_TOO_LARGE', async () => {
    await world.create({ data: { text: 'y'.repeat(1024 * 1024) } });
    const intent = durableIntent({ resource: App, place: { configMap: {} } });
    await expect(run(intent)).rejects.toMatchObject({ code: 'INTENT_TOO_LARGE' });
  });

  test('in the status, of an object over 1.5 MiB with it is INTENT_TOO_LARGE, before the action runs', async () => {
    await world.create({ data: { text: 'y'.repeat(800 * 1024) } });
    const intent = durableIntent({ resource: App, place: { status: 'lastApplied' } });
    let actions = 0;
    await expect(run(intent, () => void (actions += 1))).rejects.toMatchObject({
      code: 'INTENT_TOO_LARGE',
      facts: { place: 'status.lastApplied', limit: 1.5 * 1024 * 1024 },
    });
    expect(actions).toBe(0);
  });
});
