import { createClient } from '@keelson/client';
import {
  createInformerCache,
  type Indexer,
  type Retention,
  type WatchHandle,
} from '@keelson/informer';
import { cpuSeconds, peakMegabytes, retainedBytes } from '../../processes/process-cost.ts';
import { Stalls } from '../../processes/stalls.ts';
import { customKind, type Thing } from '../../servers/custom-kind.ts';
import type { Job } from '../../servers/protocol.ts';

const MEGABYTE = 1024 * 1024;
const LOOK_MS = 250;
/** A label with one of sixteen values. */
const PART_OF = 'app.kubernetes.io/part-of';
/** A store compresses an object when it has not changed for a second. */
const EQUAL_LOOKS = 8;

/** Measures a cache of many custom resources: the time, processor time and memory to synced, and the cost of an event. */
export const objects: Job = async ({ options, server, ask }) => {
  const [count, events] = [Number(options['objects']), Number(options['events'])];
  await import('undici');
  const client = createClient({ cluster: { server: server.url } });
  const cache = createInformerCache({ listerWatcher: (query) => client.listerWatcher(query) });
  const bytesBefore = await retainedBytes();
  const stalls = new Stalls();
  const cpuBefore = cpuSeconds();
  const start = performance.now();
  let delivered = 0;
  let expected = count;
  const finished = Promise.withResolvers<void>();
  const retain = options['retain'] as Retention;
  const handle = cache.acquire({ resource: customKind(0), retain }, { owner: 'bench' });
  for (let n = 0; n < Number(options['indexes'] ?? 0); n++) handle.addIndexer(indexerOf(n));
  const registration = handle.addEventHandler(() => {
    if (++delivered === expected) finished.resolve();
  });
  await registration.synced;
  const ms = performance.now() - start;
  const longestStall = stalls.stop();
  for (let n = 0; n < Number(options['selectors'] ?? 0); n++) {
    const query = { resource: customKind(0), labelSelector: `${PART_OF}=shop-${n.toString(16)}` };
    await cache.acquire(query, { owner: `view-${n}` }).synced;
  }
  if (retain === 'compressed') await settled(handle);
  const cpu = cpuSeconds() - cpuBefore;
  if (delivered !== count || handle.store.size !== count) {
    throw new Error(`${handle.store.size} kept and ${delivered} delivered of ${count}`);
  }
  const peakRss = peakMegabytes();
  const bytes = (await retainedBytes()) - bytesBefore;
  const heap = process.memoryUsage().heapUsed / MEGABYTE;
  expected += events;
  const cpuBeforeEvents = cpuSeconds();
  await ask({ name: 'burst' });
  await finished.promise;
  const cpuPerEvent = ((cpuSeconds() - cpuBeforeEvents) * 1e6) / events;
  return {
    seconds: ms / 1000,
    cpu,
    cpuPerObject: (cpu * 1e6) / count,
    longestStall,
    peakRss,
    heap,
    bytesPerObject: bytes / count,
    cpuPerEvent,
  };
};

/** An index over a label of the objects. */
function indexerOf(n: number): Indexer<Thing> {
  return { name: `part-of-${n}`, head: ({ metadata }) => [`${n}-${metadata.labels?.[PART_OF]}`] };
}

/** Resolves when the store has compressed its last objects. */
async function settled({ store }: WatchHandle<Thing>): Promise<void> {
  for (let equal = 0, bytes = -1; equal < EQUAL_LOOKS;) {
    equal = store.bytes === bytes ? equal + 1 : 0;
    bytes = store.bytes;
    await new Promise((resolve) => {
      setTimeout(resolve, LOOK_MS);
    });
  }
}
