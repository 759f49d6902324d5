import { afterEach, describe, expect, jest, test } from '@jest/globals';
import type { ObjectName } from '@keelson/apimachinery';
import * as fc from 'fast-check';
import type { Place } from '../contract/place.ts';
import type { ServingStore } from '../overlay/serving-store.ts';
import { isOlder } from '../reflector/resource-version.ts';
import { Store } from '../store/store.ts';
import type { StoredObject } from '../store/stored-object.ts';
import { Thing } from '../testing/scripted-source.test-support.ts';
import {
  acquired,
  cacheOf,
  SelectingServer,
  thingOf,
} from '../testing/selecting-source.test-support.ts';
import type { WatchQuery } from '../contract/watch-query.ts';
import { NewestVersions, StoresByPlace, type PlacedStore } from './newest-versions.ts';

afterEach(() => void jest.restoreAllMocks());

/** The share of the random runs: a tenth in `npm test`, all in `.ci/run`. */
const multiple = Number(process.env['KEELSON_RUNS'] ?? 1);

const namespaces = ['n1', 'n2', undefined];
const names = ['a', 'b', 'c'];

interface FakeStore extends PlacedStore {
  readonly objects: readonly StoredObject[];
}

function fakeStore(
  place: Place,
  transform: string | undefined,
  all: readonly StoredObject[],
): FakeStore {
  const objects = new Map(
    all
      .filter(
        ({ namespace, name }) =>
          (place.namespace ?? namespace) === namespace && (place.name ?? name) === name,
      )
      .map((object) => [object.key, object]),
  );
  const find = ({ namespace, name }: ObjectName): StoredObject | undefined =>
    objects.get(`${namespace}/${name}`);
  const store = { transform, find } as Partial<ServingStore> as ServingStore;
  return { place, store, objects: [...objects.values()] };
}

/** The objects that stores may have. Several stores may have the same one, or the same version in two forms. */
const pool = namespaces.flatMap((namespace) =>
  names.flatMap((name) =>
    ['1', '2', '2', 'opaque'].map(
      (resourceVersion) =>
        ({ namespace, name, key: `${namespace}/${name}`, resourceVersion }) as StoredObject,
    ),
  ),
);

/** The results of the transform: a store with it has no object of a store without it. */
const transformed = new Map(pool.map((object) => [object, Object.create(object) as StoredObject]));

const anyStore = fc
  .record({
    namespace: fc.constantFrom(...namespaces, undefined),
    name: fc.constantFrom('a', 'b', undefined, undefined),
    transform: fc.constantFrom(undefined, undefined, 't'),
    objects: fc.subarray(pool),
  })
  .map(({ namespace, name, transform, objects }) =>
    fakeStore(
      { namespace, name },
      transform,
      transform === undefined
        ? objects
        : objects.flatMap((object) => transformed.get(object) ?? []),
    ),
  );

/** The newest version, if every store is asked. */
function expected(stores: readonly FakeStore[], object: StoredObject): StoredObject | undefined {
  let found: { object: StoredObject; transform: string | undefined } | undefined;
  for (const { store } of stores) {
    const other = store.find(object);
    if (other === undefined) continue;
    const { transform } = store;
    const isNewer =
      found === undefined ||
      (transform === found.transform &&
        isOlder(found.object.resourceVersion, other.resourceVersion));
    if (isNewer) found = { object: other, transform };
  }
  return found?.object;
}

describe('the newest versions of a list', () => {
  test('are those that a search in all stores finds, in the first store that has them', () => {
    const check = (stores: readonly FakeStore[], merges: boolean): void => {
      const objectsOf = new Map(stores.map(({ store, objects }) => [store, objects]));
      const scan = (store: ServingStore): readonly StoredObject[] => objectsOf.get(store) ?? [];
      const versions = new NewestVersions(new StoresByPlace(stores), merges ? scan : undefined);
      for (const { store, objects } of stores) {
        for (const object of objects) {
          const first = stores.find((other) => other.store.find(object) === object);
          const isNewest = expected(stores, object) === object && first?.store === store;
          expect(versions.isNewest(object, store)).toBe(isNewest);
        }
      }
    };
    const property = fc.property(fc.array(anyStore, { maxLength: 12 }), fc.boolean(), check);
    fc.assert(property, { numRuns: 300 * multiple });
  });

  const queries: Readonly<Record<string, (n: number) => Partial<WatchQuery<Thing>>>> = {
    'with a namespace each': (n) => ({ namespace: `n${n}` }),
    'with a label each': (n) => ({ labelSelector: `app=${n}` }),
    'with a name each': (n) => ({ fieldSelector: `metadata.name=a${n}` }),
  };

  /** The lookups of one list of all objects, each of which is in one of as many watches. */
  async function lookupsOf(
    count: number,
    query: (n: number) => Partial<WatchQuery<Thing>>,
  ): Promise<number> {
    const things = Array.from({ length: count }, (_, n) =>
      thingOf(`n${n}`, `a${n}`, { labels: { app: `${n}` } }),
    );
    await using cache = cacheOf(new SelectingServer(things));
    const scope = cache.scope();
    await Promise.all(things.map((_, n) => acquired(scope, query(n))));
    const find = jest.spyOn(Store.prototype, 'find');
    expect(scope.list(Thing)).toHaveLength(count);
    expect(scope.list(Thing, { labelSelector: 'app=1' })).toHaveLength(1);
    const lookups = find.mock.calls.length;
    find.mockRestore();
    return lookups;
  }

  test.each(Object.entries(queries))(
    'of watches %s cost lookups in proportion to their number',
    async (_, query) => {
      expect(await lookupsOf(40, query)).toBeLessThan(5 * 40);
      expect(await lookupsOf(80, query)).toBeLessThan(5 * 80);
    },
  );
});
