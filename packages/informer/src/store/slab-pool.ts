import { Slab, type Tenant } from './slab.ts';
import { TimeSlice } from './time-slice.ts';

/** Only memory of this size is used again: all slabs but those of small stores and of large objects have it. */
export const pooledSize: number = 256 * 1024;

/** How much free memory is kept at most, in slabs: 16 MiB. */
const mostFree = 64;

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
