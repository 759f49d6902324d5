import { describe, expect, test } from '@jest/globals';
import { jsonFormat } from '@keelson/apimachinery';
import { collectGarbage } from './collect-garbage.test-support.ts';
import { Slab } from './slab.ts';
import { pooledSize, SlabPool } from './slab-pool.ts';

/** Gives up slabs that nobody refers to, and tells whose memory that is. */
function giveUp(pool: SlabPool, count: number, size: number = pooledSize): Set<ArrayBufferLike> {
  const memories = Array.from({ length: count }, () => pool.take(size));
  for (const memory of memories) pool.giveUp(new Slab(jsonFormat, memory));
  return new Set(memories.map((memory) => memory.buffer));
}

describe('the memory of slabs', () => {
  test('is used again once a slab that was given up has been collected', async () => {
    const pool = new SlabPool();
    const memories = giveUp(pool, 3);
    await collectGarbage(() => pool.free > 0);
    while (pool.free > 0) expect(memories).toContain(pool.take(pooledSize).buffer);
    expect(memories).not.toContain(pool.take(pooledSize).buffer);
  });

  test('is not used again while somebody refers to the slab', async () => {
    const pool = new SlabPool();
    const held = new Slab(jsonFormat, pool.take(pooledSize));
    pool.giveUp(held);
    giveUp(pool, 3);
    await collectGarbage(() => pool.free > 0);
    while (pool.free > 0) expect(pool.take(pooledSize).buffer).not.toBe(held.buffer.buffer);
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
