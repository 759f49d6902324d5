import { setImmediate, setTimeout } from 'node:timers/promises';
import { WorkQueue } from '@keelson/workqueue';
import type { Job } from '../servers/protocol.ts';
import { BareQueue } from './bare-queue.ts';
import { QueueMetrics } from './queue-metrics.ts';

interface Item {
  readonly key: string;
  readonly namespace: string;
}

/** A queue with every feature: keys, causes, ageing, a group for each namespace, and metrics. */
function measuredQueue(): { queue: WorkQueue<Item, string>; metrics: QueueMetrics } {
  const metrics = new QueueMetrics();
  const queue = new WorkQueue<Item, string>({
    name: 'measured',
    keyOf: ({ key }) => key,
    groups: { groupOf: ({ namespace }) => namespace },
    observer: metrics,
  });
  return { queue, metrics };
}

/** The queue of the least code for these cases. */
function bareQueue(): { queue: BareQueue<Item>; metrics: QueueMetrics } {
  const metrics = new QueueMetrics();
  return { queue: new BareQueue(({ key }) => key, metrics), metrics };
}

/** Makes the queue of a contender. */
type QueueMaker = () => {
  readonly queue: {
    readonly length: number;
    add(item: Item, options: { readonly cause: string }): void;
    take(): { readonly item: Item } | undefined;
    done(item: Item): void;
  };
  readonly metrics: QueueMetrics;
};

function itemsOf(count: number): Item[] {
  return Array.from({ length: count }, (_, index) => {
    const namespace = `namespace-${String(index % 100)}`;
    return { key: `${namespace}/name-${String(index)}`, namespace };
  });
}

/** Adds, takes and finishes items while `queued` others are ready. */
function cycleOf(queueOf: QueueMaker): Job {
  return ({ options }) => {
    const [queued, total] = [Number(options['queued']), Number(options['total'])];
    const items = itemsOf(queued + 1000);
    const { queue, metrics } = queueOf();
    const cause = { cause: 'measured' };
    for (const item of items.slice(0, queued)) queue.add(item, cause);
    const start = performance.now();
    for (let count = 0; count < total; count++) {
      queue.add(items[(queued + count) % items.length] as Item, cause);
      const work = queue.take();
      if (work === undefined) throw new Error(`nothing to take after ${String(count)} items`);
      queue.done(work.item);
    }
    const seconds = (performance.now() - start) / 1000;
    // Groups hand out items in another order than their adds, so that a few adds collapse.
    const left = metrics.adds - total;
    if (queue.length !== left) throw new Error(`${String(queue.length)} left of ${String(left)}`);
    return Promise.resolve({ perSecond: total / seconds });
  };
}

export const cycleMeasured: Job = cycleOf(measuredQueue);
export const cycleBare: Job = cycleOf(bareQueue);

/** Fills a new queue with items that are ready, then takes and finishes all of them, until `total` items are done. */
function fillOf(queueOf: QueueMaker): Job {
  return ({ options }) => {
    const [queued, total] = [Number(options['queued']), Number(options['total'])];
    const items = itemsOf(queued);
    const cause = { cause: 'measured' };
    const start = performance.now();
    let done = 0;
    while (done < total) {
      const { queue } = queueOf();
      for (const item of items) queue.add(item, cause);
      for (let work = queue.take(); work !== undefined; work = queue.take()) {
        queue.done(work.item);
        done++;
      }
    }
    const seconds = (performance.now() - start) / 1000;
    if (done % queued !== 0)
      throw new Error(`${String(done)} items are not ${String(queued)} each`);
    return Promise.resolve({ perSecond: done / seconds });
  };
}

export const fillAndDrain: Job = fillOf(measuredQueue);
export const fillAndDrainBare: Job = fillOf(bareQueue);

/**
 * Adds of 1 000 items to a queue with `queued` others while `workers` workers hold each item for 1 ms: the case of
 * kubernetes-sigs/controller-runtime#3415. The times are those of the 1 000 adds.
 */
export const contendedAdds: Job = async ({ options }) => {
  const [queued, workers] = [Number(options['queued']), Number(options['workers'])];
  const rounds = Number(options['total']);
  const items = itemsOf(queued);
  const { queue } = measuredQueue();
  for (const item of items) queue.add(item);
  let taken = 0;
  const work = async (): Promise<void> => {
    for (let held = await queue.get(); held !== undefined; held = await queue.get()) {
      taken++;
      await setTimeout(1);
      queue.done(held.item);
    }
  };
  const running = Array.from({ length: workers }, work);
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const start = performance.now();
    for (const item of items.slice(0, 1000)) queue.add(item);
    times.push((performance.now() - start) * 1000);
    await setImmediate();
  }
  if (taken < workers) throw new Error(`${String(workers)} workers took ${String(taken)} items`);
  await queue.shutDown();
  await Promise.all(running);
  times.sort((one, other) => one - other);
  const at = (quantile: number): number => times[Math.floor(rounds * quantile)] as number;
  return { p50: at(0.5), p99: at(0.99) };
};

/** Measures how late items are that are due within one second: the 99th percentile in ms. */
export const lateness: Job = async ({ options }) => {
  const total = Number(options['total']);
  const { queue } = measuredQueue();
  const late: number[] = [];
  const due = new Map<string, number>();
  const all = Promise.withResolvers<void>();
  queue.onAvailable(() => {
    for (let work = queue.take(); work !== undefined; work = queue.take()) {
      late.push(performance.now() - (due.get(work.item.key) ?? NaN));
      queue.done(work.item);
    }
    if (late.length === total) all.resolve();
  });
  const start = performance.now() + 500 + total * 0.004;
  for (const [index, item] of itemsOf(total).entries()) {
    const at = start + ((index * 7919) % 1000);
    due.set(item.key, at);
    queue.add(item, { after: at - performance.now() });
  }
  await all.promise;
  if (late.some((ms) => ms < 0)) throw new Error('an item was handed out early');
  return { p99: late.toSorted((one, other) => one - other)[Math.floor(total * 0.99)] as number };
};
