import { describe, expect, test } from '@jest/globals';
import { jsonFormat } from '@keelson/apimachinery';
import { collectGarbage } from '../testing/collect-garbage.test-support.ts';
import { pooledSize, Slab, SlabPool, type Tenant } from './arena.ts';

/** Gives up slabs that nobody refers to, and tells whose memory that is. */
function giveUp(pool: SlabPool, count: number, size: number = pooledSize): Set<ArrayBufferLike> {
  const memories = Array.from({ length: count }, () => pool.take(size));
  for (const memory of memories) pool.giveUp(new Slab(jsonFormat, memory));
  return new Set(memories.map((memory) => memory.buffer));
}

/** A view of a large object, and one of which nothing is left. */
function largeView(pool: SlabPool): Tenant {
  const [view] = [1, 2].map(() => {
    const slab = new Slab(jsonFormat, pool.take(1_000_000));
    slab.ends.push(1_000_000);
    const tenant: Tenant = { slab, slot: 0 };
    slab.retire(tenant);
    pool.giveUp(slab);
    return tenant;
  });
  if (view === undefined) throw new Error('no view');
  return view;
}

describe('the memory of slabs', () => {
  test('is used again once a slab that was given up has been collected', async () => {
    const pool = new SlabPool();
    const memories = giveUp(pool, 3);
    await collectGarbage(() => pool.free > 0);
    while (pool.free > 0) expect(memories).toContain(pool.take(pooledSize).buffer);
    expect(memories).not.toContain(pool.take(pooledSize).buffer);
  });

  test('is used again although a view is kept, which reads bytes of its own', async () => {
    const pool = new SlabPool();
    const slab = new Slab(jsonFormat, pool.take(pooledSize));
    slab.buffer.fill('a', 0, 10).fill('b', 10, 30);
    slab.ends.push(10, 30);
    const view: Tenant = { slab, slot: 1 };
    slab.retire({ slab, slot: 0 });
    slab.retire(view);
    pool.giveUp(slab);
    expect(pool.pinned).toBe(pooledSize);
    await collectGarbage(() => pool.free > 0);
    expect(pool.pinned).toBe(20);
    pool.take(pooledSize).fill('x');
    const own = view.slab;
    expect(own?.buffer.toString('latin1', own.start(view.slot), own.end(view.slot))).toBe(
      'b'.repeat(20),
    );
  });

  test('of a store that is gone is used again although a view is kept', async () => {
    const pool = new SlabPool();
    const slab = new Slab(jsonFormat, pool.take(pooledSize));
    slab.buffer.fill('a', 0, 10).fill('b', 10, 30);
    slab.ends.push(10, 30);
    const view: Tenant = { slab, slot: 1 };
    slab.tenants.push({ slab, slot: 0 }, view);
    slab.retire({ slab, slot: 0 });
    pool.abandon(slab);
    await collectGarbage(() => pool.free > 0);
    expect(pool.pinned).toBe(20);
    const own = view.slab;
    expect(own?.buffer.toString('latin1', own.start(view.slot), own.end(view.slot))).toBe(
      'b'.repeat(20),
    );
  });

  test('of a single large object is kept by its view, without a copy', async () => {
    const pool = new SlabPool();
    const view = largeView(pool);
    const { slab } = view;
    expect(pool.pinned).toBe(2_000_000);
    await collectGarbage(() => pool.pinned < 2_000_000);
    expect(view.slab).toBe(slab);
    expect(pool.pinned).toBe(1_000_000);
  });

  test('is kept up to 16 MiB', async () => {
    const pool = new SlabPool();
    giveUp(pool, 80);
    await collectGarbage(() => pool.free >= 16 * 1024 * 1024);
    expect(pool.free).toBe(16 * 1024 * 1024);
  });

  test('of another size is left to the garbage collector', async () => {
    const pool = new SlabPool();
    const odd = giveUp(pool, 3, 1000);
    giveUp(pool, 3);
    await collectGarbage(() => pool.free > 0);
    const memory = pool.take(1000);
    expect(memory).toHaveLength(1000);
    expect(odd).not.toContain(memory.buffer);
    while (pool.free > 0) expect(pool.take(pooledSize)).toHaveLength(pooledSize);
  });
});
