import type { WorkQueue } from '../index.ts';

/** Takes all available items. */
export function takeAll<Item>(queue: WorkQueue<Item>): Item[] {
  const items: Item[] = [];
  for (let work = queue.take(); work !== undefined; work = queue.take()) items.push(work.item);
  return items;
}

/** Takes and finishes all available items. */
export function runAll<Item>(queue: WorkQueue<Item>): Item[] {
  const items: Item[] = [];
  for (let work = queue.take(); work !== undefined; work = queue.take()) {
    items.push(work.item);
    queue.done(work.item);
  }
  return items;
}
