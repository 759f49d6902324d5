import type { Format, HeadPositions } from '@keelson/apimachinery';
import { TimeSlice } from './time-slice.ts';

/** Only memory of this size is used again: all slabs but those of small stores and of large objects have it. */
export const pooledSize: number = 256 * 1024;

/** How much free memory is kept at most, in slabs: 16 MiB. */
const mostFree = 64;

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

/**
 * The memory of slabs, over all stores of a cache. User code may keep views of objects that no store
 * has any more. After the next garbage collection the views that are left get bytes of their own, and the memory
 * of their slab is used again. Allocating it anew instead would call the garbage collector several
 * times a second while a store is busy: V8 takes memory outside the heap for a reason to collect when
 * it grows, not when it is large.
 */
export class SlabPool {
  readonly #now: () => number;
  readonly #free: Buffer[] = [];
  /** The bytes of slabs that were given up and wait for the garbage collector. */
  #waiting = 0;
  /** Slabs of single views, which copied their bytes out. */
  #copies: WeakRef<Slab>[] = [];
  /** Called after a garbage collection, since nothing refers to what is registered. */
  readonly #collections = new FinalizationRegistry<() => void>((next) => next());
  readonly #abandoned: Slab[] = [];

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Bytes that wait to be used again. */
  get free(): number {
    return this.#free.length * pooledSize;
  }

  /** Bytes that are kept for views of objects that no store has any more, or until that is known. */
  get pinned(): number {
    this.#copies = this.#copies.filter((copy) => copy.deref() !== undefined);
    const copied = this.#copies.map((copy) => copy.deref()?.buffer.length ?? 0);
    return copied.reduce((sum, bytes) => sum + bytes, this.#waiting);
  }

  /** Memory with anything in it. */
  take(size: number): Buffer {
    const free = size === pooledSize ? this.#free.pop() : undefined;
    return free ?? Buffer.allocUnsafeSlow(size);
  }

  /** No store has an object in the slab any more, and nothing will be written to it. */
  giveUp(slab: Slab): void {
    this.#waiting += slab.buffer.length;
    this.#afterCollection(() => this.#recycle(slab));
  }

  /** The store of the slab is gone. Most often the slab is collected with it. */
  abandon(slab: Slab): void {
    const watched = new WeakRef(slab);
    this.#afterCollection(() => {
      const kept = watched.deref();
      if (kept === undefined) return;
      this.#abandoned.push(kept);
      if (this.#abandoned.length === 1) void this.#retireAbandoned();
    });
  }

  #afterCollection(next: () => void): void {
    this.#collections.register({}, next);
  }

  /** A view keeps the slab, and the slab keeps every other object in it. In slices: it may be a whole store. */
  async #retireAbandoned(): Promise<void> {
    const slice = new TimeSlice(this.#now);
    for (let slab = this.#abandoned[0]; slab !== undefined; slab = this.#abandoned[0]) {
      slab.retireAll();
      this.giveUp(slab);
      if (slice.isDue()) await slice.pause();
      this.#abandoned.shift();
    }
  }

  #recycle(slab: Slab): void {
    this.#waiting -= slab.buffer.length;
    const views = slab.views();
    if (slab.ends.length === 1) {
      // A slab of one object is no larger than the copy would be.
      if (views.length > 0) this.#copies.push(new WeakRef(slab));
      return;
    }
    for (const view of views) this.#copyOut(view, slab);
    if (slab.buffer.length === pooledSize && this.#free.length < mostFree) {
      this.#free.push(slab.buffer);
    }
  }

  #copyOut(view: Tenant, from: Slab): void {
    const bytes = from.buffer.subarray(from.start(view.slot), from.end(view.slot));
    const copy = Buffer.allocUnsafeSlow(bytes.length);
    bytes.copy(copy);
    const slab = new Slab(from.format, copy);
    slab.ends.push(copy.length);
    view.slab = slab;
    view.slot = 0;
    this.#copies.push(new WeakRef(slab));
  }
}

/** Who lives in a slab. Both are changed by the arena alone. */
export interface Tenant {
  slab: Slab | undefined;
  slot: number;
}

/**
 * A block of memory outside the V8 heap that holds the bytes of several objects of one format, one
 * after the other. Bytes do not change while an object has its place in them: a view that is held after its
 * object moved on or went away reads them until the pool gives it bytes of its own.
 */
export class Slab {
  readonly format: Format;
  readonly buffer: Buffer;
  /** The bytes of the objects that are still stored. */
  live = 0;
  /** Who lives in each slot; emptied slots let go of the object. */
  readonly tenants: (Tenant | undefined)[] = [];
  /** Objects that are no longer stored, as far as user code has views of them. */
  readonly #retired: WeakRef<Tenant>[] = [];
  /** Where each slot ends; it begins where the one before it ends. */
  readonly ends: number[] = [];

  constructor(format: Format, memory: Buffer) {
    this.format = format;
    this.buffer = memory;
  }

  get used(): number {
    return this.ends.at(-1) ?? 0;
  }

  start(slot: number): number {
    return slot === 0 ? 0 : (this.ends[slot - 1] ?? 0);
  }

  end(slot: number): number {
    return this.ends[slot] ?? 0;
  }

  /** The object in the slot is no longer stored. */
  retire(tenant: Tenant): void {
    this.tenants[tenant.slot] = undefined;
    this.#retired.push(new WeakRef(tenant));
  }

  /** No object in the slab is stored any more. */
  retireAll(): void {
    for (const tenant of this.tenants) if (tenant !== undefined) this.retire(tenant);
  }

  /** The retired objects that something still refers to. */
  views(): Tenant[] {
    return this.#retired.flatMap((retired) => {
      const tenant = retired.deref();
      return tenant?.slab === this ? [tenant] : [];
    });
  }
}
