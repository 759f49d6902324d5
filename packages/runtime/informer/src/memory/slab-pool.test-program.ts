// Prints the bytes that a pool can reuse after another pool was garbage-collected while its finalizers waited to run.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { jsonFormat } from '@keelson/wire';
import { POOLED_SLAB_BYTES, Slab, SlabPool } from './slab-pool.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function giveUp(pool: SlabPool): void {
  const plain = { format: jsonFormat, compression: undefined, isHeadOnly: false };
  const slab = new Slab(plain, pool.take(POOLED_SLAB_BYTES));
  slab.bounds.push(1, 2);
  slab.retire({ slab, slot: 0 });
  pool.giveUp(slab);
}

const held: { pool?: SlabPool } = { pool: new SlabPool() };
if (held.pool !== undefined) giveUp(held.pool);
await turn();
collect();
delete held.pool;
collect();
await turn();
const pool = new SlabPool();
giveUp(pool);
for (let n = 0; n < 50 && pool.free === 0; n++) {
  await turn();
  collect();
  await turn();
}
process.stdout.write(String(pool.free));
