const MARK = [0xef, 0xbb, 0xbf];

/**
 * Skips the byte order mark that some servers and proxies put in front of a UTF-8 text. The mark may
 * be spread over chunks.
 */
export class ByteOrderMark {
  /** Bytes of the mark seen; all of them once anything else has come. */
  #seen = 0;

  /** The first byte at or after `at` that does not belong to the mark. */
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
