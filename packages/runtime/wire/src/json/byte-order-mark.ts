const MARK = [0xef, 0xbb, 0xbf];

/**
 * Skips the byte order mark that some servers and proxies put before a UTF-8 text. The mark may be spread
 * over chunks.
 */
export class ByteOrderMark {
  /** Number of bytes of the mark that were skipped. Set to all of them after any other byte. */
  #seen = 0;

  /** Returns the position of the first byte at or after `at` that does not belong to the mark. */
  skip(bytes: Uint8Array, at: number): number {
    while (this.#seen < MARK.length && at < bytes.length) {
      if (bytes[at] !== MARK[this.#seen]) this.#seen = MARK.length;
      else {
        this.#seen++;
        at++;
      }
    }
    return at;
  }
}
