import { parseError } from './parse-error.ts';

/** The headers of a response by their names in lower case. A repeated header has a list. */
export type ResponseHeaders = Readonly<Record<string, string | string[]>>;

/** How the end of a body is known: by chunks, by its length, which may be 0, or by the end of the connection. */
export type BodyLength = 'chunked' | 'untilClose' | number;

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
/** A length that a number holds exactly. */
const LENGTH = /^\d{1,15}$/;

/**
 * Parses the lines before the body, without the empty line at their end. Throws for anything that another parser might
 * read in another way: two lengths, a length beside chunks, a coding other than chunks.
 */
export function parseHead(text: string): ResponseHead {
  const lines = text.split('\r\n');
  const [, minor, code] = STATUS_LINE.exec(lines[0] as string) ?? [];
  if (code === undefined) throw parseError('HPE_INVALID_CONSTANT', 'status line');
  const statusCode = Number(code);
  if (statusCode === 101) throw parseError('HPE_INVALID', 'upgrade');
  const headers = parseHeaders(lines.slice(1));
  return { statusCode, headers, body: bodyLength(statusCode, headers, minor === '1') };
}

/** Parses header lines. */
export function parseHeaders(lines: readonly string[]): ResponseHeaders {
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
