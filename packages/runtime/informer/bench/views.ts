/**
 * Compares ten narrow queries beside a wide one: as views of the wide watch, and with a watch each
 * (`sharing: 'exact'`). Prints one JSON line per case: bytes and requests on the wire, CPU time of
 * the sync and of each change, two lists, and the longest stall of a move: `node --conditions=@keelson/source
 * packages/runtime/informer/bench/views.ts`.
 */
import assert from 'node:assert/strict';
import { defineResource, matchesLabels, parseLabelSelector } from '@keelson/apimachinery';
import { jsonFormat, type Frame, type FrameBatch, type WatchEventType } from '@keelson/wire';
import {
  createInformerCache,
  type ListerWatcher,
  type NormalQuery,
  type Sharing,
} from '@keelson/informer';

const OBJECTS = 50_000;
const CHANGES = 50_000;
const QUERIES = 10;
const APPS = 20;

const Thing = defineResource({
  group: 'example.com',
  version: 'v1',
  kind: 'Thing',
  plural: 'things',
});

interface Item {
  readonly labels: Readonly<Record<string, string>>;
  readonly bytes: Buffer;
}

function itemOf(n: number, version: number): Item {
  const labels = { app: `app-${n % APPS}`, tier: 'web' };
  const name = `thing-${n}`;
  const metadata = { name, namespace: `ns-${n % 50}`, uid: `uid-${n}`, labels };
  const spec = { filler: 'x'.repeat(500) };
  const resourceVersion = String(version);
  const object = { kind: 'Thing', metadata: { ...metadata, resourceVersion }, spec };
  return { labels, bytes: Buffer.from(JSON.stringify(object)) };
}

/** A server that sends the initial objects, then changes when the bench asks for them. */
class Server {
  bytes = 0;
  requests = 0;
  readonly #items = Array.from({ length: OBJECTS }, (_, n) => itemOf(n, n + 1));
  readonly #streams = new Set<(item: Item) => void>();

  readonly listerWatcher = (query: NormalQuery): ListerWatcher => ({
    list: () => {
      throw new Error('a WatchList is expected');
    },
    watch: ({ signal }) => this.#watch(query, signal),
  });

  change(n: number): void {
    const item = itemOf(n % OBJECTS, OBJECTS + n + 1);
    for (const send of this.#streams) send(item);
  }

  async *#watch(
    { labelSelector = '' }: NormalQuery,
    signal: AbortSignal,
  ): AsyncGenerator<FrameBatch> {
    this.requests++;
    const requirements = parseLabelSelector(labelSelector);
    const isSelected = ({ labels }: Item): boolean => matchesLabels(requirements, labels);
    const selected = this.#items.filter(isSelected);
    for (let from = 0; from < selected.length; from += 100) {
      yield this.#batch('ADDED', selected.slice(from, from + 100));
    }
    const annotations = { 'k8s.io/initial-events-end': 'true' };
    const bookmark = { kind: 'Thing', metadata: { resourceVersion: String(OBJECTS), annotations } };
    const bytes = Buffer.from(JSON.stringify(bookmark));
    let pending: Item[] = [];
    let waiting = Promise.withResolvers<void>();
    const send = (item: Item): void => {
      if (!isSelected(item)) return;
      pending.push(item);
      waiting.resolve();
    };
    this.#streams.add(send);
    yield this.#batch('BOOKMARK', [{ labels: {}, bytes }]);
    signal.addEventListener('abort', () => waiting.resolve());
    while (!signal.aborted) {
      const items = pending;
      pending = [];
      if (items.length > 0) yield this.#batch('MODIFIED', items);
      else {
        await waiting.promise;
        waiting = Promise.withResolvers();
      }
    }
    this.#streams.delete(send);
  }

