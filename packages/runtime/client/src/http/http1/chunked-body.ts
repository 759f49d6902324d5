import { parseHeaders } from './response-head.ts';
import { parseError } from './parse-error.ts';

const CR = 0x0d;
const LF = 0x0a;
const SEMICOLON = 0x3b;
const TAB = 0x09;
const SPACE = 0x20;
const DELETE = 0x7f;

/** The most digits of the size of a chunk: 4 GiB. More digits are an attempt to overflow a number. */
const MAX_SIZE_DIGITS = 8;
/** The most bytes of all extensions of a response, which kube-apiserver never sends, and of its trailers. */
const MAX_IGNORED_BYTES = 16 * 1024;

/**
 * The next part of a body in chunks.
 * - `size`: the digits of the size of a chunk.
 * - `extension`: what follows the size in its line.
 * - `sizeEnd`: the line feed after the size.
 * - `data`: the bytes of a chunk.
 * - `dataEnd`: the carriage return after them.
 * - `dataLineEnd`: its line feed.
 * - `trailers`: headers after the last chunk, up to an empty line.
 * - `end`: nothing.
 */
type Part =
  | 'size'
  | 'extension'
  | 'sizeEnd'
  | 'data'
  | 'dataEnd'
  | 'dataLineEnd'
  | 'trailers'
  | 'end';

/** Decodes a body in chunks in place, so that the events of one read are one range of its buffer. */
export class ChunkedBody {
  #part: Part = 'size';
  /** The bytes of the chunk that have not arrived; while its size arrives, the number so far. */
  #left = 0;
  #digits = 0;
  #ignoredBytes = 0;
  #trailers = '';

  get isComplete(): boolean {
    return this.#part === 'end';
  }

  /**
   * Moves the data of the chunks together at `from`, and returns where they end. Throws for anything that does not
   * follow RFC 9112. Bytes after the end of the body are ignored.
   */
  decode(bytes: Buffer, from: number): number {
    let to = from;
    let at = from;
    const { length } = bytes;
    while (at < length && this.#part !== 'end') {
      if (this.#part !== 'data') {
        at = this.#skip(bytes, at);
        continue;
      }
      const end = Math.min(length, at + this.#left);
      if (to !== at) bytes.copyWithin(to, at, end);
      to += end - at;
      this.#left -= end - at;
      at = end;
      if (this.#left === 0) this.#part = 'dataEnd';
    }
    return to;
  }

  /** Reads one byte outside the data, or the rest of the bytes if they are trailers. Returns the position after it. */
  #skip(bytes: Buffer, at: number): number {
    const byte = bytes[at] as number;
    switch (this.#part) {
      case 'size':
        this.#size(byte);
        break;
      case 'extension':
        this.#extension(byte);
        break;
      case 'sizeEnd':
        if (byte !== LF) throw parseError('HPE_STRICT', 'size of a chunk');
        this.#part = this.#left === 0 ? 'trailers' : 'data';
        this.#digits = 0;
        break;
      case 'dataEnd':
        if (byte !== CR) throw parseError('HPE_STRICT', 'end of a chunk');
        this.#part = 'dataLineEnd';
        break;
      case 'dataLineEnd':
        if (byte !== LF) throw parseError('HPE_STRICT', 'end of a chunk');
        this.#part = 'size';
        break;
      default:
        return this.#readTrailers(bytes, at);
    }
    return at + 1;
  }

  #size(byte: number): void {
    const digit = digitOf(byte);
    if (digit >= 0) {
      this.#digits++;
      if (this.#digits > MAX_SIZE_DIGITS) throw invalidSize();
      this.#left = this.#left * 16 + digit;
      return;
    }
    if (this.#digits === 0 || (byte !== CR && byte !== SEMICOLON)) throw invalidSize();
    this.#part = byte === CR ? 'sizeEnd' : 'extension';
  }

  /** Ignores an extension. A line feed in it would be the end of the line to another parser. */
  #extension(byte: number): void {
    if (byte === CR) {
      this.#part = 'sizeEnd';
      return;
    }
    const isText = byte === TAB || (byte >= SPACE && byte !== DELETE);
    this.#ignoredBytes++;
    if (isText && this.#ignoredBytes <= MAX_IGNORED_BYTES) return;
    throw parseError('HPE_INVALID_CHUNK_SIZE', 'extension of a chunk');
  }

  #readTrailers(bytes: Buffer, at: number): number {
    const before = this.#trailers.length;
    this.#trailers += bytes.toString('latin1', at, at + MAX_IGNORED_BYTES + 1);
    const end = this.#trailers.startsWith('\r\n') ? 0 : this.#trailers.indexOf('\r\n\r\n');
    if (end === -1) {
      if (this.#trailers.length <= MAX_IGNORED_BYTES) return bytes.length;
      throw parseError('HPE_HEADER_OVERFLOW', 'trailers');
    }
    if (end > 0) parseHeaders(this.#trailers.slice(0, end).split('\r\n'));
    this.#part = 'end';
    return at + end - before + (end === 0 ? 2 : 4);
  }
}

function invalidSize(): Error {
  return parseError('HPE_INVALID_CHUNK_SIZE', 'size of a chunk');
}

/** Returns the value of a hexadecimal digit, or -1. */
function digitOf(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const lower = byte | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}
