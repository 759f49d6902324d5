/**
 * Measures the cost of own writes for a cache of 10 000 objects: of reporting a response, of the event that ends it, and
 * of reads without and with own writes. Prints one JSON line per case, in microseconds per operation:
 * `node --conditions=@keelson/source packages/informer/bench/own-writes.ts`.
 */
import assert from 'node:assert/strict';
import {
  defineResource,
  jsonFormat,
  type Frame,
  type FrameBatch,
  type KubernetesObject,
  type WatchEventType,
} from '@keelson/apimachinery';
import { createInformerCache, type ListerWatcher } from '@keelson/informer';

const OBJECTS = 10_000;
const WRITES = 5_000;

const Thing = defineResource({
  group: 'example.com',
  version: 'v1',
  kind: 'Thing',
  plural: 'things',
});

interface Item extends KubernetesObject {
  spec: { readonly filler: string };
}

function itemAt(n: number, version: number): Item {
  const labels = { app: `app-${n % 100}`, tier: 'web' };
  const resourceVersion = String(version);
  const metadata = { name: `thing-${n}`, namespace: 'n', uid: `uid-${n}`, labels, resourceVersion };
  return {
    apiVersion: 'example.com/v1',
    kind: 'Thing',
    metadata,
    spec: { filler: 'x'.repeat(1_000) },
  };
}

function frameOf(type: WatchEventType, object: object): Frame {
  const buffer = Buffer.from(JSON.stringify(object));
  return { type, format: jsonFormat, buffer, from: 0, to: buffer.length };
}

/** Sends the initial objects, then the frames that the bench pushes. */
class Source implements ListerWatcher {
  readonly #batches: Frame[][] = [];
  #wake: () => void = () => undefined;

  push(frames: Frame[]): void {
    this.#batches.push(frames);
    this.#wake();
  }

  list(): never {
    throw new Error('a WatchList is expected');
  }

  async *watch({ signal }: { readonly signal: AbortSignal }): AsyncGenerator<FrameBatch> {
    const annotations = { 'k8s.io/initial-events-end': 'true' };
    const metadata = { resourceVersion: String(OBJECTS), annotations };
    const frames = Array.from({ length: OBJECTS }, (_, n) => frameOf('ADDED', itemAt(n, n + 1)));
    yield { frames: [...frames, frameOf('BOOKMARK', { kind: 'Thing', metadata })], receivedAt: 0 };
    signal.addEventListener('abort', () => this.#wake());
    while (!signal.aborted) {
      const batch = this.#batches.shift();
      if (batch === undefined) await new Promise<void>((resolve) => (this.#wake = resolve));
      else yield { frames: batch, receivedAt: 0 };
    }
  }
}

function print(name: string, operations: number, startedAt: number): void {
  const microseconds = ((performance.now() - startedAt) * 1_000) / operations;
  console.log(JSON.stringify({ case: name, microseconds: Number(microseconds.toFixed(3)) }));
}

function measure(name: string, operations: number, run: (n: number) => unknown): void {
  for (let n = 0; n < operations / 5; n += 1) run(n);
  const startedAt = performance.now();
  for (let n = 0; n < operations; n += 1) run(n);
  print(name, operations, startedAt);
}

const source = new Source();
const cache = createInformerCache({ listerWatcher: () => source });
const handle = cache.acquire({ resource: Thing }, { owner: 'bench' });
await handle.synced;
const nameOf = (n: number) => ({ namespace: 'n', name: `thing-${n % OBJECTS}` });
const ownWrites = (): number | undefined => cache.inventory()[0]?.ownWrites;

const reads = (suffix: string): void => {
  measure(`has, ${suffix}`, 1_000_000, (n) => handle.store.has(nameOf(n)));
  measure(`list of 10 000 without parsing, ${suffix}`, 100, () => handle.store.views().length);
};

reads('no own write');
const responses = Array.from({ length: WRITES }, (_, n) => itemAt(n, OBJECTS + 1 + n));
let startedAt = performance.now();
for (const response of responses) JSON.stringify(response);
print('JSON.stringify of a response of 1.2 KB, for comparison', WRITES, startedAt);
startedAt = performance.now();
for (const response of responses) cache.written(Thing, response);
print('report of a write', WRITES, startedAt);
assert.equal(ownWrites(), WRITES);
reads(`${WRITES} own writes`);

const last = String(OBJECTS + WRITES);
const events = responses.map((response) => frameOf('MODIFIED', response));
startedAt = performance.now();
source.push(events);
while (handle.store.resourceVersion !== last) await new Promise((resolve) => setImmediate(resolve));
print('event that ends an own write', WRITES, startedAt);
assert.equal(ownWrites(), 0);
startedAt = performance.now();
for (const response of responses) cache.written(Thing, response);
print('report of a write that the watch has reached', WRITES, startedAt);
assert.equal(ownWrites(), 0);
const again = responses.map((_, n) => frameOf('MODIFIED', itemAt(n, OBJECTS + WRITES + 1 + n)));
startedAt = performance.now();
source.push(again);
const end = String(OBJECTS + 2 * WRITES);
while (handle.store.resourceVersion !== end) await new Promise((resolve) => setImmediate(resolve));
print('event without an own write', WRITES, startedAt);
await cache.close();
