/** Bytes of the buffer of a quiet watch: a client may have hundreds of them. */
const SMALL_BYTES = 8 * 1024;
/** Bytes of the buffer of a busy watch. One read of the socket, and so one batch, has at most as many. */
const LARGE_BYTES = 128 * 1024;
/** Reads in a row that would have fit into the small buffer until the large one is released. */
const SMALL_READS_UNTIL_RELEASE = 16;

/** The memory into which the bytes of one socket are read, again and again. */
export class ReadBuffer {
  readonly #small: Buffer = Buffer.allocUnsafeSlow(SMALL_BYTES);
  #large: Buffer | undefined;
  #smallReads = 0;

  /** The buffer of the next read. */
  get current(): Buffer {
    return this.#large ?? this.#small;
  }

  /** Chooses the next buffer after a read of this many bytes. */
  wasRead(length: number): void {
    if (length >= SMALL_BYTES) {
      this.#large ??= Buffer.allocUnsafeSlow(LARGE_BYTES);
      this.#smallReads = 0;
    } else if (this.#large !== undefined && ++this.#smallReads >= SMALL_READS_UNTIL_RELEASE) {
      this.#large = undefined;
      this.#smallReads = 0;
    }
  }
}
