/** Bytes of the buffer of a quiet watch: a client may have hundreds of them. */
export const SMALL_BYTES: number = 8 * 1024;
/** Bytes of the buffer of a busy watch. One read of the socket, and so one batch, has at most as many. */
const LARGE_BYTES = 128 * 1024;
/** Reads in a row that would have fit into the small buffer until the large one is released. */
const SMALL_READS_UNTIL_RELEASE = 16;

/** The memory into which the bytes of one socket are read, again and again. */
export class ReadBuffer {
  /** The buffer of the next read. */
  current: Buffer;
  /** True while the buffer is that of a busy watch. */
  isLarge = false;
  readonly #small: Buffer = Buffer.allocUnsafeSlow(SMALL_BYTES);
  #smallReads = 0;

  constructor() {
    this.current = this.#small;
  }

  /** Chooses the next buffer after a read of this many bytes. Has no effect after a small read into the small one. */
  wasRead(length: number): void {
    this.#smallReads = length < SMALL_BYTES ? this.#smallReads + 1 : 0;
    const isLarge =
      this.#smallReads < SMALL_READS_UNTIL_RELEASE && (this.isLarge || length >= SMALL_BYTES);
    if (isLarge === this.isLarge) return;
    this.isLarge = isLarge;
    this.#smallReads = 0;
    this.current = isLarge ? Buffer.allocUnsafeSlow(LARGE_BYTES) : this.#small;
  }
}
