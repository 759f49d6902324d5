import { beforeEach, describe, expect, test } from '@jest/globals';
import { builtin, isConflict, type ObjectOf } from '@keelson/apimachinery';
import { errorOf } from './error-of.ts';
import { openSharedSuite } from './suite.ts';

const suite = openSharedSuite();
let namespace: string;

beforeEach(async () => {
  namespace = await suite.namespace();
});

describe('server-side apply', () => {
  const apply = (
    fieldManager: string,
    data: Record<string, string>,
    force = false,
  ): Promise<ObjectOf<typeof builtin.ConfigMap>> =>
    suite.client.apply(
      builtin.ConfigMap,
      { metadata: { namespace, name: 'shared' }, data },
      { fieldManager, force },
    );

  test('applying a field of another manager is a conflict with the field and the manager', async () => {
    await apply('one', { a: '1' });
    const error = await errorOf<{ status: { details: { causes: object[] } } }>(
      apply('two', { a: '2' }),
    );
    expect(isConflict(error)).toBe(true);
    expect(error.status.details.causes).toEqual([
      { reason: 'FieldManagerConflict', field: '.data.a', message: 'conflict with "one"' },
    ]);
  });

  test('force takes over the field; a later apply of its former owner does not change it', async () => {
    await apply('one', { a: '1', b: '1' });
    await apply('two', { a: '2' }, true);
    expect((await apply('one', { b: '2' })).data).toEqual({ a: '2', b: '2' });
  });

  test('managers that apply an equal value share the field until the last of them drops it', async () => {
    await apply('one', { a: '1', own: '1' });
    await apply('two', { a: '1' });
    expect((await apply('one', { own: '1' })).data).toEqual({ a: '1', own: '1' });
    expect((await apply('two', {})).data).toEqual({ own: '1' });
  });

  test('applying again without changes keeps the resourceVersion', async () => {
    const first = await apply('one', { a: '1' });
    const again = await apply('one', { a: '1' });
    expect(again.metadata?.resourceVersion).toBe(first.metadata?.resourceVersion);
  });

  test('managedFields lists each manager with its fields', async () => {
    await apply('one', { a: '1' });
    const { metadata } = await apply('two', { b: '1' });
    const owned = metadata?.managedFields?.map(({ manager, operation, fieldsV1 }) => {
      return { manager, operation, fields: fieldsV1 };
    });
    expect(owned).toEqual([
      { manager: 'one', operation: 'Apply', fields: { 'f:data': { 'f:a': {} } } },
      { manager: 'two', operation: 'Apply', fields: { 'f:data': { 'f:b': {} } } },
    ]);
  });
});

describe('patches', () => {
  const name = 'web';
  const containers = [
    { name: 'app', image: 'app:1' },
    { name: 'sidecar', image: 'sidecar:1' },
  ];

  beforeEach(async () => {
    const labels = { app: name };
    await suite.client.create(builtin.Deployment, {
      metadata: { namespace, name },
      spec: {
        replicas: 0,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers } },
      },
    });
  });

  const imagesAfter = async (
    type: 'strategic' | 'merge',
    changed: readonly object[],
  ): Promise<string[]> => {
    const body = { spec: { template: { spec: { containers: changed } } } } as object;
    const patched = await suite.client.patch(
      builtin.Deployment,
      { namespace, name },
      { type, body },
    );
    return patched.spec?.template.spec?.containers.map(({ image }) => image ?? '') ?? [];
  };

  test('strategic merge changes one container of a list by its name', async () => {
    const changed = [{ name: 'sidecar', image: 'sidecar:2' }];
    expect(await imagesAfter('strategic', changed)).toEqual(['app:1', 'sidecar:2']);
  });

  test('strategic merge adds and deletes containers', async () => {
    const changed = [
      { name: 'app', $patch: 'delete' },
      { name: 'other', image: 'other:1' },
    ];
    expect((await imagesAfter('strategic', changed)).toSorted()).toEqual(['other:1', 'sidecar:1']);
  });

  test('merge replaces the list', async () => {
    expect(await imagesAfter('merge', [{ name: 'other', image: 'other:1' }])).toEqual(['other:1']);
  });

  test('a JSON patch whose test fails changes nothing', async () => {
    const replace = { op: 'replace', path: '/spec/replicas', value: 0 } as const;
    const wrong = { op: 'test', path: '/metadata/name', value: 'other' } as const;
    const key = { namespace, name };
    await expect(
      suite.client.patch(builtin.Deployment, key, { type: 'json', body: [replace, wrong] }),
    ).rejects.toMatchObject({ status: { code: 422 } });
  });
});
