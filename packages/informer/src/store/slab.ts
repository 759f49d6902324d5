import type { Format } from '@keelson/apimachinery';

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
