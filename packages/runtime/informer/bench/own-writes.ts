/**
 * Measures the cost of own writes for a cache of 10 000 objects: of reporting a response, of the event that ends it, and
 * of reads without and with own writes. Prints one JSON line per case, in microseconds per operation:
 * `node --conditions=@keelson/source packages/runtime/informer/bench/own-writes.ts`.
 */
import assert from 'node:assert/strict';
import { defineResource } from '@keelson/apimachinery';
import { createInformerCache } from '@keelson/informer';
import { frameOf, itemAt, PushedSource } from './pushed-source.ts';

const OBJECTS = 10_000;
const WRITES = 5_000;

const Thing = defineResource({
  group: 'example.com',
  version: 'v1',
  kind: 'Thing',
  plural: 'things',
});

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

const source = new PushedSource(OBJECTS);
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
