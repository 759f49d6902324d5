import { WorkQueue } from '@keelson/workqueue';
import { retainedBytes } from '../processes/process-cost.ts';
import type { Job } from '../servers/protocol.ts';
import { requestKeys } from './request-keys.ts';

/** Adds, takes and finishes distinct items while `queued` others wait. */
export const cycle: Job = ({ options }) => {
  const [queued, total] = [Number(options['queued']), Number(options['total'])];
  const items = requestKeys(queued + 1000);
  const queue = new WorkQueue<string>();
  for (const item of items.slice(0, queued)) queue.add(item);
  const start = performance.now();
  for (let i = 0; i < total; i++) {
    queue.add(items[(queued + i) % items.length] as string);
    const work = queue.take();
    if (work === undefined) throw new Error(`nothing to take after ${String(i)} items`);
    queue.done(work.item);
  }
  const seconds = (performance.now() - start) / 1000;
  if (queue.length !== queued) throw new Error(`${String(queue.length)} left of ${String(queued)}`);
  return Promise.resolve({ perSecond: total / seconds });
};

/** Adds of items that are queued already. */
export const collapse: Job = ({ options }) => {
  const total = Number(options['total']);
  const items = requestKeys(1000);
  const queue = new WorkQueue<string>();
  const start = performance.now();
  for (let i = 0; i < total; i++) queue.add(items[i % items.length] as string);
  const seconds = (performance.now() - start) / 1000;
  if (queue.length !== items.length) throw new Error(`${String(queue.length)} entries`);
  return Promise.resolve({ perSecond: total / seconds });
};

/** Measures the memory of a waiting item without its key. */
export const delayed: Job = async ({ options }) => {
  const total = Number(options['total']);
  const items = requestKeys(total);
  const before = await retainedBytes();
  const queue = new WorkQueue<string>();
  for (const [index, item] of items.entries()) queue.add(item, { after: 60_000 + index });
  const bytes = (await retainedBytes()) - before;
  if (queue.waiting !== total) throw new Error(`${String(queue.waiting)} wait of ${String(total)}`);
  return { bytes: bytes / total };
};
