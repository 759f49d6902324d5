import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { defineResource, type ApiResource } from '@keelson/apimachinery';
import { Source } from '../source-set/source.ts';
import { SourceSet } from '../source-set/source-set.ts';
import { managersOfTest, nothing, running } from '../testing/fixtures.test-support.ts';

const managers = managersOfTest();

function kind(name: string): ApiResource {
  const plural = `${name.toLowerCase()}s`;
  return defineResource({ group: 'x.example', version: 'v1', kind: name, plural });
}

afterEach(() => void jest.restoreAllMocks());

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
