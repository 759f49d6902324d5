import type { Format, HeadPositions } from '@keelson/apimachinery';
import { Slab, type Tenant } from './slab.ts';
import { pooledSize, type SlabPool } from './slab-pool.ts';

/** Slabs grow with the store, so that a small kind does not hold a large block. */
const smallestSlab = 16 * 1024;
const largestSlab = pooledSize;

/** An object this big gets a block of its own, so that it does not strand the rest of a slab. */
const ownSlab = largestSlab / 8;

/**
 * A slab is emptied once less than this share of it is live. Steady random updates then keep about
 * a third more than the live bytes allocated and copy each object once on average.
 */
const leastLive = 1 / 2;

/**
 * Where a store keeps the bytes of its objects. Written by appending only; space is won back by
 * moving what is left of a mostly dead slab to the end.
 */
export class Arena {
  /** The bytes of the objects that are still stored. */
  live = 0;
  /** The bytes of the slabs that hold them. */
  allocated = 0;
  readonly #pool: SlabPool;
  readonly #slabs = new Set<Slab>();
  #current: Slab | undefined;

  constructor(pool: SlabPool) {
    this.#pool = pool;
  }

  /** Copies an object's bytes (less what `positions` says to cut) and makes `tenant` live there. */
  write(
    tenant: Tenant,
    format: Format,
    buffer: Uint8Array,
    from: number,
    to: number,
    positions: HeadPositions,
  ): void {
    const room = format.cutLength(from, to, positions);
    const slab = this.#slabFor(format, room);
    const at = slab.used;
    const length = format.cut(buffer, from, to, positions, slab.buffer, at);
    this.#settle(tenant, slab, at, length);
  }

  /** The object is no longer stored; views of it keep working. */
  discard(tenant: Tenant): void {
    const slab = tenant.slab;
    if (slab === undefined || slab.tenants[tenant.slot] !== tenant) return;
    const length = slab.end(tenant.slot) - slab.start(tenant.slot);
    slab.retire(tenant);
    slab.live -= length;
    this.live -= length;
    if (slab.live === 0 || this.#isMostlyDead(slab)) this.#evacuate(slab);
  }

  /** Takes over what another arena holds, which must not be written to afterwards. */
  adopt(other: Arena): void {
    this.live += other.live;
    this.allocated += other.allocated;
    for (const slab of other.#slabs) this.#slabs.add(slab);
    if (other.#current !== undefined) this.#current = other.#current;
  }

  /** Nothing is stored any more: views of what was keep working. */
  abandon(): void {
    for (const slab of this.#slabs) this.#pool.abandon(slab);
    this.#slabs.clear();
    this.#current = undefined;
    this.live = 0;
    this.allocated = 0;
  }

  #isMostlyDead(slab: Slab): boolean {
    return slab !== this.#current && slab.live < slab.buffer.length * leastLive;
  }

  #evacuate(slab: Slab): void {
    if (slab === this.#current) {
      if (slab.live > 0) return;
      this.#current = undefined;
    }
    this.allocated -= slab.buffer.length;
    this.live -= slab.live;
    slab.live = 0;
    slab.tenants.forEach((tenant, slot) => {
      if (tenant !== undefined) this.#move(tenant, slab, slot);
    });
    slab.tenants.length = 0;
    this.#slabs.delete(slab);
    this.#pool.giveUp(slab);
  }

  #move(tenant: Tenant, from: Slab, slot: number): void {
    const start = from.start(slot);
    const length = from.end(slot) - start;
    const slab = this.#slabFor(from.format, length);
    const at = slab.used;
    from.buffer.copy(slab.buffer, at, start, start + length);
    this.#settle(tenant, slab, at, length);
  }

  #settle(tenant: Tenant, slab: Slab, at: number, length: number): void {
    tenant.slab = slab;
    tenant.slot = slab.ends.length;
    slab.tenants.push(tenant);
    slab.ends.push(at + length);
    slab.live += length;
    this.live += length;
  }

  #slabFor(format: Format, room: number): Slab {
    const current = this.#current;
    if (room >= ownSlab) return this.#allocate(format, room);
    if (current?.format === format && current.buffer.length - current.used >= room) return current;
    const size = Math.min(largestSlab, Math.max(smallestSlab, this.live / 4, room));
    const slab = this.#allocate(format, Math.ceil(size));
    this.#current = slab;
    return slab;
  }

  #allocate(format: Format, size: number): Slab {
    this.allocated += size;
    const slab = new Slab(format, this.#pool.take(size));
    this.#slabs.add(slab);
    return slab;
  }
}
