import { describe, expect, test } from '@jest/globals';
import type { KubernetesObject, OwnerReference } from '@keelson/apimachinery';
import { ownerIndexer } from '../indexes/owner-index.ts';
import { Harness, withCode } from '../testing/harness.test-support.ts';
import { bytesFrame, eventually, Thing } from '../testing/scripted-source.test-support.ts';
import {
  acquired,
  cacheOf,
  names,
  SelectingServer,
  thingOf,
} from '../testing/selecting-source.test-support.ts';

const owner = {
  apiVersion: 'apps.example.com/v1',
  kind: 'Owner',
  metadata: { namespace: 'default', name: 'o', uid: 'u1' },
};
const clusterOwner = { ...owner, metadata: { name: 'o', uid: 'u1' } };
const indexers = [ownerIndexer<Thing>()];

const reference: OwnerReference = {
  apiVersion: 'apps.example.com/v1',
  kind: 'Owner',
  name: 'o',
  uid: 'u1',
  controller: true,
};

function child(name: string, other: Partial<OwnerReference> = {}, namespace = 'default'): Thing {
  const thing = thingOf(namespace, name);
  const ownerReferences = [
    { ...reference, uid: 'other', controller: false },
    { ...reference, ...other },
  ];
  return { ...thing, metadata: { ...thing.metadata, ownerReferences } };
}

function serverOf(...things: Thing[]): SelectingServer {
  return new SelectingServer([thingOf('default', 'orphan'), ...things]);
}

describe('owned', () => {
  test('returns the children by the controller reference: its uid, kind and group', async () => {
    const server = serverOf(
      child('mine'),
      child('old-version', { apiVersion: 'apps.example.com/v1beta1' }),
      child('other-uid', { uid: 'u2' }),
      child('other-kind', { kind: 'Other' }),
      child('other-group', { apiVersion: 'v1' }),
      child('not-controlled', { controller: false }),
    );
    await using cache = cacheOf(server);
    await acquired(cache, { indexers });
    expect(names(cache.owned(Thing, owner))).toEqual(['mine', 'old-version']);
    expect(cache.owned(Thing, owner)[0]?.spec).toEqual({ node: 'n1' });
    expect(cache.owned(Thing, { ...owner, metadata: { ...owner.metadata, uid: 'u3' } })).toEqual(
      [],
    );
  });

  test('returns objects with any reference to the owner on request', async () => {
    await using cache = cacheOf(serverOf(child('mine'), child('shared', { controller: false })));
    await acquired(cache, { indexers: [ownerIndexer<Thing>('any')] });
    expect(names(cache.owned(Thing, owner, { owners: 'any' }))).toEqual(['mine', 'shared']);
    expect(names(cache.owned(Thing, owner))).toEqual(['mine']);
  });

  test('reads the namespace of the owner, and all namespaces for a cluster-scoped owner', async () => {
    const server = serverOf(child('near'), child('far', {}, 'other'));
    await using cache = cacheOf(server);
    const scope = cache.scope();
    await acquired(scope, { namespace: 'default', indexers });
    expect(names(scope.owned(Thing, owner))).toEqual(['near']);
    expect(names(cache.owned(Thing, owner))).toEqual(['near']);
    expect(() => cache.owned(Thing, clusterOwner)).toThrow(withCode('NOT_WATCHED'));
    await acquired(scope, { indexers });
    expect(names(scope.owned(Thing, clusterOwner))).toEqual(['far', 'near']);
    expect(names(scope.owned(Thing, clusterOwner, { namespace: 'other' }))).toEqual(['far']);
  });

  test('finds the same children in a watch without the index', async () => {
    await using cache = cacheOf(serverOf(child('mine'), child('other', { uid: 'u2' })));
    await acquired(cache);
    expect(names(cache.owned(Thing, owner))).toEqual(['mine']);
    expect(names(cache.owned(Thing, owner, { owners: 'any' }))).toEqual(['mine']);
  });

  test('sees only the objects of a view, before and after the watch changes', async () => {
    const labelled = child('labelled');
    const server = serverOf(child('plain'), {
      ...labelled,
      metadata: { ...labelled.metadata, labels: { app: 'x' } },
    });
    await using cache = cacheOf(server);
    const scope = cache.scope();
    const narrow = await acquired(scope, { labelSelector: 'app=x', indexers });
    expect(names(scope.owned(Thing, owner))).toEqual(['labelled']);
    const wide = await acquired(cache);
    await eventually(() => narrow.identity === wide.identity);
    expect(names(scope.owned(Thing, owner))).toEqual(['labelled']);
    expect(names(cache.owned(Thing, owner))).toEqual(['labelled', 'plain']);
  });

  test('parses no body for the index and for a read of the metadata', async () => {
    await using harness = new Harness({ linger: 0 });
    const { source, cache } = harness;
    source.set('first');
    source.set('mine', { metadata: { ownerReferences: [reference] } });
    // A check of the first object of a response parses it. The other body does not parse.
    source.toFrame = (type, object) => {
      const { metadata } = object as KubernetesObject;
      const text = JSON.stringify(object);
      const isMine = metadata?.name === 'mine';
      const body = isMine ? `${text.slice(0, -1)},"spec":{"value":x}}` : text;
      const buffer = Buffer.from(body);
      return { ...bytesFrame(type, object), buffer, from: 0, to: buffer.length };
    };
    await harness.synced({ indexers });
    const projection = 'metadata';
    expect(names(cache.owned(Thing, owner, { projection }))).toEqual(['mine']);
    expect(harness.observer.of('skipped')).toEqual([]);
    expect(cache.owned(Thing, owner)).toEqual([]);
    expect(harness.observer.of('skipped')).toEqual(['skipped malformed']);
  });

  test.each([
    [undefined, 'INVALID_OPTION'],
    [{ kind: 'Owner', metadata: owner.metadata }, 'INVALID_OWNER'],
    [{ ...owner, kind: '' }, 'INVALID_OWNER'],
    [{ ...owner, metadata: { name: 'o' } }, 'INVALID_OWNER'],
  ])('refuses the owner %j', async (given, code) => {
    await using cache = cacheOf(serverOf());
    await acquired(cache);
    expect(() => cache.owned(Thing, given as never)).toThrow(withCode(code));
  });

  test.each([[{ owners: 'all' }], [{ index: { name: 'a', value: '' } }], [{ limit: 0 }], [null]])(
    'refuses the options %j',
    async (options) => {
      await using cache = cacheOf(serverOf());
      await acquired(cache);
      const read = (): unknown => cache.owned(Thing, owner, options as never);
      expect(read).toThrow(withCode('INVALID_OPTION'));
    },
  );
});
