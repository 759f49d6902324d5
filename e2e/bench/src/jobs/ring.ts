import type { Job } from '../servers/protocol.ts';
import { requestKeys } from './request-keys.ts';

/**
 * The minimal queue that deduplicates and keeps the order: a ring and a set. It has no locks, delays or priorities.
 */
class Ring {
  readonly #slots: (string | undefined)[];
  readonly #queued = new Set<string>();
  #head = 0;
  #tail = 0;

  constructor(size: number) {
    this.#slots = Array.from({ length: size });
  }

  get length(): number {
    return this.#queued.size;
  }

  add(item: string): void {
    if (this.#queued.has(item)) return;
    this.#queued.add(item);
    this.#slots[this.#tail++ % this.#slots.length] = item;
  }

  take(): string | undefined {
    const item = this.#slots[this.#head++ % this.#slots.length];
    if (item !== undefined) this.#queued.delete(item);
    return item;
  }
}

export const cycle: Job = ({ options }) => {
  const [queued, total] = [Number(options['queued']), Number(options['total'])];
  const items = requestKeys(queued + 1000);
  const ring = new Ring(items.length);
  for (const item of items.slice(0, queued)) ring.add(item);
  const start = performance.now();
  for (let i = 0; i < total; i++) {
    ring.add(items[(queued + i) % items.length] as string);
    ring.take();
  }
  const seconds = (performance.now() - start) / 1000;
  if (ring.length !== queued) throw new Error(`${String(ring.length)} left of ${String(queued)}`);
  return Promise.resolve({ perSecond: total / seconds });
};

export const collapse: Job = ({ options }) => {
  const total = Number(options['total']);
  const items = requestKeys(1000);
  const ring = new Ring(items.length);
  const start = performance.now();
  for (let i = 0; i < total; i++) ring.add(items[i % items.length] as string);
  const seconds = (performance.now() - start) / 1000;
  if (ring.length !== items.length) throw new Error(`${String(ring.length)} entries`);
  return Promise.resolve({ perSecond: total / seconds });
};
