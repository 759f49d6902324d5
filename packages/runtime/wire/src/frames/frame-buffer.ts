import { CodedError } from '@keelson/apimachinery';
import { wireErrors } from '../errors.ts';

/**
 * Upper bound of one frame: 64 MiB, twenty times the limit of kube-apiserver for an object. A longer frame is
 * treated as endless, because it would fill the memory of the process.
 */
export const MAX_FRAME_BYTES: number = 64 * 1024 * 1024;

/** A buffer of more bytes than this is released after use, so that one huge object does not occupy memory for hours. */
const MAX_KEPT_BYTES = 1024 * 1024;
/**
 * The first size of a buffer, in bytes. It is small because a cache may have hundreds of quiet watches; a longer frame
 * doubles it.
 */
const FIRST_SIZE = 4 * 1024;
const NOTHING: Buffer = Buffer.alloc(0);

/**
 * Collects the bytes of a frame that spans chunks. Bytes that were taken are not overwritten until `reuse`,
 * even if more bytes are appended and taken.
 */
export class FrameBuffer {
  /** The number of collected bytes; only this class changes it. */
  length: number = 0;
  /** True while a buffer that was taken is not reused. */
  isInUse: boolean = false;
  #filling: Buffer = NOTHING;
  /** An empty buffer that the next frame can use. */
  #free: Buffer = NOTHING;
  /** The buffer that was taken last. It may be overwritten after `reuse`. */
  #inUse: Buffer = NOTHING;

  /** The collected bytes, which stay in the buffer. Valid until the next call that changes the buffer. */
  get bytes(): Buffer {
    return this.#filling.subarray(0, this.length);
  }

  append(chunk: Buffer, from: number, to: number): void {
    const length = this.length + to - from;
    if (length > MAX_FRAME_BYTES) {
      throw new CodedError('FRAME_TOO_LARGE', wireErrors.FRAME_TOO_LARGE, {
        bytes: length,
        most: MAX_FRAME_BYTES,
      });
    }
    if (length > this.#filling.length) this.#grow(length);
    chunk.copy(this.#filling, this.length, from, to);
    this.length = length;
  }

  /** Returns the collected bytes and empties the buffer. The bytes are valid until `reuse`. */
  take(): Buffer {
    const { bytes } = this;
    // A larger buffer is not reused: it is freed with the last frame that refers to it.
    this.#inUse = this.#filling.length > MAX_KEPT_BYTES ? NOTHING : this.#filling;
    this.isInUse = this.#inUse.length > 0;
    this.#filling = this.#free;
    this.#free = NOTHING;
    this.length = 0;
    return bytes;
  }

  /** Allows the buffer to overwrite the bytes that `take` returned last. */
  reuse(): void {
    if (!this.isInUse) return;
    this.isInUse = false;
    this.#free = this.#inUse;
    this.#inUse = NOTHING;
  }

  #grow(length: number): void {
    const size = Math.max(FIRST_SIZE, length, this.#filling.length * 2);
    const larger = Buffer.allocUnsafeSlow(size);
    this.#filling.copy(larger, 0, 0, this.length);
    this.#filling = larger;
  }
}
