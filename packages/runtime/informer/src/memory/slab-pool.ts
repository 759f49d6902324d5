import { TimeSlice } from '@keelson/apimachinery';
import type { Encoding } from './encoding.ts';

/** An object with bytes in a slab. Only the arena changes these members. */
export interface Tenant {
  slab: Slab | undefined;
  /** The place in the slab. Without a slab, the length of the text of a parsed object. */
  slot: number;
  /** True if user code may have a view of the object, which stays readable after the object has left its store. */
  readonly isShown?: boolean;
}

/** The arena that has a slab. */
export interface SlabOwner {
  /** Moves the live objects of the slab to other slabs, and gives it up. */
  evacuate(slab: Slab): void;
}

/** A slab with many objects yields at least this number of samples, and less than twice as many. */
const SAMPLES = 8;

/** An object and the slab that has its bytes. */
export interface Tenancy {
  readonly tenant: Tenant;
  readonly slab: Slab;
}

/**
 * A block of memory outside the V8 heap. It contains the bytes of objects of one encoding, in
 * sequence. Bytes do not change while an object refers to them. A view of a replaced or deleted
 * object reads them until the pool gives it its own copy.
 */
export class Slab {
  readonly encoding: Encoding;
  readonly buffer: Buffer;
  /** Bytes of the objects that are in the store. Only the arena changes it, and `used`. */
  live = 0;
  /** Bytes from the start that have been written. */
  used = 0;
  /** The arena that has the slab; `undefined` after it was given up or abandoned. */
  owner: SlabOwner | undefined = undefined;
  /**
   * The object of each slot. A retired slot is `undefined`, so that the slab does not keep its
   * object alive.
   */
  readonly tenants: (Tenant | undefined)[] = [];
  /** Objects that left the store; user code may have views of them. */
  #retired: WeakRef<Tenant>[] = [];
  /** The start of each slot, which is the end of the slot before it, and then the end of the last one. */
  readonly bounds: number[] = [0];

  /** The slots before this one are free. */
  #firstSlot = 0;

  constructor(encoding: Encoding, memory: Buffer) {
    this.encoding = encoding;
    this.buffer = memory;
  }

  /** The number of slots. */
  get slots(): number {
    return this.bounds.length - 1;
  }

  length(slot: number): number {
    return (this.bounds[slot + 1] ?? 0) - (this.bounds[slot] ?? 0);
  }

  bytes(slot: number): Buffer {
    return this.buffer.subarray(this.bounds[slot], this.bounds[slot + 1] ?? 0);
  }

  /** Returns the range with the object of a slot in its format, inflated if necessary. */
  text(slot: number): { readonly buffer: Buffer; readonly from: number; readonly to: number } {
    const { compression } = this.encoding;
    if (compression === undefined) {
      return {
        buffer: this.buffer,
        from: this.bounds[slot] ?? 0,
        to: this.bounds[slot + 1] ?? 0,
      };
    }
    const buffer = compression.inflate(this.bytes(slot));
    return { buffer, from: 0, to: buffer.length };
  }

