import * as fc from 'fast-check';
import { mergeFragments } from './merge-fragments.ts';
import { oddPartOf } from './odd-part.ts';
import type { Fragment, SessionKind } from './session-kind.ts';

/** Only two names, so that several steps change the same object. */
const objectNames = ['one', 'two'] as const;

/** Metadata of written objects, valid and invalid. */
export const metadataParts: readonly Fragment[] = [
  {},
  { labels: { team: 'a' } },
  { labels: { team: 'b', tier: 'x' } },
  { labels: { team: null } },
  { labels: { 'bad key!': 'x' } },
  { annotations: { note: 'x' } },
  { finalizers: ['example.com/own'] },
  { finalizers: null },
  { finalizers: ['unqualified'] },
  { generateName: 'g-' },
  { labels: {}, annotations: {} },
  { labels: null, annotations: null },
  { managedFields: [] },
  { managedFields: [{}] },
  { managedFields: null },
  { ownerReferences: [] },
  { ownerReferences: [{ apiVersion: 'v1', kind: 'Namespace', name: 'default' }] },
  { resourceVersion: '' },
  { uid: 'other' },
  { generation: 7 },
  { creationTimestamp: null },
  { deletionGracePeriodSeconds: 5 },
];

/** The name of an object. */
export const nameOf: fc.Arbitrary<string> = fc.constantFrom(...objectNames);
const metadataOf = fc.oneof(
  { weight: 3, arbitrary: fc.constant<Fragment>({}) },
  { weight: 2, arbitrary: fc.constantFrom(...metadataParts) },
);

/** A fragment of a kind, or a part of it with an odd value. */
function partOf(kind: SessionKind): fc.Arbitrary<Fragment> {
  return fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...kind.fragments) },
    { weight: 1, arbitrary: oddPartOf(kind) },
  );
}

/** An object of a kind: its base, merged with up to two parts. */
function bodyOf(kind: SessionKind): fc.Arbitrary<Fragment> {
  return fc
    .array(partOf(kind), { maxLength: 2 })
    .map((parts) => mergeFragments([kind.base, ...parts]));
}

/** A whole object of a kind, with its name. */
export function objectOf(kind: SessionKind): fc.Arbitrary<{ name: string; body: Fragment }> {
  return fc.tuple(nameOf, metadataOf, bodyOf(kind)).map(([name, metadata, body]) => ({
    name,
    body: {
      apiVersion: kind.apiVersion,
      kind: kind.kind,
      metadata: { name, ...metadata },
      ...body,
    },
  }));
}

/** A patch with a fragment of the body, of the metadata, or both. */
export function patchOf(kind: SessionKind): fc.Arbitrary<Fragment> {
  const body = partOf(kind);
  const metadata = fc.constantFrom(...metadataParts).map((part) => ({ metadata: part }));
  return fc.oneof(
    { weight: 5, arbitrary: body },
    { weight: 2, arbitrary: metadata },
    { weight: 1, arbitrary: fc.tuple(body, metadata).map((parts) => mergeFragments(parts)) },
  );
}

/** Returns the members of a fragment at every depth, and the items of its lists, as JSON pointers with values. */
export function pointersOf(part: unknown, before = ''): [string, unknown][] {
  if (typeof part !== 'object' || part === null) return [];
  return Object.entries(part).flatMap(([name, value]): [string, unknown][] => {
    const pointer = `${before}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    return [[pointer, value], ...pointersOf(value, pointer)];
  });
}
