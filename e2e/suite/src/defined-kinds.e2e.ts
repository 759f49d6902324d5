import { beforeAll, describe, expect, test } from '@jest/globals';
import { builtin, isInvalid, type StatusCause } from '@keelson/apimachinery';
import { compareCrds, defineKind, InvalidObjectError } from '@keelson/schema';
import { errorOf } from './error-of.ts';
import { libraryKinds, uniqueGroup, type LibrarySpec } from './library-kinds.ts';
import { openSharedSuite } from './suite.ts';

const suite = openSharedSuite();

describe.each(libraryKinds)('a kind that is defined by %s', (_library, define) => {
  const { crd, resource, parse } = define();
  const spec: LibrarySpec = { size: 2, target: 'http', ports: [], source: { type: 'none' } };
  let namespace: string;

  beforeAll(async () => {
    namespace = await suite.namespace();
    await suite.install(crd);
  });

  test('the server stores the definition without a change', async () => {
    const name = crd.metadata?.name ?? '';
    const stored = await suite.client.get(builtin.CustomResourceDefinition, { name });
    expect(compareCrds(crd, stored)).toEqual([]);
    expect(compareCrds(stored, crd)).toEqual([]);
  });

  test('the server and parse give an object the same defaults', async () => {
    const metadata = { namespace, name: 'valid' };
    const note = { ...spec, note: null };
    const parsed = parse({ metadata, spec: note });
    const created = await suite.client.create(resource, { metadata, spec: note });
    expect(created.spec).toEqual(parsed.spec);
    expect(parsed.spec.limit).toBe(9);
  });

  test.each<[string, object]>([
    ['a limit', { size: 0 }],
    ['a type', { target: true, ports: [{}] }],
    ['the keys of a list', { ports: [{ name: 'a' }, { name: 'a' }] }],
    ['a rule', { size: 10 }],
    ['a rule of a part', { source: { type: 'git' } }],
  ])(
    'the server and parse report the same causes for an object that violates %s',
    async (_title, change) => {
      const metadata = { namespace, name: 'invalid' };
      const object = { metadata, spec: { ...spec, ...change } };
      const causes = causesOf(() => parse(object));
      const error = await errorOf<{ status: { details: { causes: StatusCause[] } } }>(
        suite.client.create(resource, object),
      );
      expect(isInvalid(error)).toBe(true);
      expect(sorted(error.status.details.causes)).toEqual(sorted(causes));
    },
  );

  test('the server and parse refuse a transition', async () => {
    const metadata = { namespace, name: 'shrinks' };
    const old = await suite.client.create(resource, { metadata, spec });
    const object = { ...old, spec: { ...spec, limit: 8 } };
    const causes = causesOf(() => parse(object, { old }));
    const error = await errorOf<{ status: { details: { causes: StatusCause[] } } }>(
      suite.client.update(resource, object),
    );
    expect(sorted(error.status.details.causes)).toEqual(sorted(causes));
  });
});

describe('a kind with several versions', () => {
  const names = { group: uniqueGroup(), kind: 'Gadget', plural: 'gadgets' };
  const size = { type: 'object', properties: { size: { type: 'integer' } } } as const;
  const versions = { v1: { spec: size }, v1beta1: { deprecated: 'use v1', spec: size } } as const;

  test('the server accepts the definition with a webhook', async () => {
    const same = ({ spec }: { spec: { size?: number } }) => ({ spec });
    const { crd } = defineKind({
      ...names,
      versions,
      convert: {
        hub: 'v1',
        from: { v1beta1: same },
        to: { v1beta1: same },
        webhook: { service: { namespace: 'shop', name: 'converter', port: 443 } },
      },
    });
    const dryRun = await suite.client.create(builtin.CustomResourceDefinition, crd, {
      dryRun: true,
    });
    expect(compareCrds(crd, dryRun)).toEqual([]);
  });

  test('the server converts as convert does', async () => {
    const namespace = await suite.namespace();
    const kind = defineKind({ ...names, versions, convert: { hub: 'v1', strategy: 'None' } });
    await suite.install(kind.crd);
    const metadata = { namespace, name: 'one' };
    const created = await suite.client.create(kind.resource, { metadata, spec: { size: 1 } });
    const read = await suite.client.get(kind.versions.v1beta1.resource, metadata);
    const { managedFields: _, ...kept } = read.metadata;
    expect(kind.convert(created, 'v1beta1')).toMatchObject({ ...read, metadata: kept });
  });
});

/** kube-apiserver validates the members of an object in random order. */
function sorted(causes: readonly StatusCause[]): readonly StatusCause[] {
  return causes.toSorted((one, other) => textOf(one).localeCompare(textOf(other)));
}

function textOf({ field = '', message = '' }: StatusCause): string {
  return `${field} ${message}`;
}

function causesOf(call: () => unknown): readonly StatusCause[] {
  try {
    call();
  } catch (error) {
    if (error instanceof InvalidObjectError) return error.causes;
    throw error;
  }
  throw new Error('the object is valid');
}
