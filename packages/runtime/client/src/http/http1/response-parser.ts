import { ChunkedBody } from './chunked-body.ts';
import { parseHead, type ResponseHead } from './response-head.ts';
import { parseError } from './parse-error.ts';

/** The most bytes before the body, as with undici. */
const MAX_HEAD_BYTES = 16 * 1024;
const NOTHING: Buffer = Buffer.alloc(0);

/**
 * Parses one response to a GET. It accepts less than other parsers: whatever two parsers might read in two ways is
 * refused, and so are bytes after the response.
 */
export class ResponseParser {
  /** The status and headers, once they have arrived. */
  head: ResponseHead | undefined;
  isComplete = false;
  #headText = '';
  /** The bytes of a body with a length that have not arrived. */
  #left = 0;
  #chunks: ChunkedBody | undefined;

  /**
   * Parses the bytes of one read and returns those of the body, which are a part of the same buffer. They are moved
   * within it if the body has chunks.
   */
  push(bytes: Buffer): Buffer {
    const from = this.head === undefined ? this.#readHead(bytes) : 0;
    if (from === bytes.length) return NOTHING;
    if (this.isComplete) throw parseError('HPE_CLOSED_CONNECTION', 'bytes after it');
    if (this.#chunks === undefined) return this.#rest(bytes, from);
    const to = this.#chunks.decode(bytes, from);
    this.isComplete = this.#chunks.isComplete;
    return bytes.subarray(from, to);
  }

  /** Must be called when the connection has ended. Throws if the response is not complete. */
  end(): void {
    if (this.isComplete) return;
    if (this.head?.body !== 'untilClose') {
      throw parseError('UND_ERR_SOCKET', 'the connection ended within it');
    }
    this.isComplete = true;
  }

  /** Reads up to the body. Returns its position, or the end of the bytes. */
  #readHead(bytes: Buffer): number {
    let at = 0;
    while (this.head === undefined && at < bytes.length) {
      const before = this.#headText.length;
      this.#headText += bytes.toString('latin1', at, at + MAX_HEAD_BYTES + 5);
      const end = this.#headText.indexOf('\r\n\r\n');
      if (end > MAX_HEAD_BYTES || (end === -1 && this.#headText.length > MAX_HEAD_BYTES)) {
        throw parseError('UND_ERR_HEADERS_OVERFLOW', 'its headers are too long');
      }
      if (end === -1) return bytes.length;
      this.#begin(parseHead(this.#headText.slice(0, end)));
      at += end + 4 - before;
      this.#headText = '';
    }
    return at;
  }

  #begin(head: ResponseHead): void {
    // An informational response, such as 103, precedes the response.
    if (head.statusCode < 200) return;
    this.head = head;
    if (head.body === 'chunked') this.#chunks = new ChunkedBody();
    else if (head.body !== 'untilClose') this.#left = head.body;
    this.isComplete = head.body === 0;
  }

  /** Returns the bytes of a body without chunks. */
  #rest(bytes: Buffer, from: number): Buffer {
    if (this.head?.body === 'untilClose') return bytes.subarray(from);
    this.#left -= bytes.length - from;
    if (this.#left < 0) throw parseError('HPE_CLOSED_CONNECTION', 'bytes after it');
    this.isComplete = this.#left === 0;
    return bytes.subarray(from);
  }
}
