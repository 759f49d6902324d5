import { describe, expect, test } from '@jest/globals';
import { defineResource, type ApiResource } from '@keelson/apimachinery';
import { managersOfTest, nothing, running } from '../testing/fixtures.test-support.ts';

const managers = managersOfTest();

function kind(name: string): ApiResource {
  const plural = `${name.toLowerCase()}s`;
  return defineResource({ group: 'x.example', version: 'v1', kind: name, plural });
}

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