  #batch(type: WatchEventType, items: readonly Item[]): FrameBatch {
    const frames = items.map(({ bytes }): Frame => {
      this.bytes += bytes.length;
      return { type, format: jsonFormat, buffer: bytes, from: 0, to: bytes.length };
    });
    return { frames, receivedAt: performance.now() };
  }
}

/** Returns the CPU milliseconds and the longest stall of the event loop during some work. */
async function measured(work: () => Promise<unknown>): Promise<{ cpu: number; stall: number }> {
  let stall = 0;
  let isDone = false;
  let last = performance.now();
  const turn = (): void => {
    stall = Math.max(stall, performance.now() - last);
    last = performance.now();
    if (!isDone) setImmediate(turn);
  };
  setImmediate(turn);
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  isDone = true;
  return { cpu: (user + system) / 1_000, stall };
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve));
}

async function run(sharing: Sharing): Promise<void> {
  const server = new Server();
  await using cache = createInformerCache({ listerWatcher: server.listerWatcher, linger: 0 });
  let events = 0;
  const wide = cache.acquire({ resource: Thing }, { owner: 'wide' });
  await wide.synced;
  let last = wide;
  const [bytesOfWide, requestsOfWide] = [server.bytes, server.requests];
  const sync = await measured(async () => {
    for (let n = 0; n < QUERIES; n++) {
      const query = { resource: Thing, labelSelector: `app=app-${n}`, sharing };
      const handle = cache.acquire(query, { owner: 'narrow' });
      await handle.addEventHandler(() => events++).synced;
      last = handle;
    }
  });
  assert.equal(events, (OBJECTS / APPS) * QUERIES);
  const bytesOfSync = server.bytes - bytesOfWide;
  const live = await measured(async () => {
    for (let n = 0; n < CHANGES; n++) {
      server.change(n);
      if (n % 500 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    await until(() => events === (OBJECTS / APPS) * QUERIES * 2);
  });
  const bytesOfChanges = server.bytes - bytesOfWide - bytesOfSync;
  const listed = (): number => {
    const started = performance.now();
    assert.equal(last.store.views().length, OBJECTS / APPS);
    return Number((performance.now() - started).toFixed(2));
  };
  const firstListMs = listed();
  // The first list of a view starts an index, which is built in slices.
  for (let turn = 0; turn < 500; turn++) await new Promise((resolve) => setImmediate(resolve));
  const facts = {
    requests: server.requests - requestsOfWide,
    syncBytes: bytesOfSync,
    syncCpuMs: Math.round(sync.cpu),
    changeBytes: bytesOfChanges,
    changeCpuUs: Number(((live.cpu * 1_000) / CHANGES).toFixed(2)),
    firstListMs,
    nextListMs: listed(),
    stored: cache.inventory().reduce((sum, { bytes }) => sum + bytes, 0),
  };
  console.log(JSON.stringify({ case: `views.${sharing}`, queries: QUERIES, ...facts }));
}

/** Measures a move of one handler with all objects, to a wider watch and back. */
async function move(): Promise<void> {
  const server = new Server();
  await using cache = createInformerCache({ listerWatcher: server.listerWatcher, linger: 0 });
  let events = 0;
  const narrow = cache.acquire({ resource: Thing, labelSelector: 'app' }, { owner: 'narrow' });
  await narrow.addEventHandler(() => events++).synced;
  const wide = cache.acquire({ resource: Thing }, { owner: 'wide' });
  await wide.synced;
  const { cpu, stall } = await measured(async () => {
    await until(() => narrow.identity === wide.identity);
    for (let turn = 0; turn < 500; turn++) await new Promise((resolve) => setImmediate(resolve));
  });
  assert.equal(events, OBJECTS);
  const [cpuMs, longestStallMs] = [cpu, stall].map((value) => Number(value.toFixed(1)));
  console.log(JSON.stringify({ case: 'views.move', objects: OBJECTS, cpuMs, longestStallMs }));
}

await run('exact');
await run('views');
await run('exact');
await run('views');
await move();
