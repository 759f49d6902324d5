import { describe, expect, test } from '@jest/globals';
import { jsonFormat } from '@keelson/wire';
import { collectGarbage } from '../testing/collect-garbage.test-support.ts';
import { POOLED_SLAB_BYTES, Slab, SlabPool, type Tenant } from './slab-pool.ts';
import type { Encoding } from './encoding.ts';

const MEBIBYTE = 1024 * 1024;

const plain: Encoding = { format: jsonFormat, compression: undefined, isHeadOnly: false };

/** Gives up slabs with former views that nothing else refers to, and returns their memory. */
function giveUp(
  pool: SlabPool,
  count: number,
  size: number = POOLED_SLAB_BYTES,
): Set<ArrayBufferLike> {
  const memories = Array.from({ length: count }, () => pool.take(size));
  for (const memory of memories) {
    const slab = new Slab(plain, memory);
    slab.bounds.push(1, 2);
    slab.retire({ slab, slot: 0 });
    pool.giveUp(slab);
  }
  return new Set(memories.map((memory) => memory.buffer));
}

/** A view of a large object; nothing else refers to it or to its slab. */
function largeView(pool: SlabPool): Tenant {
  const [view] = [1, 2].map(() => {
    const slab = new Slab(plain, pool.take(1_000_000));
    slab.bounds.push(1_000_000);
    const tenant: Tenant = { slab, slot: 0 };
    slab.retire(tenant);
    pool.giveUp(slab);
    return tenant;
  });
  if (view === undefined) throw new Error('no view');
  return view;
}

describe('the memory of slabs', () => {
  test('is reused after the garbage collection of a slab that was given up', async () => {
    const pool = new SlabPool();
    const memories = giveUp(pool, 3);
    await collectGarbage(() => pool.free > 0);
    while (pool.free > 0) expect(memories).toContain(pool.take(POOLED_SLAB_BYTES).buffer);
    expect(memories).not.toContain(pool.take(POOLED_SLAB_BYTES).buffer);
  });

  test('is reused at once if all objects have moved, so that no view can read it', () => {
    const pool = new SlabPool();
    const memory = pool.take(POOLED_SLAB_BYTES);
    pool.giveUp(new Slab(plain, memory));
    expect(pool.pinned).toBe(0);
    expect(pool.take(POOLED_SLAB_BYTES)).toBe(memory);
  });

  test('is reused although a view is kept; the view reads its own copy of the bytes', async () => {
    const pool = new SlabPool();
    const slab = new Slab(plain, pool.take(POOLED_SLAB_BYTES));
    slab.buffer.fill('a', 0, 10).fill('b', 10, 30);
    slab.bounds.push(10, 30);
    const view: Tenant = { slab, slot: 1 };
    slab.retire({ slab, slot: 0 });
    slab.retire(view);
    pool.giveUp(slab);
    expect(pool.pinned).toBe(POOLED_SLAB_BYTES);
    await collectGarbage(() => pool.free > 0);
    expect(pool.pinned).toBe(20);
    pool.take(POOLED_SLAB_BYTES).fill('x');
    const own = view.slab;
    expect(own?.bytes(view.slot).toString('latin1')).toBe('b'.repeat(20));
  });

  test('the memory of a removed store is reused although a view is kept', async () => {
    const pool = new SlabPool();
    const slab = new Slab(plain, pool.take(POOLED_SLAB_BYTES));
    slab.buffer.fill('a', 0, 10).fill('b', 10, 30);
    slab.bounds.push(10, 30);
    const view: Tenant = { slab, slot: 1 };
    slab.tenants.push({ slab, slot: 0 }, view);
    slab.retire({ slab, slot: 0 });
    pool.abandon(slab);
    await collectGarbage(() => pool.free > 0);
    expect(pool.pinned).toBe(20);
    const own = view.slab;
    expect(own?.bytes(view.slot).toString('latin1')).toBe('b'.repeat(20));
  });

  test('the memory of a single large object stays with its view, without a copy', async () => {
    const pool = new SlabPool();
    const view = largeView(pool);
    const { slab } = view;
    expect(pool.pinned).toBe(2_000_000);
    await collectGarbage(() => pool.pinned < 2_000_000);
    expect(view.slab).toBe(slab);
    expect(pool.pinned).toBe(1_000_000);
  });

  test('is kept for reuse as much as was taken since the garbage collection before, at most 64 MiB', async () => {
    const pool = new SlabPool();
    giveUp(pool, 80);
    await collectGarbage(() => pool.free >= 80 * POOLED_SLAB_BYTES);
    expect(pool.free).toBe(80 * POOLED_SLAB_BYTES);
    giveUp(pool, 300);
    await collectGarbage(() => pool.free >= 64 * MEBIBYTE);
    expect(pool.free).toBe(64 * MEBIBYTE);
  });

  test('is freed after a garbage collection without use of it, except 16 MiB', async () => {
    const pool = new SlabPool();
    giveUp(pool, 300);
    await collectGarbage(() => pool.free >= 64 * MEBIBYTE);
    await collectGarbage(() => pool.free <= 16 * MEBIBYTE);
    expect(pool.free).toBe(16 * MEBIBYTE);
    for (let n = 0; n < 64; n++) {
      expect(pool.take(POOLED_SLAB_BYTES)).toHaveLength(POOLED_SLAB_BYTES);
    }
  });

  test('is freed at once, without a garbage collection, if more comes back than is kept', () => {
    const pool = new SlabPool();
    const memories = Array.from({ length: 300 }, () => pool.take(POOLED_SLAB_BYTES));
    for (const memory of memories) pool.giveUp(new Slab(plain, memory));
    expect(pool.free).toBe(64 * MEBIBYTE);
    expect(memories.filter((memory) => memory.length === 0)).toHaveLength(300 - 256);
  });

  test('a slab of another size is left to the garbage collector', async () => {
    const pool = new SlabPool();
    const odd = giveUp(pool, 3, 1000);
    giveUp(pool, 3);
    await collectGarbage(() => pool.free > 0);
    const memory = pool.take(1000);
    expect(memory).toHaveLength(1000);
    expect(odd).not.toContain(memory.buffer);
    while (pool.free > 0) expect(pool.take(POOLED_SLAB_BYTES)).toHaveLength(POOLED_SLAB_BYTES);
  });
});
