import { describe, expect, test } from '@jest/globals';
import type { Frame, FrameBatch } from '@keelson/wire';
import { Harness, namesIn, RecordingHandler } from '../testing/harness.test-support.ts';
import type { WatchRequest } from '../contract/lister-watcher.ts';
import {
  a,
  bytesFrame,
  eventually,
  OpenWatch,
  thing,
  type Script,
  type Thing,
} from '../testing/scripted-source.test-support.ts';
import { pass, stopTheClock } from '../testing/stopped-clock.test-support.ts';
import type { WatchHandle } from '../contract/watch-handle.ts';

const byNode = {
  name: 'node',
  body: ({ spec }: { spec?: { node?: string } }) => [spec?.node ?? ''],
};

function at(
  type: 'ADDED' | 'MODIFIED' | 'DELETED',
  name: string,
  resourceVersion: string,
  node: string,
): Frame {
  return bytesFrame(type, { ...thing(name, { resourceVersion }), spec: { node } });
}

function bookmark(resourceVersion: string): Frame {
  const annotations = { 'k8s.io/initial-events-end': 'true' };
  return bytesFrame('BOOKMARK', thing('', { resourceVersion, annotations }));
}

/** Sends these lines and stays open. It also sends later events of the source. */
function sends({ source }: Harness, ...frames: Frame[]): Script<WatchRequest> {
  return async function* ({ signal }): AsyncGenerator<FrameBatch> {
    const watch = new OpenWatch(signal);
    watch.push(frames);
    source.openWatches.add(watch);
    try {
      yield* watch.batches();
    } finally {
      source.openWatches.delete(watch);
    }
  };
}

/** Sends these lines, then breaks the connection. */
function breaksAfter(...frames: Frame[]): Script<WatchRequest> {
  return async function* (): AsyncGenerator<FrameBatch> {
    yield { frames, receivedAt: 0 };
    throw new Error('reset');
  };
}

async function syncedWith(
  harness: Harness,
  script: Script<WatchRequest>,
): Promise<WatchHandle<Thing>> {
  harness.source.watchScripts.push(script);
  const handle = harness.acquire({ indexers: [byNode] });
  await handle.synced;
  return handle;
}

/** The bytes of a store that received only these objects. */
async function bytesOf(...frames: Frame[]): Promise<number> {
  await using harness = new Harness();
  return (await syncedWith(harness, sends(harness, ...frames, bookmark('9')))).store.bytes;
}

function foundAt(handle: WatchHandle<Thing>, node: string): string[] {
  return handle.store.views({ index: { name: 'node', value: node } }).map(({ name }) => name);
}

const nodes = ['n1', 'n2', 'n3'];

describe('an initial state whose objects change before it ends', () => {
  stopTheClock();

  test('is indexed at its end, and uses only the memory of the remaining objects', async () => {
    await using harness = new Harness();
    const handle = await syncedWith(
      harness,
      sends(
        harness,
        at('ADDED', 'a', '1', 'n1'),
        at('ADDED', 'b', '2', 'n1'),
        at('ADDED', 'c', '3', 'n1'),
        at('MODIFIED', 'a', '4', 'n2'),
        at('DELETED', 'b', '5', 'n3'),
        at('DELETED', 'unseen', '6', 'n3'),
        bookmark('9'),
      ),
    );
    expect(namesIn(handle)).toEqual(['a', 'c']);
    expect(nodes.map((node) => foundAt(handle, node))).toEqual([['c'], ['a'], []]);
    expect(harness.cache.inventory()[0]).toMatchObject({
      objects: 2,
      indices: [{ name: 'node', values: 2 }],
    });
    expect(handle.store.bytes).toBe(
      await bytesOf(at('ADDED', 'a', '4', 'n2'), at('ADDED', 'c', '3', 'n1')),
    );
  });

  test('indexes a repeated object once', async () => {
    await using harness = new Harness();
    const handle = await syncedWith(
      harness,
      sends(harness, at('ADDED', 'a', '1', 'n1'), at('ADDED', 'a', '1', 'n1'), bookmark('9')),
    );
    expect(foundAt(handle, 'n1')).toEqual(['a']);
    expect(handle.store.bytes).toBe(await bytesOf(at('ADDED', 'a', '1', 'n1')));
  });

  test('a relist whose objects change before it ends replaces and deletes objects that the store has', async () => {
    await using harness = new Harness();
    const objects = ['a', 'b', 'c'].map((name, n) => at('ADDED', name, String(n + 1), 'n1'));
    const handle = await syncedWith(harness, sends(harness, ...objects, bookmark('3')));
    const recorded = new RecordingHandler(handle);
    await recorded.registration.synced;
    const kept = handle.store.view(a);
    harness.source.watchScripts.push(
      sends(
        harness,
        ...objects,
        at('MODIFIED', 'a', '4', 'n2'),
        at('DELETED', 'b', '5', 'n3'),
        bookmark('9'),
      ),
    );
    relist(harness);
    await eventually(() => handle.store.resourceVersion === '9');
    expect(recorded.lines.slice(3)).toEqual(['gone b', 'updated a']);
    expect(nodes.map((node) => foundAt(handle, node))).toEqual([['c'], ['a'], []]);
    expect(handle.store.bytes).toBe(
      await bytesOf(at('ADDED', 'a', '4', 'n2'), at('ADDED', 'c', '3', 'n1')),
    );
    expect(kept?.value().spec).toEqual({ node: 'n1' });
  });

  test('an index that is added while a relist arrives has only the objects of its result', async () => {
    await using harness = new Harness();
    const objects = ['a', 'b'].map((name, n) => at('ADDED', name, String(n + 1), 'n1'));
    const { source } = harness;
    source.watchScripts.push(sends(harness, ...objects, bookmark('3')));
    const handle = harness.acquire();
    await handle.synced;
    source.watchScripts.push(sends(harness, at('ADDED', 'a', '4', 'n2')));
    relist(harness);
    await eventually(() => source.requests.length === 2 && source.openWatches.size === 1);
    await pass(0);
    handle.addIndexer(byNode);
    expect(foundAt(handle, 'n1').toSorted()).toEqual(['a', 'b']);
    for (const watch of source.openWatches) watch.push([bookmark('9')]);
    await eventually(() => handle.store.resourceVersion === '9');
    expect(nodes.map((node) => foundAt(handle, node))).toEqual([[], ['a'], []]);
  });

  test('a relist that breaks before its end leaves objects, indexes and memory unchanged', async () => {
    await using harness = new Harness();
    const objects = ['a', 'b'].map((name, n) => at('ADDED', name, String(n + 1), 'n1'));
    const handle = await syncedWith(harness, sends(harness, ...objects, bookmark('3')));
    const { bytes } = handle.store;
    harness.source.watchScripts.push(
      breaksAfter(...objects, at('MODIFIED', 'a', '4', 'n2'), at('DELETED', 'b', '5', 'n3')),
      sends(harness),
    );
    const { requests, openWatches } = harness.source;
    relist(harness);
    await pass(0);
    await pass(2_000);
    expect(requests).toHaveLength(3);
    expect(foundAt(handle, 'n1')).toEqual(['a', 'b']);
    expect(handle.store.bytes).toBe(bytes);
    for (const watch of openWatches) watch.push([bookmark('9')]);
    await eventually(() => handle.store.resourceVersion === '9');
    expect(handle.store.bytes).toBe(0);
    expect(nodes.map((node) => foundAt(handle, node))).toEqual([[], [], []]);
  });
});

/** Expires the watch, so that the reflector relists. */
function relist(harness: Harness): void {
  harness.leap();
  harness.source.fail(410, 'Expired');
}
