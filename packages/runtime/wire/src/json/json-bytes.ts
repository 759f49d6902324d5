import { CodedError } from '@keelson/apimachinery';
import { wireErrors } from '../errors.ts';
import { ContainerSearch, UNDECIDED } from '../simd/container-search.ts';

export const QUOTE = 0x22;
export const COMMA = 0x2c;
export const COLON = 0x3a;
export const OPEN_ARRAY = 0x5b;
export const BACKSLASH = 0x5c;
export const CLOSE_ARRAY = 0x5d;
export const OPEN_OBJECT = 0x7b;
export const CLOSE_OBJECT = 0x7d;
export const NEWLINE = 0x0a;

/** Returned by a scan if the bytes end before the value. */
export const UNFINISHED = -1;

/** Maximum depth of nesting, as in Go's encoding/json. API servers write no deeper value. */
export const MAX_DEPTH = 10_000;

/**
 * The search that all watches share. A search ends within its call, and the next one overwrites its copy of at most 8
 * KB. A search for each watch would take 15 KB of memory and 10 GB of address space.
 */
export const containerSearch: ContainerSearch = new ContainerSearch(MAX_DEPTH);

/** Returns a Buffer over the same bytes without copying them. */
export function asBuffer(bytes: Uint8Array): Buffer {
  if (Buffer.isBuffer(bytes)) return bytes;
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** True for the white space of JSON. */
export function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === NEWLINE || byte === 0x0d || byte === 0x09;
}

/** Returns the position of the first byte at or after `at` that is not white space, or `to`. */
export function skipSpace(bytes: Uint8Array, at: number, to: number): number {
  while (at < to && isSpace(bytes[at] as number)) at++;
  return at;
}

/** Returns the position after the string whose opening quote is at `at`. */
export function skipString(bytes: Uint8Array, at: number, to: number): number {
  for (let i = at + 1; i < to; i++) {
    const byte = bytes[i];
    if (byte === QUOTE) return i + 1;
    if (byte === BACKSLASH) i++;
  }
  return UNFINISHED;
}

/** Returns the position after the value that begins at `at`. A scalar ends only at a following byte. */
export function skipValue(bytes: Uint8Array, at: number, to: number): number {
  const first = bytes[at] as number;
  if (first === QUOTE) return skipString(bytes, at, to);
  if (first === OPEN_OBJECT || first === OPEN_ARRAY) return skipContainer(bytes, at, to);
  return skipScalar(bytes, at, to);
}

function skipContainer(bytes: Uint8Array, at: number, to: number): number {
  const end = containerSearch.whole(asBuffer(bytes), at, to);
  return end === UNDECIDED ? readContainer(bytes, at, to) : end;
}

/**
 * Finds the end of a container by counting brackets of both forms together. The parser of the range detects brackets
 * that do not match.
 */
function readContainer(bytes: Uint8Array, at: number, to: number): number {
  let depth = 0;
  for (let i = at; i < to; i++) {
    const byte = bytes[i] as number;
    if (byte === QUOTE) {
      for (i++; i < to; i++) {
        const inside = bytes[i];
        if (inside === QUOTE) break;
        if (inside === BACKSLASH) i++;
      }
    } else if (byte >= OPEN_ARRAY) {
      if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
        if (++depth > MAX_DEPTH) throw malformedObject('nested too deeply');
      } else if ((byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) && --depth === 0) return i + 1;
    }
  }
  return UNFINISHED;
}

/** Returns the position of the byte that ends the number or the word, or `UNFINISHED` if it reaches `to`. */
export function skipScalar(bytes: Uint8Array, at: number, to: number): number {
  for (let i = at; i < to; i++) if (endsScalar(bytes[i] as number)) return i;
  return UNFINISHED;
}

function endsScalar(byte: number): boolean {
  return byte === COMMA || byte === CLOSE_OBJECT || byte === CLOSE_ARRAY || isSpace(byte);
}

/**
 * Parses a range. The error has no cause, because the parser's message quotes bytes around the error, which
 * may belong to a Secret.
 */
export function parseRange(bytes: Uint8Array, from: number, to: number): unknown {
  return parseText(asBuffer(bytes).toString('utf8', from, to));
}

/**
 * Parses a range that has not been scanned. In addition to `parseRange` it throws if values are nested deeper than
 * `MAX_DEPTH`.
 */
export function parseUnscannedRange(bytes: Uint8Array, from: number, to: number): unknown {
  skipValue(bytes, skipSpace(bytes, from, to), to);
  return parseRange(bytes, from, to);
}

/** Parses a text of JSON. Like that of `parseRange`, the error has no cause. */
export function parseText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw malformedObject('the JSON does not parse');
  }
}

export function malformedObject(reason: string): CodedError<'MALFORMED_OBJECT'> {
  return new CodedError('MALFORMED_OBJECT', wireErrors.MALFORMED_OBJECT, { reason });
}
