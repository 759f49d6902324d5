import type { Format, HeadPositions } from '@keelson/wire';
import type { Encoding } from './encoding.ts';
import {
  type Tenancy,
  POOLED_SLAB_BYTES,
  Slab,
  type SlabOwner,
  type SlabPool,
  type Tenant,
} from './slab-pool.ts';

/**
 * Sizes of slabs in bytes. Slabs grow with the store, so a small kind does not reserve a large
 * block.
 */
const MIN_SLAB_BYTES = 8 * 1024;
const MAX_SLAB_BYTES = POOLED_SLAB_BYTES;

/**
 * An object of at least this size in bytes gets its own block, so that it does not waste the rest
 * of a slab.
 */
const OWN_SLAB_BYTES = MAX_SLAB_BYTES / 8;

/**
 * A slab is evacuated when less than this fraction of it is live, or after the next garbage collection if user code may
 * have views of its other objects. With steady random updates of objects without views, about a third more than the
 * live bytes stays allocated and each object is copied once on average.
 */
const MIN_LIVE_FRACTION = 1 / 2;

/**
 * Keeps the bytes of the objects of a store. Bytes are only appended; a slab that is mostly dead is
 * freed by moving its live objects to the end.
 */
export class Arena implements SlabOwner {
  /** Bytes of the objects that are in the store. */
  live = 0;
  /** Bytes of the slabs that contain them. */
  allocated = 0;
  readonly #pool: SlabPool;
  readonly #slabs = new Set<Slab>();
  #current: Slab | undefined;
  #plain: Encoding | undefined;

  constructor(pool: SlabPool) {
    this.#pool = pool;
  }

  /**
   * Copies the bytes of an object, except those that `positions` marks to cut, and records the
   * place in `tenant`.
   */
  write(
    tenant: Tenant,
    format: Format,
    buffer: Uint8Array,
    from: number,
    to: number,
    positions: HeadPositions,
  ): void {
    const room = format.cutLength(from, to, positions);
    const encoding = this.#plain?.format === format ? this.#plain : this.encoding(format);
    const slab = this.#slabFor(encoding, room);
    const at = slab.used;
    const length = format.cut(buffer, from, to, positions, slab.buffer, at);
    this.#settle(tenant, slab, at, length);
  }

  /** Copies bytes as they are, and records the place in `tenant`. */
  append(tenant: Tenant, encoding: Encoding, bytes: Uint8Array): void {
    const slab = this.#slabFor(encoding, bytes.length);
    const at = slab.used;
    slab.buffer.set(bytes, at);
    this.#settle(tenant, slab, at, bytes.length);
  }

  /** Returns the encoding of slabs whose objects are kept as bytes of the format. */
  encoding(format: Format): Encoding {
    if (this.#plain?.format === format) return this.#plain;
    this.#plain = { format, compression: undefined, isHeadOnly: false };
    return this.#plain;
  }

  /** Returns the object that was written first, with its slab. */
  oldest(): Tenancy | undefined {
    for (const slab of this.#slabs) {
      const tenant = slab.first;
      if (tenant !== undefined) return { tenant, slab };
    }
    return undefined;
  }

  contains({ tenant, slab }: Tenancy): boolean {
    return slab === tenant.slab && slab.tenants[tenant.slot] === tenant && this.#slabs.has(slab);
  }

  /** Frees the bytes of an object whose bytes are replaced. */
  vacate(tenant: Tenant): void {
    const slab = tenant.slab;
    if (slab === undefined) return;
    const length = slab.length(tenant.slot);
    slab.tenants[tenant.slot] = undefined;
    slab.live -= length;
    this.live -= length;
    if (slab.live === 0) this.evacuate(slab);
  }

  /** Frees the bytes of an object that left the store, once its event is delivered. Views of it remain readable. */
  discard(tenant: Tenant): void {
    const slab = tenant.slab;
    if (slab === undefined || slab.tenants[tenant.slot] !== tenant) return;
    const length = slab.length(tenant.slot);
    slab.tenants[tenant.slot] = undefined;
    this.#pool.left.push(tenant);
    slab.live -= length;
    this.live -= length;
    if (slab.live === 0) {
      this.evacuate(slab);
      return;
    }
    const isMostlyDead = slab.live < slab.buffer.length * MIN_LIVE_FRACTION;
    if (slab === this.#current || !isMostlyDead) return;
    if (tenant.isShown === true || slab.mayHaveViews) this.#pool.evacuateLater(slab);
    else this.evacuate(slab);
  }

  /**
   * Takes over all slabs of another arena, which is empty afterwards.
   */
  adopt(other: Arena): void {
    this.live += other.live;
    this.allocated += other.allocated;
    for (const slab of other.#slabs) {
      this.#slabs.add(slab);
      slab.owner = this;
    }
    if (other.#current !== undefined) this.#current = other.#current;
    other.#forget();
  }

  /** Frees all slabs. Views of the objects remain readable. */
  abandon(): void {
    for (const slab of this.#slabs) this.#pool.abandon(slab);
    this.#forget();
  }

  #forget(): void {
    this.#slabs.clear();
    this.#current = undefined;
    this.live = 0;
    this.allocated = 0;
  }

  /** Moves the live objects of a slab to others, and gives it up. The slab that is written to is kept if it has any. */
  evacuate(slab: Slab): void {
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
    const bytes = from.bytes(slot);
    const { length } = bytes;
    const slab = this.#slabFor(from.encoding, length);
    const at = slab.used;
    bytes.copy(slab.buffer, at);
    this.#settle(tenant, slab, at, length);
  }

  #settle(tenant: Tenant, slab: Slab, at: number, length: number): void {
    tenant.slab = slab;
    tenant.slot = slab.tenants.length;
    slab.tenants.push(tenant);
    slab.used = at + length;
    slab.bounds.push(slab.used);
    slab.live += length;
    this.live += length;
  }

  #slabFor(encoding: Encoding, room: number): Slab {
    if (room >= OWN_SLAB_BYTES) return this.#allocate(encoding, room);
    const current = this.#current;
    const { format, compression } = current?.encoding ?? {};
    const isSame = format === encoding.format && compression === encoding.compression;
    if (current !== undefined && isSame && current.buffer.length - current.used >= room) {
      return current;
    }
    const size = Math.min(MAX_SLAB_BYTES, Math.max(MIN_SLAB_BYTES, this.live / 4, room));
    const slab = this.#allocate(encoding, Math.ceil(size));
    this.#current = slab;
    return slab;
  }

  #allocate(encoding: Encoding, size: number): Slab {
    this.allocated += size;
    const slab = new Slab(encoding, this.#pool.take(size));
    slab.owner = this;
    this.#slabs.add(slab);
    return slab;
  }
}
