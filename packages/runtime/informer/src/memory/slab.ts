import type { Encoding } from './encoding.ts';

/** An object with bytes in a slab. Only the arena changes these members. */
export interface Tenant {
  slab: Slab | undefined;
  /** The place in the slab. Without a slab, the length of the text of a parsed object. */
  slot: number;
  /** True if user code may have a view of the object, which stays readable after the object has left its store. */
  readonly isShown?: boolean;
}

/** A slab with many objects yields at least this number of samples, and less than twice as many. */
const SAMPLES = 8;

/** An object and the slab that has its bytes. */
export interface Place {
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
  /**
   * The object of each slot. A retired slot is `undefined`, so that the slab does not keep its
   * object alive.
   */
  readonly tenants: (Tenant | undefined)[] = [];
  /** Objects that left the store; user code may have views of them. */
  readonly #retired: WeakRef<Tenant>[] = [];
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

  /** The retired objects that the garbage collector has not collected. */
  views(): Tenant[] {
    return this.#retired.flatMap((retired) => {
      const tenant = retired.deref();
      return tenant?.slab === this ? [tenant] : [];
    });
  }
}
