import * as fc from 'fast-check';
import { mergeFragments } from './merge-fragments.ts';
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
];

/** The name of an object. */
export const nameOf: fc.Arbitrary<string> = fc.constantFrom(...objectNames);
const metadataOf = fc.oneof(
  { weight: 3, arbitrary: fc.constant<Fragment>({}) },
  { weight: 2, arbitrary: fc.constantFrom(...metadataParts) },
);

/** An object of a kind: its base, merged with up to two fragments. */
function bodyOf({ base, fragments }: SessionKind): fc.Arbitrary<Fragment> {
  return fc
    .array(fc.constantFrom(...fragments), { maxLength: 2 })
    .map((parts) => mergeFragments([base, ...parts]));
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
  const body = fc.constantFrom(...kind.fragments);
  const metadata = fc.constantFrom(...metadataParts).map((part) => ({ metadata: part }));
  return fc.oneof(
    { weight: 5, arbitrary: body },
    { weight: 2, arbitrary: metadata },
    { weight: 1, arbitrary: fc.tuple(body, metadata).map((parts) => mergeFragments(parts)) },
  );
}

/** Returns the members of a fragment, and their members, as JSON pointers with values. */
export function pointersOf(part: Fragment): [string, unknown][] {
  return Object.entries(part).flatMap(([name, value]): [string, unknown][] => {
    const own: [string, unknown] = [`/${name}`, value];
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return [own];
    const inner = Object.entries(value).map(([key, held]): [string, unknown] => {
      return [`/${name}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`, held];
    });
    return [own, ...inner];
  });
}
