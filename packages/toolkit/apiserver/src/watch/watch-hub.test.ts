import { describe, expect, test } from '@jest/globals';
import type { ServedResource } from '../resources/served-resource.ts';
import type { ResourceStore } from '../storage/resource-store.ts';
import { Storage } from '../storage/storage.ts';
import { WatchHub } from './watch-hub.ts';
import type { WatchStream } from './watch-stream.ts';

/** A hub with a watch of a store, and the calls of its stream. */
function hubOf(defers: boolean): { hub: WatchHub; store: ResourceStore; calls: string[] } {
  const storage = new Storage({ changes: 100, bytes: 1e6 });
  const store = storage.createStore({ group: '', plural: 'maps' }, () => ({}));
  const hub = new WatchHub(storage, { defers: () => defers });
  const calls: string[] = [];
  const stream = {
    start: () => {},
    wake: () => void calls.push('wake'),
    flush: () => void calls.push('flush'),
  } as unknown as WatchStream;
  hub.open({ resource: { store } as ServedResource, info: {} as never, stream });
  return { hub, store, calls };
}

describe('WatchHub', () => {
  test('sends the events of all changes of a turn at its end, and a response after them', async () => {
    const { hub, store, calls } = hubOf(true);
    store.put({ metadata: { name: 'a' } });
    store.put({ metadata: { name: 'b' } });
    for (const flushed of [hub.flushed(), hub.flushed()]) {
      void flushed?.then(() => calls.push('response'));
    }
    await hub.flushed();
    expect(calls).toEqual(['wake', 'wake', 'flush', 'response', 'response']);
    expect(hub.flushed()).toBeUndefined();
  });

  test('sends the events of a change without a request at once', () => {
    const { hub, store, calls } = hubOf(false);
    store.put({ metadata: { name: 'a' } });
    expect(calls).toEqual(['wake', 'flush']);
    expect(hub.flushed()).toBeUndefined();
  });

  test('makes no response wait without a watch of the changed resource', () => {
    const storage = new Storage({ changes: 100, bytes: 1e6 });
    const hub = new WatchHub(storage, { defers: () => true });
    storage.createStore({ group: '', plural: 'maps' }, () => ({})).put({ metadata: { name: 'a' } });
    expect(hub.flushed()).toBeUndefined();
  });
});
