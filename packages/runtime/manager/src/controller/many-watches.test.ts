import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { builtin, defineResource, type ApiResource } from '@keelson/apimachinery';
import { WorkQueue } from '@keelson/workqueue';
import { Source } from '../source-set/source.ts';
import { SourceSet } from '../source-set/source-set.ts';
import { WatchedObjects } from '../sources/watched-objects.ts';
import {
  managersOfTest,
  nothing,
  objectOf,
  running,
  toSelf,
} from '../testing/fixtures.test-support.ts';
import type { Controller } from './controller.ts';

const managers = managersOfTest();

function kind(name: string): ApiResource {
  const plural = `${name.toLowerCase()}s`;
  return defineResource({ group: 'x.example', version: 'v1', kind: name, plural });
}

const { ConfigMap } = builtin;

afterEach(() => void jest.restoreAllMocks());

async function startedController(): Promise<Controller> {
  const { manager } = managers.make();
  const controller = manager.addController({ name: 'a', reconcile: nothing });
  await running(manager);
  return controller;
}

/** A resource that counts the reads of its plural, which every comparison of sources makes. */
function countedKind(count: () => void): ApiResource {
  return {
    ...kind('Counted'),
    get plural() {
      count();
      return 'counteds';
    },
  };
}

describe('a watch that is added', () => {
  test('visits no other source, nor does its removal', async () => {
    const { manager } = managers.make();
    const controller = manager.addController({ name: 'a', reconcile: nothing });
    await running(manager);
    const all = jest.spyOn(SourceSet.prototype, 'all', 'get');
    const opened = jest.spyOn(SourceSet.prototype, 'opened', 'get');
    const watches = Array.from({ length: 10 }, (_, n) =>
      controller.watch({ resource: kind(`K${n}`), map: () => [] }),
    );
    const removals = watches.map((watch) => watch.remove());
    expect([all.mock.calls.length, opened.mock.calls.length]).toEqual([0, 0]);
    await Promise.all(removals);
  });

  test('a set of watches of one kind is replaced in steps in proportion to their number', async () => {
    const { manager } = managers.make();
    const controller = manager.addController({ name: 'a', reconcile: nothing });
    await running(manager);
    const number = 100;
    const labelled = (
      label: string,
    ): { resource: ApiResource; labelSelector: string; map: () => [] }[] =>
      Array.from({ length: number }, (_, n) => ({
        resource: kind('One'),
        labelSelector: `${label}=${n}`,
        map: () => [],
      }));
    await controller.replaceWatches('set', labelled('a'));
    const visited = jest.spyOn(Source.prototype, 'members', 'get');
    await controller.replaceWatches('set', labelled('b'));
    expect(visited.mock.calls.length).toBeLessThan(30 * number);
  });

  test.each(['before the start', 'after it'])(
    'is compared with the watches of its kind only, %s',
    async (when) => {
      const { manager } = managers.make();
      const controller = manager.addController({ name: 'a', reconcile: nothing });
      if (when === 'after it') await running(manager);
      let reads = 0;
      const counted: ApiResource = {
        ...kind('Counted'),
        get plural() {
          reads += 1;
          return 'counteds';
        },
      };
      controller.watch({ resource: counted, map: () => [] });
      const before = reads;
      for (let n = 0; n < 100; n += 1) controller.watch({ resource: kind(`K${n}`), map: () => [] });
      expect(reads).toBe(before);
    },
  );
});

/** The steps for this number of watches. */
type Steps = (count: number) => Promise<number>;

const changes: Readonly<Record<string, Steps>> = {
  'replaceWatches exchanges the namespaces of as many watches': async (count) => {
    const controller = await startedController();
    const inNamespaces = (text: string) =>
      Array.from({ length: count }, (_, n) => ({
        resource: kind('One'),
        namespaces: [`${text}${n}`],
        map: () => [],
      }));
    await controller.replaceWatches('set', inNamespaces('a'));
    const spies = [
      jest.spyOn(Source.prototype, 'options', 'get'),
      jest.spyOn(WatchedObjects.prototype, 'reaches'),
    ];
    await controller.replaceWatches('set', inNamespaces('b'));
    return spies.reduce((sum, { mock }) => sum + mock.calls.length, 0);
  },
  'reconfigure exchanges as many watches': async (count) => {
    const controller = await startedController();
    let reads = 0;
    const resource = countedKind(() => (reads += 1));
    const watches = (label: string) =>
      Array.from({ length: count }, (_, n) => ({
        resource,
        labelSelector: `${label}=${n}`,
        map: () => [],
      }));
    await controller.reconfigure({ watches: watches('a') });
    const before = reads;
    await controller.reconfigure({ watches: watches('b') });
    return reads - before;
  },
  'as many watches are removed at once': async (count) => {
    const controller = await startedController();
    const watches = Array.from({ length: count }, (_, n) =>
      controller.watch({ resource: kind('One'), labelSelector: `a=${n}`, map: () => [] }),
    );
    // Each call visits every request of the queue.
    const withdraw = jest.spyOn(WorkQueue.prototype, 'withdraw');
    await Promise.all(watches.map((watch) => watch.remove()));
    return withdraw.mock.calls.length * count;
  },
  'a watch loses as many namespaces': async (count) => {
    const controller = await startedController();
    const namespaces = Array.from({ length: count }, (_, n) => `n${n}`);
    const watch = controller.watch({ resource: kind('One'), namespaces, map: () => [] });
    const withdraw = jest.spyOn(WorkQueue.prototype, 'withdraw');
    await watch.setNamespaces(['other']);
    return withdraw.mock.calls.length * count;
  },
};

describe('the steps are in proportion to their number when', () => {
  test.each(Object.entries(changes))('%s', async (_, stepsFor) => {
    const few = await stepsFor(40);
    jest.restoreAllMocks();
    expect(few).toBeGreaterThan(0);
    expect(await stepsFor(80)).toBeLessThan(2.2 * few);
  });
});

test('removals of one turn of the event loop drop their requests before the next use of the queue', async () => {
  const { manager, cache } = managers.make();
  const controller = manager.addController({ name: 'a', reconcile: nothing });
  await running(manager);
  controller.pause();
  for (const namespace of ['n1', 'n2', 'n3'])
    cache.set(ConfigMap, objectOf(ConfigMap, namespace, { namespace }));
  const watches = ['n1', 'n2', 'n3'].map((namespace) =>
    controller.watch({ resource: ConfigMap, namespaces: [namespace], map: toSelf }),
  );
  await Promise.all(watches.map(({ synced }) => synced));
  expect(controller.length).toBe(3);
  const [first, second] = watches.map((watch) => watch.remove());
  expect(controller.length).toBe(0);
  await Promise.all([first, second]);
});
