/** Blocks of this size are what a process gives back to its system. */
const SLAB_BYTES = 1024 * 1024;
/** Texts from this length on get a block of their own. */
const LARGE_BYTES = 64 * 1024;

/**
 * Packs the bytes of objects into large blocks, in the order in which they are stored. Node reads requests into buffers
 * of 64 KiB; small blocks that stay would lie between these, and each would keep the rest of one from being used again.
 * A block is free when the last object in it has gone or was moved out, see `StoredObject.settle`.
 */
export class ByteArena {
  #slab: Buffer | undefined;
  #used = 0;

  /** The UTF-8 of a text. */
  store(text: string): Buffer {
    const length = Buffer.byteLength(text);
    const bytes = length >= LARGE_BYTES ? Buffer.allocUnsafeSlow(length) : this.#take(length);
    bytes.write(text);
    return bytes;
  }

  #take(length: number): Buffer {
    if (this.#slab === undefined || this.#used + length > SLAB_BYTES) {
      this.#slab = Buffer.allocUnsafeSlow(SLAB_BYTES);
      this.#used = 0;
    }
    const bytes = this.#slab.subarray(this.#used, this.#used + length);
    this.#used += length;
    return bytes;
  }
}
