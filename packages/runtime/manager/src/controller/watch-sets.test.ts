import { describe, expect, test } from '@jest/globals';
import { builtin, type ApiResource, type KubernetesObject } from '@keelson/apimachinery';
import type { Indexer } from '@keelson/informer';
import type { Controller } from './controller.ts';
import type { DynamicWatch } from '../source-set/dynamic-watch.ts';
import {
  eventually,
  gate,
  managersOfTest,
  notingManager,
  objectOf,
  running,
  toSelf,
  watchOf,
} from '../testing/fixtures.test-support.ts';

const { ConfigMap, Secret, Service } = builtin;

const managers = managersOfTest();

describe('a set of watches', () => {
  const replace = (
    controller: Controller,
    ...kinds: ApiResource[]
  ): Promise<readonly DynamicWatch[]> => controller.replaceWatches('tenants', kinds.map(watchOf));

  test('RC09 the replacement of {A,B} by {B,C} ends A, keeps B open, starts C, and leaves other sets unchanged', async () => {
    const { cache, controller, seen } = await notingManager(managers);
    await controller.replaceWatches('others', [watchOf(ConfigMap)]);
    await replace(controller, ConfigMap, Secret);
    const before = new Map([...cache.handles].map((handle) => [handle.identity, handle]));
    const acquired = cache.acquired.length;
    const [secrets] = await replace(controller, Secret, Service);
    expect(cache.acquired.slice(acquired)).toEqual(['v1/services']);
    expect([...cache.handles].map(({ identity }) => identity).toSorted()).toEqual([
      'apps.example.com/v1/webapps',
      'v1/configmaps',
      'v1/secrets',
      'v1/services',
    ]);
    expect([...cache.handles]).toContain(before.get('v1/secrets'));
    expect(secrets?.name).toBe('watch Secret');
    for (const kind of [ConfigMap, Secret, Service]) cache.set(kind, objectOf(kind, kind.plural));
    await eventually(() => seen.length === 3);
    expect(seen).toEqual(['configmaps', 'secrets', 'services']);
  });

  test('RC09 a kept watch uses its new functions from the next event on', async () => {
    const { cache, controller, seen } = await notingManager(managers);
    await replace(controller, Secret);
    await controller.replaceWatches('tenants', [
      {
        resource: Secret,
        predicates: [({ object }) => object.name !== 'vetoed'],
        map: ({ name }) => ({ name: `new-${name}` }),
      },
    ]);
    cache.set(Secret, objectOf(Secret, 'vetoed'));
    cache.set(Secret, objectOf(Secret, 'a'));
    await eventually(() => seen.length === 1);
    expect(seen).toEqual(['new-a']);
  });

  test('RC09 the failure of one watch does not undo the others, and the error lists the failed additions and removals', async () => {
    const { manager, cache } = managers.make();
    const end = gate();
    const controller = manager.addController({ name: 'partly', reconcile: () => end.opened });
    await running(manager);
    await replace(controller, ConfigMap, Secret);
    cache.set(ConfigMap, objectOf(ConfigMap, 'held'));
    await eventually(() => controller.running === 1);
    const failing = { resource: { ...Service, plural: '' }, map: toSelf };
    const change = controller.replaceWatches('tenants', [watchOf(Secret), failing], {
      signal: AbortSignal.abort(new Error('no time')),
    });
    await expect(change).rejects.toMatchObject({
      code: 'REPLACE_WATCHES_FAILED',
      facts: {
        set: 'tenants',
        failedToAdd: ['watch Service'],
        failedToRemove: ['watch ConfigMap'],
      },
    });
    const hearing = [...cache.handles].filter(({ handlers }) => handlers.size > 0);
    expect(hearing.map(({ identity }) => identity)).toEqual(['v1/secrets']);
    end.open();
    await eventually(() => cache.handles.size === 1);
  });

  test.each<[string, unknown, unknown]>([
    ['set', '', []],
    ['set', 5, []],
    ['set', undefined, []],
    ['watches', 'tenants', watchOf(Secret)],
    ['watches', 'tenants', undefined],
  ])('CT33 a wrong %s rejects with its name and starts no watch', async (option, set, watches) => {
    const { controller, cache } = await notingManager(managers);
    const acquired = cache.acquired.length;
    await expect(controller.replaceWatches(set as never, watches as never)).rejects.toMatchObject({
      code: 'INVALID_OPTION',
      facts: { option: `replaceWatches.${option}` },
    });
    expect(cache.acquired).toHaveLength(acquired);
  });

  test('RC09 a watch stays unchanged if its change throws', async () => {
    const { cache, controller, seen } = await notingManager(managers);
    await replace(controller, Secret);
    const broken = { resource: Secret, map: 'no function' } as never;
    await expect(controller.replaceWatches('tenants', [broken])).rejects.toMatchObject({
      code: 'REPLACE_WATCHES_FAILED',
      facts: { failedToAdd: ['watch Secret'], failedToRemove: [] },
    });
    cache.set(Secret, objectOf(Secret, 'a'));
    await eventually(() => seen.length === 1);
    await replace(controller);
    expect(cache.handles.size).toBe(1);
  });

  test('RC09 a new function under the name of a transform throws, and the watch continues', async () => {
    const { cache, controller } = await notingManager(managers);
    const withTransform = (apply: (object: KubernetesObject) => KubernetesObject): object => ({
      ...watchOf(Secret),
      transform: { name: 'same', apply },
    });
    const same = (object: KubernetesObject): KubernetesObject => object;
    await controller.replaceWatches('tenants', [withTransform(same) as never]);
    await controller.replaceWatches('tenants', [withTransform(same) as never]);
    const other = withTransform((object) => ({ ...object })) as never;
    await expect(controller.replaceWatches('tenants', [other])).rejects.toMatchObject({
      code: 'REPLACE_WATCHES_FAILED',
      facts: { failedToAdd: ['watch Secret'], failedToRemove: [] },
      cause: { code: 'TRANSFORM_CONFLICT', facts: { transform: 'same', resource: 'v1/secrets' } },
    });
    expect(cache.handles.size).toBe(2);
  });

  test('RC09 a new function under the name of an indexer throws, and the same function does not', async () => {
    const { cache, controller } = await notingManager(managers);
    const byHead = { name: 'same', head: () => [] };
    const byBody = { name: 'same', body: () => [] };
    const change = (...indexers: Indexer[]): Promise<unknown> =>
      controller.replaceWatches('tenants', [{ ...watchOf(Secret), indexers }]);
    const refused = { code: 'REPLACE_WATCHES_FAILED', cause: { code: 'INDEXER_CONFLICT' } };
    for (const [given, other] of [
      [byHead, { ...byHead, head: () => [] }],
      [byHead, byBody],
      [byBody, { ...byBody, body: () => [] }],
      [byBody, byHead],
    ] as const) {
      await change(given);
      await change(given);
      await expect(change(other)).rejects.toMatchObject(refused);
      expect(cache.handles.size).toBe(2);
      await controller.replaceWatches('tenants', []);
    }
    expect(cache.acquired.filter((id) => id === 'v1/secrets')).toHaveLength(4);
  });

  test.each<[string, object]>([
    ['namespace', { namespace: 'team' }],
    ['labelSelector', { labelSelector: 'app=a' }],
    ['fieldSelector', { fieldSelector: 'metadata.name=a' }],
    ['projection', { projection: 'metadata' }],
    ['transform', { transform: { name: 'same', apply: (object: unknown) => object } }],
    ['indexers', { indexers: [{ name: 'same', head: () => [] }] }],
    ['retain', { retain: 'object' }],
    ['priority', { priority: 1 }],
    ['required', { required: true }],
  ])('RC09 a watch with another %s is another watch', async (_option, options) => {
    const { cache, controller } = await notingManager(managers);
    const [plain] = await replace(controller, Secret);
    const special = { ...watchOf(Secret), ...options };
    const [other] = await controller.replaceWatches('tenants', [special]);
    expect(other).not.toBe(plain);
    expect(cache.handles.size).toBe(2);
    expect(await controller.replaceWatches('tenants', [special])).toEqual([other]);
    const [again] = await replace(controller, Secret);
    expect(again).not.toBe(other);
    expect(cache.acquired.filter((id) => id === 'v1/secrets')).toHaveLength(3);
  });

  test('RC09 a watch with an indexer of another name is a new watch', async () => {
    const { controller } = await notingManager(managers);
    const change = (name: string): Promise<readonly DynamicWatch[]> =>
      controller.replaceWatches('tenants', [
        { ...watchOf(Secret), indexers: [{ name, head: noKeys }] },
      ]);
    const noKeys = (): string[] => [];
    const [one] = await change('one');
    const [two] = await change('two');
    expect(two).not.toBe(one);
  });

  test('RC09 an empty namespace and a missing one give the same watch', async () => {
    const { cache, controller } = await notingManager(managers);
    await replace(controller, Secret);
    await controller.replaceWatches('tenants', [{ ...watchOf(Secret), namespace: '' }]);
    expect(cache.acquired.filter((id) => id === 'v1/secrets')).toHaveLength(1);
  });

  test('RC09 a duplicate watch in one set is an error, and a watch that user code removed is added again', async () => {
    const { cache, controller } = await notingManager(managers);
    await expect(replace(controller, Secret, Secret)).rejects.toMatchObject({
      code: 'REPLACE_WATCHES_FAILED',
      cause: { code: 'DUPLICATE_WATCH' },
    });
    const [watch] = await replace(controller, Secret);
    await watch?.remove();
    expect(cache.handles.size).toBe(1);
    await replace(controller, Secret);
    expect(cache.handles.size).toBe(2);
    await replace(controller);
    expect(cache.handles.size).toBe(1);
  });

  test.each([['waits for a watch'], ['waits for a later replacement']])(
    'a replacement that %s rejects when the controller stops',
    async (what) => {
      const { cache, controller } = await notingManager(managers);
      await replace(controller, ConfigMap);
      cache.syncsAtOnce = false;
      const stopped = { code: 'CONTROLLER_STOPPED' };
      const replacements = [replace(controller, Secret)];
      if (what === 'waits for a later replacement') replacements.push(replace(controller, Service));
      const rejected = replacements.map((one) => expect(one).rejects.toMatchObject(stopped));
      await controller.stop();
      await Promise.all(rejected);
      expect(cache.handles.size).toBe(0);
    },
  );
});
