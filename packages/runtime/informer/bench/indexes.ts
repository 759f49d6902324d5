/**
 * Measures what an index of 100 000 objects costs: the CPU time of a sync, the heap, and a lookup beside a scan. Prints one
 * JSON line per case: `node --expose-gc --conditions=@keelson/source packages/runtime/informer/bench/indexes.ts`.
 */
import { defineResource, StatusError, type KubernetesObject } from '@keelson/apimachinery';
import { jsonFormat, type Frame, type FrameBatch } from '@keelson/wire';
import {
  createInformerCache,
  defineIndex,
  ownerIndexer,
  type Indexer,
  type ListerWatcher,
} from '@keelson/informer';

const OBJECTS = 100_000;
const CHILDREN = 10;

interface Thing extends KubernetesObject {
  spec: { node: string; filler: string };
}

const Thing = defineResource<Thing>({
  group: 'example.com',
  version: 'v1',
  kind: 'Thing',
  plural: 'things',
});

const byNode = defineIndex(Thing, 'node', ({ spec }) => [spec.node]);

function ownerAt(n: number): KubernetesObject {
  const uid = `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
  return { apiVersion: 'apps/v1', kind: 'Owner', metadata: { name: `owner-${n}`, uid } };
}

function frameOf(n: number): Frame {
  const { apiVersion, kind, metadata: { name, uid } = {} } = ownerAt(Math.floor(n / CHILDREN));
  const ownerReferences = [{ apiVersion, kind, name, uid, controller: true }];
  const resourceVersion = String(n + 1);
  const object = {
    kind: 'Thing',
    metadata: { name: `thing-${n}`, uid: `uid-${n}`, resourceVersion, ownerReferences },
    spec: { node: `node-${n % 1_000}`, filler: 'x'.repeat(500) },
  };
  const buffer = Buffer.from(JSON.stringify(object));
  return { type: 'ADDED', format: jsonFormat, buffer, from: 0, to: buffer.length };
}

async function* listed(): AsyncGenerator<FrameBatch> {
  for (let from = 0; from < OBJECTS; from += 100) {
    const frames = Array.from({ length: 100 }, (_, at) => frameOf(from + at));
    yield { frames, receivedAt: performance.now() };
  }
  yield { frames: [], receivedAt: 0, listMetadata: { resourceVersion: String(OBJECTS) } };
}

const source: ListerWatcher = {
  list: () => listed(),
  async *watch({ signal, sendInitialEvents }) {
    if (sendInitialEvents === true)
      throw new StatusError({ kind: 'Status', code: 422, reason: 'Invalid' });
    yield { frames: [], receivedAt: performance.now() };
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
  },
};

function heap(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}

async function measure(name: string, indexers: readonly Indexer<Thing>[]): Promise<void> {
  await using cache = createInformerCache({ listerWatcher: () => source });
  const before = heap();
  const started = process.cpuUsage();
  const handle = cache.acquire({ resource: Thing, indexers }, { owner: 'bench' });
  await handle.synced;
  const syncCpuMs = Math.round(process.cpuUsage(started).user / 1_000);
  const heapBytesPerObject = Math.round((heap() - before) / OBJECTS);
  const owner = ownerAt(7);
  const lookups = indexers.length > 0 ? 1_000 : 3;
  const read = (): number =>
    indexers.includes(byNode)
      ? cache.namesBy(byNode, 'node-7').length / 10
      : cache.owned(Thing, owner, { projection: 'metadata' }).length;
  if (read() !== CHILDREN) throw new Error('a lookup found other objects');
  const from = performance.now();
  for (let lookup = 0; lookup < lookups; lookup++) read();
  const readUs = Number((((performance.now() - from) / lookups) * 1_000).toFixed(1));
  console.log(
    JSON.stringify({ case: name, objects: OBJECTS, syncCpuMs, heapBytesPerObject, readUs }),
  );
}

await measure('warm up', []);
for (let round = 0; round < 3; round++) {
  await measure('no index', []);
  await measure('owner index', [ownerIndexer()]);
  await measure('index over the body', [byNode]);
}
