import type { Format } from '@keelson/apimachinery';

/** Who lives in a slab. Both are changed by the arena alone. */
export interface Tenant {
  slab: Slab | undefined;
  slot: number;
}

/**
 * A block of memory outside the V8 heap that holds the bytes of several objects of one format, one
 * after the other. Its bytes never change once written, so a view that is held after its object
 * moved on or went away still reads them: the memory is free when nobody refers to the slab.
 */
export class Slab {
  readonly format: Format;
  readonly buffer: Buffer;
  /** The bytes of the objects that are still stored. */
  live = 0;
  /** Who lives in each slot; emptied slots let go of the object. */
  readonly tenants: (Tenant | undefined)[] = [];
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
}
