/** Size of a block. The allocator returns blocks of this size to the operating system. */
const SLAB_BYTES = 1024 * 1024;
/** Size of the first block, because most resources have few objects, and a large block takes time to allocate. */
const FIRST_SLAB_BYTES = 64 * 1024;
/** Strings of at least this length get their own block. */
const LARGE_BYTES = 64 * 1024;

/**
 * Packs the JSON of objects into large blocks, in the order of the writes. Small allocations would lie between the 64
 * KiB buffers in which Node.js receives requests, and fragment that memory. A block is freed when its last object is
 * removed or moved out, see `StoredObject.moveToOwnBlock`.
 */
export class ByteArena {
  #slab: Buffer | undefined;
  /** Bytes of the present block, 0 before the first one. */
  #size = 0;
  #used = 0;

  /** Copies the UTF-8 bytes of a string into a block. */
  store(text: string): Buffer {
    const length = Buffer.byteLength(text);
    const bytes = length >= LARGE_BYTES ? Buffer.allocUnsafeSlow(length) : this.#take(length);
    bytes.write(text);
    return bytes;
  }

  /** Copies bytes into a block. */
  copy(source: Uint8Array): Buffer {
    const { length } = source;
    const bytes = length >= LARGE_BYTES ? Buffer.allocUnsafeSlow(length) : this.#take(length);
    bytes.set(source);
    return bytes;
  }

  #take(length: number): Buffer {
    if (this.#slab === undefined || this.#used + length > this.#size) {
      this.#size = this.#slab === undefined ? FIRST_SLAB_BYTES : SLAB_BYTES;
      this.#slab = Buffer.allocUnsafeSlow(this.#size);
      this.#used = 0;
    }
    const bytes = this.#slab.subarray(this.#used, this.#used + length);
    this.#used += length;
    return bytes;
  }
}
