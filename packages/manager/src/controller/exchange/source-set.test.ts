import { describe, expect, test } from '@jest/globals';
import { defineResource, type ApiResource } from '@keelson/apimachinery';
import { managersOfTest, nothing, running } from '../../testing/fixtures.test-support.ts';
import type { SourceWatches } from '../sources/source-watches.ts';
import { SourceSet } from './source-set.ts';

const managers = managersOfTest();

function kind(name: string): ApiResource {
  const plural = `${name.toLowerCase()}s`;
  return defineResource({ group: 'x.example', version: 'v1', kind: name, plural });
}

type Source = SourceWatches<object>;
const sourceOf = (resource: ApiResource, cluster?: string): Source =>
  ({ options: { resource, ...(cluster !== undefined && { cluster }) } }) as unknown as Source;

describe('SourceSet', () => {
  test('finds the sources of a kind in a cluster, in the order of their addition', () => {
    const set = new SourceSet<object>();
    const [first, second, far, other] = [
      sourceOf(kind('A')),
      sourceOf(kind('A')),
      sourceOf(kind('A'), 'workload'),
      sourceOf(kind('B')),
    ];
    for (const source of [first, far, other, second, first]) set.add(source);
    expect([...set]).toEqual([first, far, other, second]);
    expect([...set.ofKind(first.options)]).toEqual([first, second]);
    expect([...set.ofKind(far.options)]).toEqual([far]);
    expect([set.delete(first), set.delete(first), set.delete(other)]).toEqual([true, false, true]);
    expect([...set.ofKind(first.options)]).toEqual([second]);
    expect([...set.ofKind(other.options)]).toEqual([]);
    expect([...set]).toEqual([far, second]);
  });
});

describe('a watch that is added', () => {
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
