import { beforeAll, describe, expect, test } from '@jest/globals';
import { builtin, isGone, type KubernetesList, type ObjectOf } from '@keelson/apimachinery';
import { errorOf } from './error-of.ts';
import { openSuite, testWithControls } from './suite.ts';

type ConfigMap = ObjectOf<typeof builtin.ConfigMap>;

const suite = openSuite();
const count = 25;

describe('a list in pages', () => {
  let namespace: string;

  beforeAll(async () => {
    namespace = await suite.namespace();
    const labels = { page: 'me' };
    for (let index = 0; index < count; index++) {
      const metadata = { namespace, name: `c-${String(index).padStart(2, '0')}`, labels };
      await suite.client.create(builtin.ConfigMap, { metadata });
    }
  });

  const page = (options: {
    continue?: string;
    limit?: number;
  }): Promise<KubernetesList<ConfigMap>> =>
    suite.client.list(builtin.ConfigMap, { namespace, labelSelector: 'page=me', ...options });

  test('returns one state, also with writes between the pages', async () => {
    const first = await page({ limit: 10 });
    expect(first.items).toHaveLength(10);
    await suite.client.delete(builtin.ConfigMap, { namespace, name: 'c-24' });
    const second = await page({ limit: 10, continue: first.metadata.continue ?? '' });
    const third = await page({ limit: 10, continue: second.metadata.continue ?? '' });
    const names = [first, second, third].flatMap(({ items }) => items.map((x) => x.metadata?.name));
    expect(names).toHaveLength(count);
    expect(names.at(-1)).toBe('c-24');
    expect(third.metadata.resourceVersion).toBe(first.metadata.resourceVersion);
    expect(third.metadata.continue ?? '').toBe('');
    await suite.client.create(builtin.ConfigMap, {
      metadata: { namespace, name: 'c-24', labels: { page: 'me' } },
    });
  });

  test('yields all items one by one', async () => {
    const names: string[] = [];
    const options = { namespace, labelSelector: 'page=me', limit: 4 };
    for await (const item of suite.client.items(builtin.ConfigMap, options)) {
      names.push(item.metadata.name);
    }
    expect(names).toHaveLength(count);
    expect(names).toEqual(names.toSorted());
  });

  testWithControls(
    'a continue token expires with a compaction, and the error has a new token',
    async () => {
      const first = await page({ limit: 10 });
      await suite.client.create(builtin.ConfigMap, { metadata: { namespace, name: 'later' } });
      await suite.controls.compact();
      const error = await errorOf<{ status: { metadata: { continue: string } } }>(
        page({ limit: 10, continue: first.metadata.continue ?? '' }),
      );
      expect(isGone(error)).toBe(true);
      const rest = await page({ continue: error.status.metadata.continue });
      expect(rest.items).toHaveLength(count - 10);
    },
  );
});
