import { beforeEach, describe, expect, test } from '@jest/globals';
import { builtin, isConflict, isNotFound, type ObjectOf } from '@keelson/apimachinery';
import { createClient } from '@keelson/client';
import { errorOf } from './error-of.ts';
import { openSharedSuite } from './suite.ts';

type ConfigMap = ObjectOf<typeof builtin.ConfigMap>;

const suite = openSharedSuite();
let namespace: string;
let map: ConfigMap;

const key = (name = 'map'): { namespace: string; name: string } => ({ namespace, name });

beforeEach(async () => {
  namespace = await suite.namespace();
  map = await suite.client.create(builtin.ConfigMap, { metadata: key(), data: { a: '1' } });
});

describe('writes', () => {
  test('an update with an older version is a conflict and changes nothing', async () => {
    await suite.client.update(builtin.ConfigMap, { ...map, data: { a: '2' } });
    const late = suite.client.update(builtin.ConfigMap, { ...map, data: { a: '3' } });
    expect(isConflict(await errorOf(late))).toBe(true);
    expect((await suite.client.get(builtin.ConfigMap, key())).data).toEqual({ a: '2' });
  });

  test('an update without changes keeps the resourceVersion', async () => {
    const again = await suite.client.update(builtin.ConfigMap, map);
    expect(again.metadata.resourceVersion).toBe(map.metadata?.resourceVersion);
  });

  test('a dry run returns the response of a write and stores nothing', async () => {
    const dry = { dryRun: true };
    const made = await suite.client.create(builtin.ConfigMap, { metadata: key('dry') }, dry);
    expect(made.metadata.uid).toBeDefined();
    const read = suite.client.get(builtin.ConfigMap, key('dry'));
    expect(isNotFound(await errorOf(read))).toBe(true);
    await suite.client.delete(builtin.ConfigMap, key(), dry);
    expect((await suite.client.get(builtin.ConfigMap, key())).metadata).toEqual(map.metadata);
  });

  test.each([{ uid: 'another' }, { resourceVersion: '1' }])(
    'a deletion with the wrong precondition %j is a conflict',
    async (preconditions) => {
      const deletion = suite.client.delete(builtin.ConfigMap, key(), { preconditions });
      expect(isConflict(await errorOf(deletion))).toBe(true);
      const { uid = '', resourceVersion = '' } = map.metadata ?? {};
      const now = { uid, resourceVersion };
      await suite.client.delete(builtin.ConfigMap, key(), { preconditions: now });
      const read = suite.client.get(builtin.ConfigMap, key());
      expect(isNotFound(await errorOf(read))).toBe(true);
    },
  );

  test('deleteCollection deletes the selected objects', async () => {
    for (const [name, colour] of Object.entries({ one: 'red', two: 'red', three: 'green' })) {
      const metadata = { ...key(name), labels: { colour } };
      await suite.client.create(builtin.ConfigMap, { metadata });
    }
    const labelSelector = 'colour=red';
    await suite.client.deleteCollection(builtin.ConfigMap, { namespace, labelSelector });
    const { items } = await suite.client.list(builtin.ConfigMap, {
      namespace,
      labelSelector: 'colour',
    });
    expect(items.map(({ metadata }) => metadata.name)).toEqual(['three']);
  });

  test('an unknown field is rejected with Strict validation, and otherwise causes a warning', async () => {
    const warnings: string[] = [];
    const observer = { warning: ({ text }: { text: string }) => void warnings.push(text) };
    await using client = createClient({ cluster: suite.cluster, observer });
    const odd = { metadata: key('odd'), dta: { a: '1' } } as ConfigMap;
    const strict = client.create(builtin.ConfigMap, odd, { fieldValidation: 'Strict' });
    expect(await errorOf(strict)).toMatchObject({ status: { code: 400 } });
    await client.create(builtin.ConfigMap, odd, { fieldValidation: 'Warn' });
    expect(warnings).toEqual(['unknown field "dta"']);
  });

  test('generated names have the requested prefix and are unique', async () => {
    const metadata = { namespace, generateName: 'many-' };
    const made = await Promise.all(
      Array.from({ length: 20 }, () => suite.client.create(builtin.ConfigMap, { metadata })),
    );
    const names = made.map((each) => each.metadata.name);
    expect(new Set(names).size).toBe(20);
    expect(names.every((name) => /^many-[a-z0-9]{5}$/.test(name))).toBe(true);
  });
});
