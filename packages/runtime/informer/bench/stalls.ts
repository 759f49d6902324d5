/**
 * Measures how long work on a store of 100 000 objects blocks the event loop, at once and in total.
 * Prints one JSON line per case, in milliseconds: `node --conditions=@keelson/source
 * packages/runtime/informer/bench/stalls.ts`.
 */
import { defineResource, StatusError, type KubernetesObject } from '@keelson/apimachinery';
import { jsonFormat, type Frame, type FrameBatch } from '@keelson/wire';
import { createInformerCache, type ListerWatcher } from '@keelson/informer';

const OBJECTS = 100_000;

const Thing = defineResource({
  group: 'example.com',
  version: 'v1',
  kind: 'Thing',
  plural: 'things',
});

function frameOf(object: object): Frame {
  const buffer = Buffer.from(JSON.stringify(object));
  return { type: 'ADDED', format: jsonFormat, buffer, from: 0, to: buffer.length };
}

function thingAt(n: number): KubernetesObject & { spec: object } {
  const labels = { app: `app-${n % 100}`, tier: 'web' };
  const metadata = { name: `thing-${n}`, namespace: `ns-${n % 50}`, uid: `uid-${n}`, labels };
  const spec = { filler: 'x'.repeat(500) };
  return { kind: 'Thing', metadata: { ...metadata, resourceVersion: String(n + 1) }, spec };
}

async function* listed(): AsyncGenerator<FrameBatch> {
  for (let from = 0; from < OBJECTS; from += 100) {
    const frames = Array.from({ length: 100 }, (_, at) => frameOf(thingAt(from + at)));
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

/** Measures the longest time between two turns of the event loop while the work runs. */
async function measure(name: string, work: () => Promise<unknown>): Promise<void> {
  let longest = 0;
  let isDone = false;
  const started = performance.now();
  let last = started;
  const turn = (): void => {
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
    if (!isDone) setImmediate(turn);
  };
  setImmediate(turn);
  await work();
  const total = performance.now() - started;
  isDone = true;
  await new Promise((resolve) => setImmediate(resolve));
  const [stall, whole] = [longest, total].map((value) => Number(value.toFixed(1)));
  console.log(JSON.stringify({ case: name, unit: 'ms', longestStall: stall, total: whole }));
}

const cache = createInformerCache({ listerWatcher: () => source });
const handle = cache.acquire({ resource: Thing }, { owner: 'bench' });
await handle.synced;
const byApp = {
  name: 'app',
  head: ({ metadata }: { metadata: { labels?: Readonly<Record<string, string>> } }) => [
    metadata.labels?.['app'] ?? '',
  ],
};
const byFiller = { name: 'filler', body: (object: object) => [String(Object.keys(object).length)] };
const labelSelector = 'app=app-7';
await measure('addIndexer.head', () => handle.addIndexer(byApp).built);
await measure('addIndexer.body', () => handle.addIndexer(byFiller).built);
await measure('replay', () => handle.addEventHandler(() => undefined).synced);
await measure('list.labels', async () => handle.store.list({ labelSelector }));
await measure('listAsync.labels', () => handle.store.listAsync({ labelSelector }));
await measure('listAsync', () => handle.store.listAsync());
await cache.close();
