/**
 * Measures throughput, memory and punctuality of the queue, and prints one JSON line per case. Each
 * case checks the number of operations that it measured. `--quick` runs fewer rounds, `--only NAME`
 * one case.
 */
import { parseArgs } from 'node:util';
import { WorkQueue, type WorkQueueObserver } from '@keelson/workqueue';

const { values } = parseArgs({ options: { quick: { type: 'boolean' }, only: { type: 'string' } } });
const rounds = values.quick === true ? 3 : 7;

/** Enables every feature: a name, an observer that counts, a cause with each add. */
class Counting implements WorkQueueObserver {
  adds = 0;
  depth = 0;
  queuedMs = 0;
  heldMs = 0;
  added(): void {
    this.adds += 1;
  }
  depthChanged(_priority: number, change: number): void {
    this.depth += change;
  }
  taken(_priority: number, queuedMs: number): void {
    this.queuedMs += queuedMs;
  }
  finished(heldMs: number): void {
    this.heldMs += heldMs;
  }
}

function observedQueue(): { queue: WorkQueue<string, string>; counts: Counting } {
  const counts = new Counting();
  return { queue: new WorkQueue({ name: 'bench', observer: counts }), counts };
}

const cause = { cause: 'bench' };

function keys(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `namespace-${index % 100}/name-${index}`);
}

function expectCount(what: string, actual: number, expected: number): void {
  if (actual !== expected) throw new Error(`${what}: ${actual} instead of ${expected}`);
}

/** Adds, takes and finishes items while `queued` others are ready: items per second. */
function cycle(queued: number, total: number): number {
  const { queue, counts } = observedQueue();
  const items = keys(queued + 1000);
  for (const item of items.slice(0, queued)) queue.add(item, cause);
  const start = performance.now();
  for (let count = 0; count < total; count += 1) {
    queue.add(items[(queued + count) % items.length] as string, cause);
    queue.done(queue.take()?.item as string);
  }
  const seconds = (performance.now() - start) / 1000;
  expectCount('adds', counts.adds, queued + total);
  expectCount('depth', counts.depth, queued);
  void queue.shutDown();
  return total / seconds;
}

/** Adds items that are queued already: adds per second. */
function collapse(total: number): number {
  const { queue, counts } = observedQueue();
  const items = keys(1000);
  for (const item of items) queue.add(item, cause);
  const start = performance.now();
  for (let count = 0; count < total; count += 1) queue.add(items[count % 1000] as string, cause);
  const seconds = (performance.now() - start) / 1000;
  expectCount('adds', counts.adds, 1000);
  void queue.shutDown();
  return total / seconds;
}

/** Calls `get` in an await loop, with all items queued before: items per second. */
async function awaited(total: number): Promise<number> {
  const { queue, counts } = observedQueue();
  for (const item of keys(total)) queue.add(item);
  const start = performance.now();
  for (let count = 0; count < total; count += 1) queue.done((await queue.get())?.item as string);
  const seconds = (performance.now() - start) / 1000;
  expectCount('depth', counts.depth, 0);
  return total / seconds;
}

/** Measures the bytes that a waiting item uses beyond its own string. */
async function delayedBytes(total: number): Promise<number> {
  const items = keys(total);
  const { queue } = observedQueue();
  const before = await used();
  for (const [index, item] of items.entries()) queue.add(item, { after: 60_000 + index });
  const bytes = ((await used()) - before) / total;
  expectCount('waiting', queue.waiting, total);
  void queue.shutDown();
  return bytes;
}

async function used(): Promise<number> {
  const collect = globalThis.gc;
  if (collect === undefined) throw new Error('run with --expose-gc');
  for (let round = 0; round < 3; round += 1) {
    collect();
    // The memory of typed arrays is freed only after the collection that finds them.
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** Measures how late items are that are due within one second: the 99th percentile in ms. */
async function lateness(total: number): Promise<number> {
  const { queue } = observedQueue();
  const late: number[] = [];
  const due = new Map<string, number>();
  const all = Promise.withResolvers<void>();
  queue.onAvailable(() => {
    for (let work = queue.take(); work !== undefined; work = queue.take()) {
      late.push(performance.now() - (due.get(work.item) ?? NaN));
      queue.done(work.item);
    }
    if (late.length === total) all.resolve();
  });
  const start = performance.now() + 500 + total / 1000;
  for (const [index, item] of keys(total).entries()) {
    const at = start + ((index * 7919) % 1000);
    due.set(item, at);
    queue.add(item, { after: at - performance.now() });
  }
  await all.promise;
  expectCount('early', late.filter((ms) => ms < 0).length, 0);
  return late.toSorted((one, other) => one - other)[Math.floor(total * 0.99)] as number;
}

const cases: Record<string, { unit: string; measure: () => number | Promise<number> }> = {
  'queue.cycle': { unit: 'items/s', measure: () => cycle(1000, 1_000_000) },
  'queue.cycle.100000': { unit: 'items/s', measure: () => cycle(100_000, 1_000_000) },
  'queue.cycle.1000000': { unit: 'items/s', measure: () => cycle(1_000_000, 1_000_000) },
  'queue.collapse': { unit: 'adds/s', measure: () => collapse(3_000_000) },
  'queue.await': { unit: 'items/s', measure: () => awaited(500_000) },
  'queue.delayed.bytes': { unit: 'bytes', measure: () => delayedBytes(1_000_000) },
  'queue.delayed.late.p99': { unit: 'ms', measure: () => lateness(100_000) },
};

for (const [name, { unit, measure }] of Object.entries(cases)) {
  if (values.only !== undefined && values.only !== name) continue;
  const figures: number[] = [];
  for (let round = 0; round < rounds; round += 1) figures.push(await measure());
  figures.sort((one, other) => one - other);
  const rounded = figures.map((figure) => Math.round(figure * 100) / 100);
  const median = rounded[rounds >> 1];
  console.log(
    JSON.stringify({
      case: name,
      unit,
      median,
      min: rounded[0],
      max: rounded.at(-1),
      runs: rounds,
    }),
  );
}
