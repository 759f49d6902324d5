import {
  BACKSLASH,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  malformedObject,
  parseRange,
  QUOTE,
  skipSpace,
  skipValue,
  UNFINISHED,
} from './json-bytes.ts';

/** The result of one step over an object's members. */
export type MemberStep = 'member' | 'end' | 'unfinished';

/**
 * Iterates over the members of one object without allocation. After `next()` has returned `member`, `at` is the start
 * of the value. The caller then moves `at` past the value, with `skip()` or by an assignment.
 */
export class JsonMembers {
  readonly bytes: Uint8Array;
  at: number;
  readonly to: number;
  keyFrom = 0;
  keyTo = 0;
  /** True if the name contains escapes, so that it may equal another name. */
  isEscaped = false;
  /** Position of the comma before the member, or -1 for the first one. */
  comma = -1;

  /** Starts after the object's opening brace. */
  constructor(bytes: Uint8Array, at: number, to: number) {
    this.bytes = bytes;
    this.at = at;
    this.to = to;
  }

  next(): MemberStep {
    const { bytes, to } = this;
    let at = skipSpace(bytes, this.at, to);
    this.comma = -1;
    if (at < to && bytes[at] === COMMA) {
      this.comma = at;
      at = skipSpace(bytes, at + 1, to);
    }
    if (at >= to) return 'unfinished';
    if (bytes[at] !== QUOTE) return this.#end(at);
    return this.#key(at);
  }

  /** Moves past the value. False if the bytes end first. */
  skip(): boolean {
    const end = skipValue(this.bytes, this.at, this.to);
    if (end === UNFINISHED) return false;
    this.at = end;
    return true;
  }

  /** True if the member has this name, with or without escapes. */
  isName(word: Uint8Array): boolean {
    const length = this.keyTo - this.keyFrom;
    if (length === word.length) return matches(this.bytes, this.keyFrom, word);
    return this.isEscaped && length > word.length && this.#decodesTo(word);
  }

  /** True if the member has this name without escapes. */
  isPlainName(word: Uint8Array): boolean {
    return this.keyTo - this.keyFrom === word.length && matches(this.bytes, this.keyFrom, word);
  }

  #end(at: number): MemberStep {
    if (this.bytes[at] !== CLOSE_OBJECT) throw malformedObject('a member has no name');
    this.at = at + 1;
    return 'end';
  }

  /** Finds the end of the name as `skipString` does, and notes escapes, so that each byte of a name is read once. */
  #key(at: number): MemberStep {
    const { bytes, to } = this;
    this.isEscaped = false;
    let end = at + 1;
    for (; end < to && bytes[end] !== QUOTE; end++) {
      if (bytes[end] !== BACKSLASH) continue;
      this.isEscaped = true;
      end++;
    }
    this.keyFrom = at + 1;
    this.keyTo = end;
    const colon = skipSpace(bytes, end + 1, to);
    if (colon >= to) return 'unfinished';
    if (bytes[colon] !== COLON) throw malformedObject('a member has no value');
    this.at = skipSpace(bytes, colon + 1, to);
    return this.at < to ? 'member' : 'unfinished';
  }

  #decodesTo(word: Uint8Array): boolean {
    const name = parseRange(this.bytes, this.keyFrom - 1, this.keyTo + 1);
    return name === Buffer.from(word).toString();
  }
}

function matches(bytes: Uint8Array, from: number, word: Uint8Array): boolean {
  for (let i = 0; i < word.length; i++) if (bytes[from + i] !== word[i]) return false;
  return true;
}
