/**
 * Measures how the cost of a cache grows with its handles and its kinds: the processor time of an event with 1 to 100
 * handles on one kind, and the memory and time of 1 to 500 kinds of 20 objects. Without a network. Prints one JSON line
 * per case: `node --expose-gc --conditions=@keelson/source packages/runtime/informer/bench/growth.ts`.
 */
import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import { defineResource } from '@keelson/apimachinery';
import { createInformerCache } from '@keelson/informer';
import { frameOf, itemAt, PushedSource } from './pushed-source.ts';

const OBJECTS = 1_000;
const EVENTS = 20_000;
const ROUNDS = 5;

function resourceAt(n: number): ReturnType<typeof defineResource> {
  return defineResource({
    group: 'example.com',
    version: 'v1',
    kind: 'Thing',
    plural: `things${n}`,
  });
}

/** Microseconds of processor time of one event that this many handles receive; the best of some rounds. */
async function eventCost(handles: number): Promise<number> {
  const source = new PushedSource(OBJECTS);
  const cache = createInformerCache({ listerWatcher: () => source });
  const count = { received: 0 };
  const onEvent = (): void => void (count.received += 1);
  const reached = (expected: number): boolean => count.received >= expected;
  for (let n = 0; n < handles; n += 1) {
    const handle = cache.acquire({ resource: resourceAt(0) }, { owner: `owner-${n}` });
    handle.addEventHandler(onEvent);
  }
  await cache.waitForSync();
  while (!reached(handles * OBJECTS)) await turn();
  let version = OBJECTS;
  let best = Infinity;
  for (let round = 0; round < ROUNDS; round += 1) {
    const frames = Array.from({ length: EVENTS }, (_, n) =>
      frameOf('MODIFIED', itemAt(n % OBJECTS, ++version)),
    );
    const expected = count.received + handles * EVENTS;
    const before = process.cpuUsage();
    source.push(frames);
    while (!reached(expected)) await turn();
    const { user, system } = process.cpuUsage(before);
    best = Math.min(best, (user + system) / EVENTS);
  }
  await cache.close();
  return Number(best.toFixed(2));
}

/** Bytes in the heap and outside of it. The memory of closed caches is free after some turns. */
async function bytesInUse(): Promise<number> {
  for (let n = 0; n < 10; n += 1) {
    globalThis.gc?.();
    await turn();
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** The heap and external memory of this many kinds, in KB for each, and the milliseconds until all have synced. */
async function kindCost(kinds: number): Promise<{ kilobytesPerKind: number; syncedAfter: number }> {
  const before = await bytesInUse();
  const startedAt = performance.now();
  const cache = createInformerCache({ listerWatcher: () => new PushedSource(20) });
  for (let n = 0; n < kinds; n += 1) cache.acquire({ resource: resourceAt(n) }, { owner: 'bench' });
  await cache.waitForSync();
  const syncedAfter = Number((performance.now() - startedAt).toFixed(1));
  assert.equal(cache.inventory().length, kinds);
  const bytes = (await bytesInUse()) - before;
  await cache.close();
  return { kilobytesPerKind: Number((bytes / kinds / 1024).toFixed(1)), syncedAfter };
}

for (const handles of [1, 10, 100]) {
  console.log(
    JSON.stringify({ case: 'event', handles, cpuMicroseconds: await eventCost(handles) }),
  );
}
// The first cache compiles the code and loads what all share.
await kindCost(10);
for (const kinds of [1, 10, 100, 500]) {
  console.log(JSON.stringify({ case: 'kinds', kinds, ...(await kindCost(kinds)) }));
}
