import { hasCode, isControlledBy } from '@keelson/apimachinery';
import type { DeepReadonly, KubernetesObject, Persisted } from '@keelson/apimachinery';
import type { CacheReader } from '../cache/cache-reader.ts';
import { ownerIndexer } from '../indexes/owner-index.ts';
import { defineIndex, type Index, type Indexer } from '../contract/indexer.ts';
import type { Projection } from '../contract/watch-query.ts';
import { Thing } from './scripted-source.test-support.ts';

type Found = DeepReadonly<Persisted<Thing>>;

const head = ({ metadata }: Pick<Found, 'metadata'>): string[] =>
  Object.entries(metadata.labels ?? {}).flat();
const body = ({ spec, metadata }: Found): string[] => [String(spec?.value), metadata.uid];

const byLabels = defineIndex(Thing, 'labels', { head });
const byValue = defineIndex(Thing, 'value', body);

/** Returns the indexers whose indexes `indexFaults` reads. */
export function checkedIndexers(projection: Projection = 'full'): readonly Indexer<Thing>[] {
  return [byLabels, ownerIndexer(), ...(projection === 'full' ? [byValue] : [])];
}

/** The owner of the Things that have `ownerReference` as their controller reference. */
export const checkedOwner: KubernetesObject = {
  apiVersion: 'example.com/v1',
  kind: 'Owner',
  metadata: { name: 'o', uid: 'owner' },
};

/**
 * Compares each index with a scan of the same objects. Returns the lookups that find other objects.
 */
export function indexFaults(cache: CacheReader, projected: Projection = 'full'): string[] {
  try {
    const all = cache.list(Thing, { projection: 'metadata' }) as Found[];
    const mine = all.filter((object) => isControlledBy(object, checkedOwner));
    const projection = 'metadata';
    return [
      ...faultsOf(byLabels, cache, all, head),
      ...(projected === 'full' ? faultsOf(byValue, cache, cache.list(Thing), body) : []),
      ...differences('owned', cache.owned(Thing, checkedOwner, { projection }), mine),
    ];
  } catch (error) {
    if (hasCode(error, 'NOT_SYNCED')) return [];
    throw error;
  }
}

function faultsOf(
  index: Index<Thing>,
  cache: CacheReader,
  all: readonly Found[],
  valuesOf: (object: Found) => readonly string[],
): string[] {
  const values = new Set(all.flatMap(valuesOf));
  const listed = cache.indexValues(index);
  const isEqual = values.size === listed.length && listed.every((value) => values.has(value));
  return [
    ...(isEqual
      ? []
      : [`values of ${index.name}: ${listed.join()} instead of ${[...values].join()}`]),
    ...[...values].flatMap((value) => {
      const expected = all.filter((object) => valuesOf(object).includes(value));
      const found = cache.by(index, value, { projection: 'metadata' });
      return differences(`${index.name} ${value}`, found, expected);
    }),
  ];
}

function differences(
  lookup: string,
  found: readonly DeepReadonly<Persisted>[],
  expected: readonly DeepReadonly<Persisted>[],
): string[] {
  const [is, should] = [keys(found), keys(expected)];
  return is === should ? [] : [`${lookup}: ${is} instead of ${should}`];
}

function keys(objects: readonly DeepReadonly<Persisted>[]): string {
  return objects
    .map(
      ({ metadata: { namespace, name, resourceVersion } }) =>
        `${namespace}/${name}@${resourceVersion}`,
    )
    .toSorted()
    .join();
}
