import type { Format } from '@keelson/apimachinery';

/** An object with bytes in a slab. Only the arena changes these members. */
export interface Tenant {
  slab: Slab | undefined;
  slot: number;
}

/**
 * A block of memory outside the V8 heap. It contains the bytes of objects of one format, in
 * sequence. Bytes do not change while an object refers to them. A view of a replaced or deleted
 * object reads them until the pool gives it its own copy.
 */
export class Slab {
  readonly format: Format;
  readonly buffer: Buffer;
  /** Bytes of the objects that are in the store. */
  live = 0;
  /**
   * The object of each slot. A retired slot is `undefined`, so that the slab does not keep its
   * object alive.
   */
  readonly tenants: (Tenant | undefined)[] = [];
  /** Objects that left the store; user code may have views of them. */
  readonly #retired: WeakRef<Tenant>[] = [];
  /** The end of each slot; a slot starts at the end of the previous one. */
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

  /** Marks an object that left the store. */
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
