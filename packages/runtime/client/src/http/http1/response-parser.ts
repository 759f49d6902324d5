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

/** The headers of a response by their names in lower case. A repeated header has a list. */
type ResponseHeaders = Readonly<Record<string, string | string[]>>;

/** How the end of a body is known: by chunks, by its length, which may be 0, or by the end of the connection. */
type BodyLength = 'chunked' | 'untilClose' | number;

/** The status and the headers of a response. */
export interface ResponseHead {
  readonly statusCode: number;
  readonly headers: ResponseHeaders;
  readonly body: BodyLength;
}

const STATUS_LINE = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: [\t\x20-\x7e\x80-\xff]*)?$/;
/**
 * A header in one line. A space before the colon, a value that continues on the next line and a control character are
 * refused, because parsers disagree about their meaning.
 */
const HEADER = /^([!#$%&'*+\-.^_`|~\w]+):[\t ]*([\t\x20-\x7e\x80-\xff]*)$/;
/** A tab after the value of a header that decides where the body ends. Node's parser takes it for a part of the value. */
const TAB_AFTER_FRAMING = /^(?:content-length|transfer-encoding):.*\t[\t ]*$/i;
/** A list of connection options with `close`. */
const CLOSE = /(?:^|,)[\t ]*close[\t ]*(?:,|$)/i;
/** A length that a number holds exactly. */
const LENGTH = /^\d{1,15}$/;

/**
 * Parses the lines before the body, without the empty line at their end. Throws for anything that another parser might
 * read in another way: two lengths, a length beside chunks, a coding other than chunks, an informational response after which
 * the connection ends.
 */
function parseHead(text: string): ResponseHead {
  const lines = text.split('\r\n');
  const [, minor, code] = STATUS_LINE.exec(lines[0] as string) ?? [];
  if (code === undefined) throw parseError('HPE_INVALID_CONSTANT', 'status line');
  const statusCode = Number(code);
  if (statusCode === 101) throw parseError('HPE_INVALID', 'upgrade');
  const headers = parseHeaders(lines.slice(1));
  if (statusCode < 200 && (minor === '0' || CLOSE.test(String(headers['connection'])))) {
    throw parseError('HPE_CLOSED_CONNECTION', 'an informational response ends the connection');
  }
  return { statusCode, headers, body: bodyLength(statusCode, headers, minor === '1') };
}

/** Parses header lines. */
function parseHeaders(lines: readonly string[]): ResponseHeaders {
  const headers = Object.create(null) as Record<string, string | string[]>;
  for (const line of lines) {
    const [, name, value] = HEADER.exec(line) ?? [];
    if (name === undefined || TAB_AFTER_FRAMING.test(line)) {
      throw parseError('HPE_INVALID_HEADER_TOKEN', 'header');
    }
    const key = name.toLowerCase();
    const sent = (value as string).replace(/[\t ]+$/, '');
    const earlier = headers[key];
    headers[key] = earlier === undefined ? sent : [earlier, sent].flat();
  }
  return headers;
}

function bodyLength(statusCode: number, headers: ResponseHeaders, hasChunks: boolean): BodyLength {
  const length = headers['content-length'];
  const coding = headers['transfer-encoding'];
  if (length !== undefined && (Array.isArray(length) || !LENGTH.test(length))) {
    throw parseError('HPE_INVALID_CONTENT_LENGTH', 'content-length');
  }
  if (coding !== undefined) {
    const isChunked = hasChunks && String(coding).toLowerCase() === 'chunked';
    if (!isChunked) throw parseError('HPE_INVALID_TRANSFER_ENCODING', 'transfer-encoding');
    if (length !== undefined) throw parseError('HPE_INVALID_TRANSFER_ENCODING', 'two lengths');
  }
  if (statusCode < 200 || statusCode === 204 || statusCode === 304) return 0;
  if (coding !== undefined) return 'chunked';
  return length === undefined ? 'untilClose' : Number(length);
}

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
class ChunkedBody {
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

/** Returns the error of a response that does not follow HTTP/1.1. Its code is that of llhttp, which undici reports too. */
function parseError(code: string, reason: string): Error {
  return Object.assign(new Error(`the response does not follow HTTP/1.1: ${reason}`), { code });
}
