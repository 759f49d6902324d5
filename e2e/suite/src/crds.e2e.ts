import { beforeAll, describe, expect, test } from '@jest/globals';
import { builtin, isInvalid, isNotFound } from '@keelson/apimachinery';
import { migrateStoredVersions } from '@keelson/client';
import { until } from '@keelson/example-support';
import { customKind, type Widget } from './custom-kind.ts';
import { errorOf } from './error-of.ts';
import { openSharedSuite } from './suite.ts';

const suite = openSharedSuite();

describe('a custom kind', () => {
  const kind = customKind();
  const widgets = kind.resource();
  let namespace: string;

  beforeAll(async () => {
    namespace = await suite.namespace();
    await suite.install(kind.definition('v1'));
  });

  const create = (name: string, spec: Widget['spec']): Promise<Widget> =>
    suite.client.create(widgets, { metadata: { namespace, name }, spec: spec ?? {} });

  test('is served in discovery', async () => {
    expect(await suite.client.discovery.serves(widgets)).toBe(true);
  });

  test('the server sets defaults and prunes unknown fields', async () => {
    const made = await create('defaulted', { size: 1, unknown: 'x' });
    expect(made.spec).toEqual({ size: 1, colour: 'green' });
  });

  test('a value that the schema forbids is rejected with the name of the field', async () => {
    const wrong = create('wrong', { size: 0, colour: 'blue' });
    const error = await errorOf<{ status: { details: { causes: { field: string }[] } } }>(wrong);
    expect(isInvalid(error)).toBe(true);
    const fields = error.status.details.causes.map(({ field }) => field);
    expect(fields.toSorted()).toEqual(['spec.colour', 'spec.size']);
  });
});

describe('a custom kind with several versions', () => {
  const kind = customKind();
  const [stored, newer] = [kind.resource('v1'), kind.resource('v2')];
  const definition = { name: kind.definition('v1').metadata?.name ?? '' };
  let namespace: string;

  beforeAll(async () => {
    namespace = await suite.namespace();
    await suite.install(kind.definition('v1', 'v2'));
  });

  test('clients read and watch one object in each version', async () => {
    const key = { namespace, name: 'one' };
    const made = await suite.client.create(newer, { metadata: key, spec: { size: 1 } });
    expect(made.apiVersion).toMatch(/v2$/);
    const read = await suite.client.get(stored, key);
    expect(read.apiVersion).toMatch(/v1$/);
    expect(read.metadata.uid).toBe(made.metadata.uid);
    const { metadata } = await suite.client.list(stored, { namespace });
    const { resourceVersion } = metadata;
    await suite.client.patch(stored, key, { type: 'merge', body: { spec: { size: 2 } } });
    for await (const event of suite.client.watch(newer, { namespace, resourceVersion })) {
      expect(event).toMatchObject({ type: 'MODIFIED', object: { apiVersion: made.apiVersion } });
      break;
    }
  });

  test('migrateStoredVersions stores every object in the new storage version', async () => {
    const { client } = suite;
    const two = { namespace, name: 'two' };
    const before = await client.create(stored, { metadata: two, spec: { size: 1 } });
    await client.patch(builtin.CustomResourceDefinition, definition, {
      type: 'json',
      body: [
        { op: 'replace', path: '/spec/versions/0/storage', value: false },
        { op: 'replace', path: '/spec/versions/1/storage', value: true },
      ],
    });
    // Servers apply a changed definition with a delay: an empty patch writes the object as soon as they have.
    const one = { namespace, name: 'one' };
    const { resourceVersion } = (await client.get(stored, one)).metadata;
    const patched = async (): Promise<void> => {
      const { metadata } = await client.patch(stored, one, { type: 'merge', body: {} });
      if (metadata.resourceVersion === resourceVersion) await patched();
    };
    await patched();
    const result = await migrateStoredVersions({ client, resource: stored });
    expect(result).toEqual({ storage: 'v2', removed: ['v1'], objects: 2 });
    const after = await client.get(stored, two);
    expect(after.metadata).toEqual({
      ...before.metadata,
      resourceVersion: after.metadata.resourceVersion,
    });
    expect(after.metadata.resourceVersion).not.toBe(before.metadata.resourceVersion);
    const { status } = await client.get(builtin.CustomResourceDefinition, definition);
    expect(status?.storedVersions).toEqual(['v2']);
  });

  test('requests for a version that is no longer served get 404, other versions work', async () => {
    const path = '/spec/versions/1/served';
    await suite.client.patch(builtin.CustomResourceDefinition, definition, {
      type: 'json',
      body: [{ op: 'replace', path, value: false }],
    });
    await untilUnserved(() => suite.client.list(newer, { namespace }));
    expect((await suite.client.list(stored, { namespace })).items).toHaveLength(2);
  });

  test('deleting the definition deletes its objects, then requests get 404', async () => {
    await suite.client.delete(builtin.CustomResourceDefinition, definition);
    const gone = (found: unknown): boolean => found === undefined;
    await until(suite.client, builtin.CustomResourceDefinition, definition, gone);
    await untilUnserved(() => suite.client.list(stored, { namespace }));
  });

  /** Repeats a request until it gets 404: servers apply a changed definition with a delay and do not announce it. */
  const untilUnserved = async (ask: () => Promise<unknown>): Promise<void> => {
    const result = await ask().catch((error: unknown) => error);
    if (!isNotFound(result)) await untilUnserved(ask);
  };
});
