import { CodedError } from '../coded-error.ts';
import { apimachineryErrors } from '../errors.ts';

/**
 * 64 MiB, twenty times what kube-apiserver takes for an object: what is longer has no end, and would
 * fill the memory of whoever waits for it.
 */
export const largestFrame: number = 64 * 1024 * 1024;

/** Above this a carry's memory is given back after use: one huge object must not pin it for hours. */
const KEEP_AT_MOST = 1024 * 1024;
const FIRST_SIZE = 16 * 1024;
const NOTHING: Buffer = Buffer.alloc(0);

/**
 * The bytes of a frame that one chunk began and a later one ends. Bytes that were taken stay
 * untouched until `reuse`, however much is carried and taken meanwhile.
 */
export class ByteCarry {
  #filling: Buffer = NOTHING;
  /** Free to be filled next. */
  #spare: Buffer = NOTHING;
  /** Taken last; free after `reuse`. */
  #lent: Buffer = NOTHING;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** The carried bytes, which stay carried; valid until the next change. */
  get bytes(): Buffer {
    return this.#filling.subarray(0, this.#length);
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

  /** The carried bytes, which are no longer carried; valid until `reuse`. */
  take(): Buffer {
    const { bytes } = this;
    this.#lent = this.#filling;
    this.#filling = this.#spare;
    this.#spare = NOTHING;
    this.#length = 0;
    return bytes;
  }

  /** Bytes taken earlier may be overwritten from now on. */
  reuse(): void {
    if (this.#lent.length === 0) return;
    if (this.#lent.length <= KEEP_AT_MOST) this.#spare = this.#lent;
    this.#lent = NOTHING;
  }

  #grow(length: number): void {
    const size = Math.max(FIRST_SIZE, length, this.#filling.length * 2);
    const larger = Buffer.allocUnsafeSlow(size);
    this.#filling.copy(larger, 0, 0, this.#length);
    this.#filling = larger;
  }
}
