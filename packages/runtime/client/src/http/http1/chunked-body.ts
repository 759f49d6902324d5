import { parseHeaders } from './response-head.ts';
import { parseError } from './parse-error.ts';

const CR = 0x0d;
const LF = 0x0a;
const SEMICOLON = 0x3b;
/** The extensions of a chunk after the first semicolon: names, each with a value or without one, and no quotes. */
const EXTENSIONS = /^(?:(?:^|;)[!#$%&'*+\-.^_`|~\w]+(?:=[!#$%&'*+\-.^_`|~\w]+)?)+$/;

const NO_DIGIT = -1;
/** The values of the hexadecimal digits, by their bytes. */
const DIGITS: Int8Array = Int8Array.from({ length: 256 }, (_, byte) => {
  const character = String.fromCharCode(byte);
  return /[0-9a-f]/i.test(character) ? Number.parseInt(character, 16) : NO_DIGIT;
});

/** The most digits of the size of a chunk: 4 GiB. More digits are an attempt to overflow a number. */
const MAX_SIZE_DIGITS = 8;
/** The most bytes of all extensions of a response, which kube-apiserver never sends, and of its trailers. */
const MAX_IGNORED_BYTES = 16 * 1024;

/**
 * The next part of a body in chunks.
 * - `size`: the digits of the size of a chunk.
 * - `extension`: what follows the size in its line.
 * - `sizeLineEnd`: the line feed after the size.
 * - `data`: the bytes of a chunk.
 * - `dataEnd`: the carriage return after them.
 * - `dataLineEnd`: its line feed.
 * - `trailers`: headers after the last chunk, up to an empty line.
 */
type Part = 'size' | 'extension' | 'sizeLineEnd' | 'data' | 'dataEnd' | 'dataLineEnd' | 'trailers';

/** Decodes a body in chunks in place, so that the events of one read are one range of its buffer. */
export class ChunkedBody {
  isComplete = false;
  #part: Part = 'size';
  /** The bytes of the chunk that have not arrived; while its size arrives, the number so far. */
  #left = 0;
  #digits = 0;
  #ignoredBytes = 0;
  #extensions = '';
  #trailers = '';

  /**
   * Moves the data of the chunks together at `from`, and returns where they end. Throws for anything that does not
   * follow RFC 9112, and for bytes after the end of the body.
   */
  decode(bytes: Buffer, from: number): number {
    let to = from;
    let at = from;
    const { length } = bytes;
    while (at < length && !this.isComplete) {
      if (this.#part === 'size') {
        const digit = DIGITS[bytes[at] as number] as number;
        if (digit !== NO_DIGIT && this.#digits < MAX_SIZE_DIGITS) {
          this.#left = this.#left * 16 + digit;
          this.#digits++;
          at++;
        } else if (this.#left > 0 && bytes[at] === CR && bytes[at + 1] === LF) {
          this.#digits = 0;
          this.#part = 'data';
          at += 2;
        } else at = this.#sizeEnd(bytes, at);
      } else if (this.#part === 'data') {
        const end = Math.min(length, at + this.#left);
        if (to !== at) bytes.copyWithin(to, at, end);
        to += end - at;
        this.#left -= end - at;
        at = end;
        if (this.#left > 0) continue;
        const isLine = bytes[at] === CR && bytes[at + 1] === LF;
        this.#part = isLine ? 'size' : 'dataEnd';
        if (isLine) at += 2;
      } else at = this.#skip(bytes, at);
    }
    if (at < length) throw parseError('HPE_CLOSED_CONNECTION', 'bytes after it');
    return to;
  }

  /** Reads the byte after the digits of a size. Returns the position after it. */
  #sizeEnd(bytes: Buffer, at: number): number {
    const byte = bytes[at];
    if (this.#digits === 0 || (byte !== CR && byte !== SEMICOLON)) {
      throw parseError('HPE_INVALID_CHUNK_SIZE', 'size of a chunk');
    }
    this.#digits = 0;
    this.#part = byte === CR ? 'sizeLineEnd' : 'extension';
    return at + 1;
  }

  /** Reads one byte after a size or after data, or the trailers. Returns the position after it. */
  #skip(bytes: Buffer, at: number): number {
    const byte = bytes[at] as number;
    switch (this.#part) {
      case 'extension':
        this.#extension(byte);
        break;
      case 'sizeLineEnd':
        if (byte !== LF) throw parseError('HPE_STRICT', 'size of a chunk');
        this.#part = this.#left === 0 ? 'trailers' : 'data';
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

  /** Ignores the extensions of a chunk, but not those that another parser may read in another way. */
  #extension(byte: number): void {
    if (byte !== CR) {
      this.#extensions += String.fromCharCode(byte);
      this.#ignoredBytes++;
      if (this.#ignoredBytes <= MAX_IGNORED_BYTES) return;
    } else if (EXTENSIONS.test(this.#extensions)) {
      this.#extensions = '';
      this.#part = 'sizeLineEnd';
      return;
    }
    throw parseError('HPE_INVALID_CHUNK_SIZE', 'extensions of a chunk');
  }

  #readTrailers(bytes: Buffer, at: number): number {
    const before = this.#trailers.length;
    this.#trailers += bytes.toString('latin1', at, at + MAX_IGNORED_BYTES + 1);
    const end = this.#trailers.startsWith('\r\n') ? 0 : this.#trailers.indexOf('\r\n\r\n');
    if (end === -1) {
      if (this.#trailers.length <= MAX_IGNORED_BYTES) return bytes.length;
      throw parseError('HPE_HEADER_OVERFLOW', 'trailers');
    }
    if (end > 0) parseTrailers(this.#trailers.slice(0, end).split('\r\n'));
    this.isComplete = true;
    return at + end - before + (end === 0 ? 2 : 4);
  }
}

/** Refuses headers after the body that decide where a body ends, as RFC 9110 does (section 6.5.1). */
function parseTrailers(lines: readonly string[]): void {
  const trailers = parseHeaders(lines);
  if ('content-length' in trailers || 'transfer-encoding' in trailers) {
    throw parseError('HPE_INVALID_HEADER_TOKEN', 'trailers');
  }
}
