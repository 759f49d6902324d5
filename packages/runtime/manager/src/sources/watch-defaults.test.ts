import { describe, expect, test } from '@jest/globals';
import { builtin } from '@keelson/apimachinery';
import {
  managersOfTest,
  nothing,
  running,
  toSelf,
  WebApp,
} from '../testing/fixtures.test-support.ts';

const { ConfigMap, Secret } = builtin;

const managers = managersOfTest();
const bare = { name: 'bare', apply: <T>(object: T): T => object };

describe('the defaults of a kind', () => {
  test('apply to every source of the kind that does not have the option itself', async () => {
    const { manager, cache } = managers.make({
      kinds: [
        {
          resource: Secret,
          labelSelector: 'app=x',
          fieldSelector: 'type=a',
          transform: bare,
          retain: 'object',
          pageSize: 50,
        },
      ],
    });
    const controller = manager.addController({
      name: 'sources',
      for: WebApp,
      owns: [Secret],
      reads: [{ resource: Secret, labelSelector: '', retain: 'lazy' }],
      watches: [
        { resource: Secret, projection: 'metadata', map: toSelf },
        { resource: Secret, retain: 'metadata', map: toSelf },
      ],
      reconcile: nothing,
    });
    await running(manager);
    controller.watch({ resource: Secret, map: toSelf, fieldSelector: 'type=b' });
    const all = {
      resource: Secret,
      labelSelector: 'app=x',
      fieldSelector: 'type=a',
      transform: bare,
      retain: 'object',
      pageSize: 50,
    };
    const { transform: _transform, ...metadata } = all;
    // `owns` adds an indexer.
    const queries = Array.from(
      cache.handles,
      ({ query: { indexers: _indexers, ...query } }) => query,
    );
    expect(queries).toEqual([
      { resource: WebApp },
      all,
      { ...metadata, projection: 'metadata' },
      { ...metadata, retain: 'metadata' },
      { ...all, labelSelector: '', retain: 'lazy' },
      { ...all, fieldSelector: 'type=b' },
    ]);
  });

  test('belong to a kept watch of a set as well', async () => {
    const { manager } = managers.make({ kinds: [{ resource: ConfigMap, transform: bare }] });
    const controller = manager.addController({ name: 'sets', reconcile: nothing });
    await running(manager);
    const replace = (): Promise<unknown> =>
      controller.replaceWatches('set', [{ resource: ConfigMap, map: toSelf }]);
    await replace();
    await expect(replace()).resolves.toHaveLength(1);
  });

  test.each<[string, object]>([
    ['createManager.kinds[1].resource', [{ resource: Secret }, { resource: Secret }]],
    ['createManager.kinds[0].map', [{ resource: Secret, map: nothing }]],
    ['createManager.kinds[0].projection', [{ resource: Secret, projection: 'metadata' }]],
    ['createManager.kinds[0].retain', [{ resource: Secret, retain: 'metadata' }]],
    ['createManager.kinds[0].namespaces', [{ resource: builtin.Node, namespaces: ['a'] }]],
  ])('are refused with the option %s', (option, kinds) => {
    expect(() => managers.make({ kinds: kinds as never })).toThrow(
      expect.objectContaining({
        code: 'INVALID_OPTION',
        facts: expect.objectContaining({ option }),
      }),
    );
  });
});

describe('the option namespaces of a source', () => {
  test.each<[string, object]>([
    ['addController.for.namespaces', { resource: builtin.Node, namespaces: ['a'] }],
    ['addController.for.namespaces', { resource: Secret, namespace: 'a', namespaces: ['b'] }],
  ])('%s is refused for %j', (option, source) => {
    const { manager } = managers.make();
    const add = (): unknown =>
      manager.addController({ name: 'a', for: source as never, reconcile: nothing });
    expect(add).toThrow(
      expect.objectContaining({
        code: 'INVALID_OPTION',
        facts: expect.objectContaining({ option }),
      }),
    );
  });
});
