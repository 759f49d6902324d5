import { CodedError } from './coded-error.ts';
import { apimachineryErrors } from './errors.ts';

/**
 * 64 MiB, twenty times what kube-apiserver takes for an object: what is longer has no end, and would
 * fill the memory of whoever waits for it.
 */
export const largestFrame: number = 64 * 1024 * 1024;

/** Above this a carry's memory is given back after use: one huge object must not pin it for hours. */
const KEEP_AT_MOST = 1024 * 1024;
const FIRST_SIZE = 16 * 1024;

/**
 * The bytes of a frame that one chunk began and a later one ends. Two buffers take turns, so that
 * bytes taken in one step stay untouched while the same step carries what its chunk leaves over.
 */
export class ByteCarry {
  #filling: Buffer = Buffer.alloc(0);
  #taken: Buffer = Buffer.alloc(0);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  append(chunk: Buffer, from: number, to: number): void {
    const length = this.#length + to - from;
    if (length > largestFrame) {
      throw new CodedError('FRAME_TOO_LARGE', apimachineryErrors.FRAME_TOO_LARGE, {
        bytes: length,
        most: largestFrame,
      });
    }
    if (length > this.#filling.length) this.#grow(length);
    chunk.copy(this.#filling, this.#length, from, to);
    this.#length = length;
  }

  /** The carried bytes from 0 to what `length` was; valid until the next `take`. */
  take(): Buffer {
    const bytes = this.#filling;
    this.#filling = this.#taken.length > KEEP_AT_MOST ? Buffer.alloc(0) : this.#taken;
    this.#taken = bytes;
    this.#length = 0;
    return bytes;
  }

  #grow(length: number): void {
    const size = Math.max(FIRST_SIZE, length, this.#filling.length * 2);
    const larger = Buffer.allocUnsafeSlow(size);
    this.#filling.copy(larger, 0, 0, this.#length);
    this.#filling = larger;
  }
}
