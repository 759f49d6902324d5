import { setImmediate as endOfTurn } from 'node:timers/promises';
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
  test('sends the events of all changes of a turn at its end', async () => {
    const { store, calls } = hubOf(true);
    store.put({ metadata: { name: 'a' } });
    store.put({ metadata: { name: 'b' } });
    expect(calls).toEqual(['wake', 'wake']);
    await endOfTurn();
    expect(calls).toEqual(['wake', 'wake', 'flush']);
    store.put({ metadata: { name: 'c' } });
    await endOfTurn();
    expect(calls).toEqual(['wake', 'wake', 'flush', 'wake', 'flush']);
  });

  test('sends the waiting events at a call of `flush`', async () => {
    const { hub, store, calls } = hubOf(true);
    store.put({ metadata: { name: 'a' } });
    hub.flush();
    expect(calls).toEqual(['wake', 'flush']);
    await endOfTurn();
    expect(calls).toEqual(['wake', 'flush']);
  });

  test('sends the events of a change without a request at once', () => {
    const { store, calls } = hubOf(false);
    store.put({ metadata: { name: 'a' } });
    expect(calls).toEqual(['wake', 'flush']);
  });
});
