import {
  CLOSE_OBJECT,
  COLON,
  isSpace,
  NEWLINE,
  OPEN_OBJECT,
  QUOTE,
  skipSpace,
} from './json-bytes.ts';

/** The result of a search that finds nothing. */
export const NONE = -1;

/**
 * The end of the member name `object`, which every event has. Its first letter is rare, so a search for that letter
 * finds few wrong places.
 */
const OBJECT_NAME_END = Buffer.from('ject"');
const LETTER_J = 0x6a;
const LETTER_E = 0x65;
const LETTER_C = 0x63;
const LETTER_T = 0x74;

/**
 * Number of searches for the letter `j` alone before a search for the whole end. The search for a letter is faster,
 * unless it finds many wrong places.
 */
const LETTER_SEARCHES = 4;

/**
 * Number of bytes from the newline before an event of kube-apiserver's form to the end of its member name `object`. It
 * differs by the length of the type.
 */
const LINE_LENGTHS = ['ADDED', 'DELETED', 'MODIFIED'].map(
  (type) => `\n{"type":"${type}","ob`.length,
);

/**
 * Upper bound of the bytes before an event's member `object`, unless it has other members or much white
 * space.
 */
const MAX_OPENING_BYTES = 64;

/** The letters of the member name before its end, and the last characters of their escaped forms. */
const LETTER_B = 0x62;
const END_OF_ESCAPED_B = 0x32;
const LETTER_O = 0x6f;
const END_OF_ESCAPED_O = 0x66;
const END_OF_ESCAPED_O_UPPER = 0x46;

/**
 * The longest form of the name `object`, in bytes. A name that begins this close to the end of a buffer may continue in
 * the next chunk.
 */
export const MAX_UNSEEN_NAME_BYTES: number = '"\\u006f\\u0062ject"'.length;

/**
 * Returns the next position where the name `object` may end, or `NONE`. It finds `"object"` and the name with its first
 * two letters escaped, as in `"\u006fbject"`; an event whose name has other escapes is split byte by byte.
 */
export function nextObjectName(bytes: Buffer, from: number): number {
  let at = from - 1;
  for (let searches = 0; searches < LETTER_SEARCHES; searches++) {
    at = bytes.indexOf(LETTER_J, at + 1);
    if (at === NONE || (isNameEnd(bytes, at) && mayBeObjectName(bytes, at))) return at;
  }
  do at = bytes.indexOf(OBJECT_NAME_END, at + 1);
  while (at !== NONE && !mayBeObjectName(bytes, at));
  return at;
}

function isNameEnd(bytes: Buffer, at: number): boolean {
  return (
    bytes[at + 1] === LETTER_E &&
    bytes[at + 2] === LETTER_C &&
    bytes[at + 3] === LETTER_T &&
    bytes[at + 4] === QUOTE
  );
}

/**
 * Returns the start of the event in kube-apiserver's form whose member `object` has its name at `name`.
 * Returns `NONE` if that event is not the first one of a line.
 *
 * JSON has no newline within a string, and no `{` directly after a `}`. A line that ends in a brace, followed
 * by a line that begins with one, is therefore the end of an event in any layout.
 */
export function lineBefore(bytes: Buffer, name: number): number {
  for (const length of LINE_LENGTHS) {
    const newline = name - length;
    if (bytes[newline] === NEWLINE) return bytes[newline + 1] === OPEN_OBJECT ? newline + 1 : NONE;
  }
  return NONE;
}

/** Returns the position after the two braces that end an event and its object before `to`, or `NONE`. */
export function eventEnd(bytes: Buffer, to: number): number {
  let end = to;
  while (isSpace(bytes[end - 1] as number)) end--;
  return bytes[end - 1] === CLOSE_OBJECT && bytes[end - 2] === CLOSE_OBJECT ? end : NONE;
}

/** True if a range ends in `}`, ignoring white space at its end; `undefined` if all its bytes are white space. */
export function endsInBrace(bytes: Buffer, from: number, to: number): boolean | undefined {
  let last = to - 1;
  while (last >= from && isSpace(bytes[last] as number)) last--;
  return last < from ? undefined : bytes[last] === CLOSE_OBJECT;
}

/** True if the start of another event may be within the last 64 bytes. */
export function endsInOpening(bytes: Buffer, from: number): boolean {
  const lowest = Math.max(from, bytes.length - MAX_OPENING_BYTES);
  let at = bytes.lastIndexOf(OPEN_OBJECT);
  while (at > lowest && endsInBrace(bytes, from, at) !== true) {
    at = bytes.lastIndexOf(OPEN_OBJECT, at - 1);
  }
  return at > lowest;
}

function mayBeObjectName(bytes: Buffer, at: number): boolean {
  const before = bytes[at - 1];
  const first = bytes[at - 2];
  const isEscaped = before === END_OF_ESCAPED_B;
  const isLiteral = before === LETTER_B && mayEndO(first);
  if (!isEscaped && !isLiteral) return false;
  const next = skipSpace(bytes, at + OBJECT_NAME_END.length, bytes.length);
  return next === bytes.length || bytes[next] === COLON;
}

function mayEndO(byte: number | undefined): boolean {
  return byte === LETTER_O || byte === END_OF_ESCAPED_O || byte === END_OF_ESCAPED_O_UPPER;
}