  /** The first object of the slab that is in the store. */
  get first(): Tenant | undefined {
    while (this.tenants[this.#firstSlot] === undefined && this.#firstSlot < this.slots) {
      this.#firstSlot++;
    }
    return this.tenants[this.#firstSlot];
  }

  /** True if user code may have views of objects that left the store. */
  get mayHaveViews(): boolean {
    return this.#retired.length > 0;
  }

  /** The bytes of some objects, from all parts of the slab. */
  *samples(): IterableIterator<Buffer> {
    const count = this.slots;
    const step = Math.max(1, Math.floor(count / SAMPLES));
    for (let slot = 0; slot < count; slot += step) yield this.bytes(slot);
  }

  /** Marks an object that left the store and that user code may have a view of. */
  retire(tenant: Tenant): void {
    this.tenants[tenant.slot] = undefined;
    this.#retired.push(new WeakRef(tenant));
  }

  /** Marks all objects of the slab as outside the store. */
  retireAll(): void {
    for (const tenant of this.tenants) if (tenant !== undefined) this.retire(tenant);
  }

  /** Forgets the retired objects, and returns those that the garbage collector has not collected. */
  takeViews(): Tenant[] {
    const retired = this.#retired;
    this.#retired = [];
    return retired.flatMap((reference) => {
      const tenant = reference.deref();
      return tenant?.slab === this ? [tenant] : [];
    });
  }
}

/**
 * The size in bytes of the blocks that are reused. All slabs have this size, except those of small stores and of large
 * objects.
 */
export const POOLED_SLAB_BYTES: number = 256 * 1024;

/**
 * The limits of the number of free slabs that the pool keeps, 16 and 64 MiB. Within them it keeps as many as the stores
 * took between the last two garbage collections, because as many come back with each collection.
 */
const MIN_FREE_SLABS = 64;
const MAX_FREE_SLABS = 256;

/**
 * Reuses the memory of slabs, for all stores of a cache. User code may keep views of objects that left their store.
 * After the next garbage collection, the pool copies the bytes of the remaining views and reuses the slab. The bytes of
 * an object that no user code has seen are free at once. Reuse avoids garbage collections: V8 starts one when external
 * memory grows, even if it is small. Without the pool, a busy store would cause several per second.
 */
export class SlabPool {
  /**
   * Calls a function after the next garbage collection, because the object that is registered with it has no other
   * reference. All pools share the registry, so that it is never garbage-collected itself. If that happens while V8 is
   * about to call its callbacks, V8 stops calling those of all registries.
   */
  static readonly #collections = new FinalizationRegistry<() => void>((next) => next());
  readonly #now: () => number;
  readonly #free: Buffer[] = [];
  /** The numbers of slabs that were taken since the last garbage collection, and between the two before it. */
  #taken = { now: 0, before: 0 };
  /** True if `#collected` is called after the next garbage collection. */
  #awaitsCollection = false;
  /**
   * The objects that left their store with the last change. Handlers may still receive views of them, so their bytes
   * stay readable until `settle`, or longer if they are shown. An arena adds its objects.
   */
  readonly left: Tenant[] = [];
  /** The slabs that were given up since then. */
  readonly #emptied: Slab[] = [];
  /** The slabs in use whose live objects move after the next garbage collection. */
  #sparse = new Set<Slab>();
  /** Bytes of the slabs that wait for a garbage collection after `giveUp`. */
  #waiting = 0;
  /** The slabs with the copied bytes of a single view. */
  #copies: WeakRef<Slab>[] = [];
  readonly #abandoned: Slab[] = [];

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Number of bytes that the pool can reuse. */
  get free(): number {
    return this.#free.length * POOLED_SLAB_BYTES;
  }

  /**
   * Bytes of objects that left their store but whose views user code keeps or, before the next
   * garbage collection, may keep.
   */
  get pinned(): number {
    this.#copies = this.#copies.filter((copy) => copy.deref() !== undefined);
    let bytes = this.#waiting;
    for (const copy of this.#copies) bytes += copy.deref()?.buffer.length ?? 0;
    for (const slab of this.#sparse) bytes += slab.used - slab.live;
    return bytes;
  }

  /** Returns memory with arbitrary contents. */
  take(size: number): Buffer {
    if (size !== POOLED_SLAB_BYTES) return Buffer.allocUnsafeSlow(size);
    this.#taken.now += 1;
    this.#awaitCollection();
    return this.#free.pop() ?? Buffer.allocUnsafeSlow(size);
  }

  /** Frees the objects of the changes that were delivered, except those that user code may have views of. */
  settle(): void {
    if (this.left.length === 0) return;
    for (const tenant of this.left) {
      if (tenant.isShown === true) tenant.slab?.retire(tenant);
      else {
        tenant.slab = undefined;
        tenant.slot = 0;
      }
    }
    this.left.length = 0;
    for (const slab of this.#emptied.splice(0)) this.giveUp(slab);
  }

  /**
   * Reuses the slab: at once if user code can have no view of it, otherwise after the next garbage
   * collection. No store may have an object in it or write to it.
   */
  giveUp(slab: Slab): void {
    slab.owner = undefined;
    this.#sparse.delete(slab);
    if (this.left.length > 0) {
      this.#emptied.push(slab);
      return;
    }
    if (!slab.mayHaveViews) {
      this.#reuse(slab);
      return;
    }
    this.#waiting += slab.buffer.length;
    this.#afterCollection(() => this.#recycle(slab));
  }

  /**
   * Evacuates a slab after the next garbage collection. Before it, the memory of a slab that user code may have views of
   * could not be reused, so that its live objects would only take more memory in another slab.
   */
  evacuateLater(slab: Slab): void {
    this.#sparse.add(slab);
    this.#awaitCollection();
  }

  /**
   * Frees a slab of a removed store. Usually the garbage collector frees the slab with the store.
   */
  abandon(slab: Slab): void {
    slab.owner = undefined;
    this.#sparse.delete(slab);
    const watched = new WeakRef(slab);
    this.#afterCollection(() => {
      const kept = watched.deref();
      if (kept === undefined) return;
      this.#abandoned.push(kept);
      if (this.#abandoned.length === 1) void this.#retireAbandoned();
    });
  }

  #afterCollection(next: () => void): void {
    SlabPool.#collections.register({}, next);
  }

  /**
   * Releases abandoned slabs, because a single view would keep its whole slab in memory. It works in slices of 5 ms,
   * because the slabs may be those of a whole store.
   */
  async #retireAbandoned(): Promise<void> {
    const slice = new TimeSlice(this.#now);
    for (let slab = this.#abandoned[0]; slab !== undefined; slab = this.#abandoned[0]) {
      slab.retireAll();
      this.giveUp(slab);
      if (slice.isDue()) await slice.pause();
      this.#abandoned.shift();
    }
  }

  /** Works in slices of 5 ms, because it may move many objects. */
  async #evacuateSparse(): Promise<void> {
    const slabs = this.#sparse;
    this.#sparse = new Set();
    const slice = new TimeSlice(this.#now);
    for (const slab of slabs) {
      // It may have been given up or abandoned in a pause.
      if (slab.owner === undefined) continue;
      for (const view of slab.takeViews()) this.#copyOut(view, slab);
      slab.owner.evacuate(slab);
      if (slice.isDue()) await slice.pause();
    }
  }

  #recycle(slab: Slab): void {
    this.#waiting -= slab.buffer.length;
    const views = slab.takeViews();
    if (slab.slots === 1) {
      // A copy would not save memory, because the slab has only this object.
      if (views.length > 0) this.#copies.push(new WeakRef(slab));
      return;
    }
    for (const view of views) this.#copyOut(view, slab);
    this.#reuse(slab);
  }

  /** The number of free slabs that the pool keeps. */
  get #limit(): number {
    const { now, before } = this.#taken;
    return Math.min(Math.max(now, before, MIN_FREE_SLABS), MAX_FREE_SLABS);
  }

  #awaitCollection(): void {
    if (this.#awaitsCollection) return;
    this.#awaitsCollection = true;
    this.#afterCollection(() => this.#collected());
  }

  #collected(): void {
    this.#awaitsCollection = false;
    this.#taken = { now: 0, before: this.#taken.now };
    while (this.#free.length > this.#limit) release(this.#free.pop() as Buffer);
    if (this.#limit > MIN_FREE_SLABS) this.#awaitCollection();
    void this.#evacuateSparse();
  }

  #reuse({ buffer }: Slab): void {
    if (buffer.length !== POOLED_SLAB_BYTES) return;
    if (this.#free.length < this.#limit) this.#free.push(buffer);
    else release(buffer);
  }

  #copyOut(view: Tenant, from: Slab): void {
    const bytes = from.bytes(view.slot);
    const copy = Buffer.allocUnsafeSlow(bytes.length);
    bytes.copy(copy);
    const slab = new Slab(from.encoding, copy);
    slab.bounds.push(copy.length);
    view.slab = slab;
    view.slot = 0;
    this.#copies.push(new WeakRef(slab));
  }
}

/** Frees memory that nothing reads any more. The garbage collector would free it later. */
function release({ buffer }: Buffer): void {
  (buffer as ArrayBuffer).transfer(0);
}
