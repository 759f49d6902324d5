import {
  BACKSLASH,
  CLOSE_ARRAY,
  CLOSE_OBJECT,
  malformedObject,
  MAX_DEPTH,
  OPEN_ARRAY,
  OPEN_OBJECT,
  QUOTE,
  skipScalar,
  UNFINISHED,
} from './json-bytes.ts';

/** Finds the end of one JSON value that may be spread over any number of chunks. */
export class JsonValueEnd {
  #depth = 0;
  #isScalar = false;
  #inString = false;
  #isEscaped = false;

  /** Starts a value whose first byte is `first`. The caller must still push that byte. */
  start(first: number): void {
    this.#depth = 0;
    this.#isScalar = first !== QUOTE && first !== OPEN_OBJECT && first !== OPEN_ARRAY;
    this.#inString = false;
    this.#isEscaped = false;
  }

  /** Returns the position after the value, or `UNFINISHED` if the chunk ends first. */
  push(bytes: Uint8Array, from: number, to: number): number {
    if (this.#isScalar) return skipScalar(bytes, from, to);
    for (let i = from; i < to; i++) {
      if (this.#inString) {
        i = this.#string(bytes, i, to);
        if (i === to) return UNFINISHED;
      } else this.#structure(bytes[i] as number);
      if (this.#depth === 0 && !this.#inString) return i + 1;
    }
    return UNFINISHED;
  }

  /** Returns the position of the closing quote, or `to` if the chunk ends within the string. */
  #string(bytes: Uint8Array, at: number, to: number): number {
    let i = at;
    if (this.#isEscaped) i++;
    this.#isEscaped = false;
    for (; i < to; i++) {
      const byte = bytes[i];
      if (byte === QUOTE) break;
      if (byte === BACKSLASH) i++;
    }
    this.#isEscaped = i > to;
    if (i >= to) return to;
    this.#inString = false;
    return i;
  }

  #structure(byte: number): void {
    if (byte === QUOTE) this.#inString = true;
    else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
      if (++this.#depth > MAX_DEPTH) throw malformedObject('nested too deeply');
    } else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) this.#depth--;
  }
}
