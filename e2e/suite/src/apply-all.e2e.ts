import { beforeEach, describe, expect, test } from '@jest/globals';
import { builtin, isConflict, type Persisted } from '@keelson/apimachinery';
import { applyAll, type AppliedObject, type ApplySetOptions } from '@keelson/client';
import { until } from '@keelson/example-support';
import { createManager } from '@keelson/manager';
import { customKind } from './custom-kind.ts';
import { errorOf } from './error-of.ts';
import { runManager } from './running-manager.ts';
import { openSharedSuite } from './suite.ts';

const { ConfigMap, Secret, ServiceAccount } = builtin;
const suite = openSharedSuite();
let namespace: string;
let owner: Persisted;

beforeEach(async () => {
  namespace = await suite.namespace();
  owner = await suite.client.create(ConfigMap, { metadata: { namespace, name: 'owner' } });
});

const object = (kind: string, name: string): AppliedObject => ({
  apiVersion: 'v1',
  kind,
  metadata: { name },
});

const apply = (objects: readonly AppliedObject[], options: Partial<ApplySetOptions> = {}) =>
  applyAll(objects, { client: suite.client, owner, prune: true, ...options });

async function names(): Promise<string[]> {
  const kinds = [ConfigMap, Secret, ServiceAccount];
  const lists = await Promise.all(kinds.map((kind) => suite.client.list(kind, { namespace })));
  const all = lists.flatMap(({ items }) => items.map(({ metadata }) => metadata.name));
  return all.filter((name) => name.length === 1).toSorted();
}

describe('applyAll', () => {
  test('applies objects, and deletes those that the owner no longer names', async () => {
    await apply([object('ConfigMap', 'a'), object('Secret', 'b'), object('ServiceAccount', 'c')]);
    expect(await names()).toEqual(['a', 'b', 'c']);
    const { pruned } = await apply([object('ConfigMap', 'a'), object('Secret', 'd')]);
    expect(pruned.map(({ name }) => name).toSorted()).toEqual(['b', 'c']);
    expect(await names()).toEqual(['a', 'd']);
    await apply([]);
    expect(await names()).toEqual([]);
  });

  test('applies a definition and an object of it in one call, and deletes both', async () => {
    const kind = customKind();
    const resource = kind.resource();
    const definition = kind.definition('v1') as AppliedObject;
    suite.defer(async () =>
      errorOf(
        suite.client.delete(builtin.CustomResourceDefinition, {
          name: definition.metadata?.name ?? '',
        }),
      ),
    );
    const widget = { ...object('Widget', 'w'), apiVersion: `${resource.group}/v1` };
    const { applied } = await apply([widget, definition]);
    expect(applied.map(({ metadata }) => metadata.name)).toEqual(['w', definition.metadata?.name]);
    const { pruned } = await apply([]);
    expect(pruned.map(({ kind: name }) => name)).toEqual(['Widget', 'CustomResourceDefinition']);
  });

  test('refuses an owner that was created again, and the objects of another owner', async () => {
    await apply([object('ConfigMap', 'a')]);
    const rival = await suite.client.create(ConfigMap, { metadata: { namespace, name: 'rival' } });
    expect(await errorOf(apply([object('ConfigMap', 'a')], { owner: rival }))).toMatchObject({
      cause: { code: 'APPLY_SET_MEMBER_CONFLICT' },
    });
    await suite.client.delete(ConfigMap, { namespace, name: 'owner' });
    await suite.client.create(ConfigMap, { metadata: { namespace, name: 'owner' } });
    expect(await errorOf(apply([]))).toMatchObject({ code: 'APPLY_SET_OWNER_GONE' });
  });

  test('stores nothing in a dry run', async () => {
    await apply([object('ConfigMap', 'a')]);
    const { applied, pruned } = await apply([object('Secret', 'b')], { dryRun: true });
    expect([
      ...applied.map(({ metadata }) => metadata.name),
      ...pruned.map(({ name }) => name),
    ]).toEqual(['b', 'a']);
    expect(await names()).toEqual(['a']);
  });

  test('the server refuses a write to the owner that names a former version', async () => {
    await apply([object('ConfigMap', 'a')]);
    const { resourceVersion } = owner.metadata;
    const patch = {
      type: 'merge',
      body: { metadata: { resourceVersion, labels: { a: 'b' } } },
    } as const;
    const target = { namespace, name: 'owner' };
    expect(isConflict(await errorOf(suite.client.patch(ConfigMap, target, patch)))).toBe(true);
    await suite.client.delete(ConfigMap, target);
    await suite.client.create(ConfigMap, { metadata: target });
    expect(isConflict(await errorOf(suite.client.patch(ConfigMap, target, patch)))).toBe(true);
  });
});

describe('track', () => {
  test('runs a request again when a Secret appears, changes and is deleted', async () => {
    const seen: (string | undefined)[] = [];
    const name = { namespace, name: 's' };
    const request = { namespace, name: 'owner' };
    await using _ = await runManager(suite.cluster, (options) => {
      const manager = createManager(options);
      manager.addController({
        name: 'tracking',
        for: { resource: ConfigMap, namespace, fieldSelector: 'metadata.name=owner' },
        async reconcile({ namespace: of }, { client, track }) {
          const found = await track(Secret, { ...name, namespace: of ?? '' });
          seen.push(found?.data?.['value']);
          const body = { data: { found: found?.data?.['value'] ?? 'none' } };
          await client.patch(ConfigMap, request, { type: 'merge', body });
        },
      });
      return manager;
    });
    const found = (value: string) =>
      until(suite.client, ConfigMap, request, (one) => one?.data?.['found'] === value);
    await found('none');
    await suite.client.create(Secret, { metadata: name, data: { value: 'YQ==' } });
    await found('YQ==');
    await suite.client.patch(Secret, name, { type: 'merge', body: { data: { value: 'Yg==' } } });
    await found('Yg==');
    await suite.client.delete(Secret, name);
    await found('none');
    expect(new Set(seen)).toEqual(new Set([undefined, 'YQ==', 'Yg==']));
  });
});
