import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { fieldIndex, labelIndex } from './selector-index.ts';
import { defineIndex, isSameIndexer, type Indexer } from '../contract/indexer.ts';
import { withCode } from '../testing/harness.test-support.ts';
import { eventually, Thing } from '../testing/scripted-source.test-support.ts';
import {
  acquired,
  cacheOf,
  names,
  SelectingServer,
  thingOf,
  threeThings,
  x,
} from '../testing/selecting-source.test-support.ts';

const indexers = [labelIndex(Thing, 'app'), fieldIndex(Thing, 'spec.node')];

/** An index of the user without any object, under the name of a selector index. */
function impostor(name: string): Indexer<Thing> {
  return defineIndex(Thing, name, () => []);
}

/** A server with many things in two namespaces. */
function manyThings(): SelectingServer {
  const things = Array.from({ length: 60 }, (_, at) => {
    const labels = [{}, x, { app: 'y' }, { app: 'y', tier: 'web' }][at % 4];
    const options = { version: at + 1, node: `n${at % 3}`, ...(labels ? { labels } : {}) };
    return thingOf(at % 5 === 0 ? 'other' : 'default', `t${at}`, options);
  });
  return new SelectingServer(things);
}

test('two indexes of selectors are the same if they have the same name', () => {
  expect(isSameIndexer(labelIndex(Thing, 'app'), labelIndex(Thing, 'app'))).toBe(true);
  expect(isSameIndexer(labelIndex(Thing, 'app'), labelIndex(Thing, 'tier'))).toBe(false);
});

describe('a selector', () => {
  test('parses and compares only the objects that an index finds', async () => {
    await using cache = cacheOf(manyThings());
    const reads: string[] = [];
    const handle = await acquired(cache, {});
    const scanned = handle.store.views();
    for (const view of scanned) {
      const { metadata } = view;
      Object.defineProperty(view, 'metadata', { get: () => (reads.push(view.name), metadata) });
    }
    cache.list(Thing, { labelSelector: 'app=x', projection: 'metadata' });
    expect(new Set(reads).size).toBe(60);
    await handle.addIndexer(labelIndex(Thing, 'app')).built;
    reads.length = 0;
    expect(handle.store.views({ labelSelector: 'app=x' })).toHaveLength(15);
    expect(new Set(reads).size).toBe(15);
  });

  test('finds what a scan finds, whatever its requirements', async () => {
    await using indexed = cacheOf(manyThings());
    await using plain = cacheOf(manyThings());
    const namespaced = indexed.scope();
    await acquired(indexed, { indexers });
    await acquired(namespaced, { namespace: 'default', indexers });
    await acquired(plain);
    const label = fc.constantFrom('app=x', 'app in (x,y)', 'app!=x', 'app', '!app', 'tier=web');
    const field = fc.constantFrom(
      'spec.node=n1',
      'spec.node!=n1',
      'spec.node=',
      'metadata.name=t7',
    );
    const options = fc.record(
      {
        labelSelector: fc.array(label, { maxLength: 3 }).map((all) => all.join()),
        fieldSelector: fc.array(field, { maxLength: 2 }).map((all) => all.join()),
        namespace: fc.constantFrom('default', 'other', ''),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(options, (selected) => {
        expect(names(indexed.list(Thing, selected))).toEqual(names(plain.list(Thing, selected)));
        const inDefault = { ...selected, namespace: 'default' };
        const expected = names(plain.list(Thing, inDefault));
        expect(names(namespaced.list(Thing, inDefault))).toEqual(expected);
      }),
    );
  });

  test('follows the changes of an indexed object', async () => {
    const server = threeThings();
    await using cache = cacheOf(server);
    const { store } = await acquired(cache, { indexers });
    const moved = thingOf('other', 'c', { labels: { app: 'z' }, version: 101, node: 'n9' });
    server.send(() => true, 'MODIFIED', moved);
    await eventually(() => store.resourceVersion === '101');
    expect(names(cache.list(Thing, { labelSelector: 'app=x' }))).toEqual(['a']);
    expect(names(cache.list(Thing, { labelSelector: 'app=z' }))).toEqual(['c']);
    expect(names(cache.list(Thing, { fieldSelector: 'spec.node=n9' }))).toEqual(['c']);
    expect(names(cache.by(labelIndex(Thing, 'app'), 'z'))).toEqual(['c']);
  });

  test('uses no index for a field that the server evaluated', async () => {
    const server = threeThings();
    await using cache = cacheOf(server);
    const { store } = await acquired(cache, { fieldSelector: 'spec.node=n1', indexers });
    // The server may evaluate a field in another way: its object counts as selected.
    const other = thingOf('default', 'a', { version: 101, node: 'N1' });
    server.send(() => true, 'MODIFIED', other);
    await eventually(() => store.resourceVersion === '101');
    expect(names(cache.list(Thing, { fieldSelector: 'spec.node=n1' }))).toEqual(['a', 'b']);
  });

  test('ignores an index of the user under the same name', async () => {
    await using cache = cacheOf(threeThings());
    await acquired(cache, { indexers: [impostor('label:app'), impostor('field:spec.node')] });
    expect(names(cache.list(Thing, { labelSelector: 'app=x' }))).toEqual(['a', 'c']);
    expect(names(cache.list(Thing, { fieldSelector: 'spec.node=n1' }))).toEqual(['a', 'b']);
    const conflict = (): unknown => cache.by(labelIndex(Thing, 'app'), 'x');
    expect(conflict).toThrow(withCode('INDEXER_CONFLICT'));
  });

  test('uses an index that two handles made apart', async () => {
    await using cache = cacheOf(threeThings());
    await acquired(cache, { indexers: [labelIndex(Thing, 'app')] });
    await acquired(cache, { indexers: [labelIndex(Thing, 'app')] });
    expect(cache.inventory()[0]?.indices).toHaveLength(1);
  });

  test.each([
    [() => labelIndex(Thing, ''), 'labelIndex.key'],
    [() => fieldIndex(Thing, undefined as never), 'fieldIndex.path'],
    [() => labelIndex(undefined as never, 'app'), 'resource'],
  ])('refuses %s', (make, named) => {
    expect(make).toThrow(withCode('INVALID_OPTION'));
    expect(make).toThrow(named);
  });
});
