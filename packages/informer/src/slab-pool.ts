import type { Slab } from './slab.ts';

/** Only memory of this size is used again: all slabs but those of small stores and of large objects have it. */
export const pooledSize: number = 256 * 1024;

/** How much free memory is kept at most, in slabs: 16 MiB. */
const mostFree = 64;

/**
 * The memory of slabs, over all stores of a cache. A slab that was given up is read as long as
 * somebody holds a view of what lived in it; once it has been collected its memory is used again. Allocating
 * it anew instead would call the garbage collector several times a second while a store is
 * busy: V8 takes memory outside the heap for a reason to collect when it grows, not when it is large.
 */
export class SlabPool {
  readonly #free: Buffer[] = [];
  readonly #collected = new FinalizationRegistry<Buffer>((memory) => {
    if (this.#free.length < mostFree) this.#free.push(memory);
  });

  /** Bytes that wait to be used again. */
  get free(): number {
    return this.#free.length * pooledSize;
  }

  /** Memory with anything in it. */
  take(size: number): Buffer {
    const free = size === pooledSize ? this.#free.pop() : undefined;
    return free ?? Buffer.allocUnsafeSlow(size);
  }

  /** Nothing lives in the slab any more, and nothing will be written to it. */
  giveUp(slab: Slab): void {
    if (slab.buffer.length === pooledSize) this.#collected.register(slab, slab.buffer);
  }
}
