import { describe, expect, test } from '@jest/globals';
import { builtin } from '@keelson/apimachinery';
import {
  eventually,
  managersOfTest,
  objectOf,
  running,
  toSelf,
  valueOf,
  WebApp,
} from '../testing/fixtures.test-support.ts';
import { labelsMatch } from '../sources/event-rules/event-predicates.ts';

const { ConfigMap, Secret } = builtin;
const managers = managersOfTest();

describe('the predicates of a controller', () => {
  test('CT35 veto events of every source, also of watches that are added or replaced at run time', async () => {
    const { manager, cache } = managers.make();
    const seen: string[] = [];
    const asked: string[] = [];
    const controller = manager.addController({
      name: 'choosy',
      predicates: [({ object }) => object.name !== 'vetoed'],
      for: { resource: WebApp, predicates: [({ object }) => asked.push(object.name) > 0] },
      watches: [{ resource: Secret, map: toSelf }],
      reconcile: ({ name }) => void seen.push(name),
    });
    await running(manager);
    const watch = (predicates: (() => boolean)[]): Promise<unknown> =>
      controller.replaceWatches('set', [{ resource: ConfigMap, map: toSelf, predicates }]);
    await watch([() => false]);
    await watch([]);
    for (const resource of [WebApp, Secret, ConfigMap]) {
      cache.set(resource, objectOf(resource, 'vetoed'));
      cache.set(resource, objectOf(resource, resource.kind.toLowerCase()));
    }
    await eventually(() => seen.length === 3);
    expect(seen.toSorted()).toEqual(['configmap', 'secret', 'webapp']);
    // The predicates of a source see only what those of the controller pass.
    expect(asked).toEqual(['webapp']);
  });

  test('CT35 one that throws is counted, and the event passes', async () => {
    const { manager, cache } = managers.make();
    const seen: string[] = [];
    manager.addController({
      name: 'odd',
      predicates: [
        () => {
          throw new Error('no');
        },
      ],
      for: WebApp,
      reconcile: ({ name }) => void seen.push(name),
    });
    await running(manager);
    cache.set(WebApp, objectOf(WebApp, 'a'));
    await eventually(() => seen.length === 1);
    const labels = { controller: 'odd' };
    expect(await valueOf(manager, 'keelson_handler_errors_total', labels)).toBe(1);
  });

  test('an object that stops matching a label selector is reconciled once more, and then no longer', async () => {
    const { manager, cache } = managers.make();
    const seen: string[] = [];
    const controller = manager.addController({
      name: 'labelled',
      predicates: [labelsMatch('shard=a')],
      for: WebApp,
      reconcile: ({ name }, { cache: own }) => {
        seen.push(
          own.get(WebApp, { namespace: 'default', name })?.metadata.labels?.['shard'] ?? '',
        );
      },
    });
    await running(manager);
    const label = (shard: string): unknown =>
      cache.set(WebApp, objectOf(WebApp, 'web', { metadata: { labels: { shard } } }));
    const expected: string[] = [];
    for (const [shard, runs] of [
      ['a', ['a']],
      ['b', ['b']],
      ['c', []],
      ['a', ['a']],
    ] as const) {
      label(shard);
      expected.push(...runs);
      await eventually(() => controller.length === 0 && controller.running === 0);
      expect(seen).toEqual(expected);
    }
  });
});
