import { describe, expect, test } from '@jest/globals';
import type { ResourceStore } from './resource-store.ts';
import { Storage } from './storage.ts';

function newStore(historyLimit = 100): { storage: Storage; store: ResourceStore } {
  const storage = new Storage({ changes: historyLimit, bytes: 1e6 });
  const store = storage.createStore({ group: '', plural: 'configmaps' }, () => ({}));
  return { storage, store };
}

function put(store: ResourceStore, name: string, value = ''): number {
  return store.put({ metadata: { name, namespace: 'n' }, data: { value } }).revision;
}

function contents(store: ResourceStore, revision?: number): string[] {
  const snapshot = store.snapshot(revision);
  return snapshot.keys.map((key) => {
    const data = snapshot.get(key)?.parse()['data'] as { value: string } | undefined;
    return `${key}=${data?.value}`;
  });
}

describe('ResourceStore', () => {
  test('gives each write the next revision across all resources', () => {
    const { storage, store } = newStore();
    const other = storage.createStore({ group: '', plural: 'secrets' }, () => ({}));
    const first = put(store, 'a');
    expect([put(other, 'a'), put(store, 'b')]).toEqual([first + 1, first + 2]);
    expect(store.get('n/b')?.metadata.resourceVersion).toBe(String(first + 2));
  });

  test('a snapshot of an earlier revision contains the objects of that revision', () => {
    const { store } = newStore();
    put(store, 'b', '1');
    const then = put(store, 'a', '1');
    put(store, 'a', '2');
    put(store, 'c', '1');
    const b = store.get('n/b');
    if (b !== undefined) store.remove(b);
    expect(contents(store, then)).toEqual(['n/a=1', 'n/b=1']);
    expect(contents(store)).toEqual(['n/a=2', 'n/c=1']);
  });

  test('every revision is readable until it is compacted', () => {
    const { storage, store } = newStore();
    const states = new Map<number, string[]>();
    for (let at = 0; at < 60; at++) {
      const name = `x${(at * 7) % 11}`;
      const stored = store.get(`n/${name}`);
      if (stored !== undefined && at % 3 === 0) store.remove(stored);
      else put(store, name, String(at));
      states.set(storage.revision, contents(store));
    }
    for (const [revision, state] of states) expect(contents(store, revision)).toEqual(state);
    storage.compact();
    expect(store.log.compacted).toBe(storage.revision);
  });

  test('a deleted object has the revision of its deletion', () => {
    const { storage, store } = newStore();
    put(store, 'a');
    const stored = store.get('n/a');
    if (stored === undefined) throw new Error('not stored');
    const removed = store.remove(stored);
    expect(removed.parse().metadata.resourceVersion).toBe(String(storage.revision));
    expect(store.log.at(store.log.end - 1)).toMatchObject({ type: 'DELETED', previous: stored });
  });

  test('drops changes beyond its limit and reports the compacted revision', () => {
    const { storage, store } = newStore(3);
    const revisions = Array.from({ length: 6 }, (_, at) => put(store, `x${at}`));
    expect(store.log.compacted).toBe(revisions[2]);
    expect(store.log.holds(store.log.positionAfter(revisions[1] ?? 0) - 1)).toBe(false);
    expect(store.log.at(store.log.positionAfter(revisions[2] ?? 0))?.revision).toBe(revisions[3]);
    expect(storage.revision).toBe(revisions[5]);
  });
});
