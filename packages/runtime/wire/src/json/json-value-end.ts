import {
  asBuffer,
  BACKSLASH,
  CLOSE_ARRAY,
  CLOSE_OBJECT,
  containerSearch,
  malformedObject,
  MAX_DEPTH,
  OPEN_ARRAY,
  OPEN_OBJECT,
  QUOTE,
  skipScalar,
  UNFINISHED,
} from './json-bytes.ts';
import { UNDECIDED, type SearchState } from '../simd/container-search.ts';

/** Finds the end of one JSON value that may be spread over any number of chunks. */
export class JsonValueEnd {
  readonly #state: SearchState = { depth: 0, inString: 0, isEscaped: 0 };
  #isScalar = false;
  #isContainer = false;

  /** Starts a value whose first byte is `first`. The caller must still push that byte. */
  start(first: number): void {
    this.#state.depth = 0;
    this.#state.inString = 0;
    this.#state.isEscaped = 0;
    this.#isContainer = first === OPEN_OBJECT || first === OPEN_ARRAY;
    this.#isScalar = !this.#isContainer && first !== QUOTE;
  }

  /** Returns the position after the value, or `UNFINISHED` if the chunk ends first. */
  push(bytes: Uint8Array, from: number, to: number): number {
    if (this.#isScalar) return skipScalar(bytes, from, to);
    if (!this.#isContainer) return this.#read(bytes, from, to);
    const end = containerSearch.find(asBuffer(bytes), from, to, this.#state);
    return end === UNDECIDED ? this.#read(bytes, containerSearch.at, to) : end;
  }

  #read(bytes: Uint8Array, from: number, to: number): number {
    const state = this.#state;
    for (let i = from; i < to; i++) {
      if (state.inString === 1) {
        i = this.#string(bytes, i, to);
        if (i === to) return UNFINISHED;
      } else this.#structure(bytes[i] as number);
      if (state.depth === 0 && state.inString === 0) return i + 1;
    }
    return UNFINISHED;
  }

  /** Returns the position of the closing quote, or `to` if the chunk ends within the string. */
  #string(bytes: Uint8Array, at: number, to: number): number {
    const state = this.#state;
    let i = at + state.isEscaped;
    state.isEscaped = 0;
    for (; i < to; i++) {
      const byte = bytes[i];
      if (byte === QUOTE) break;
      if (byte === BACKSLASH) i++;
    }
    if (i > to) state.isEscaped = 1;
    if (i >= to) return to;
    state.inString = 0;
    return i;
  }

  #structure(byte: number): void {
    const state = this.#state;
    if (byte === QUOTE) state.inString = 1;
    else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
      if (++state.depth > MAX_DEPTH) throw malformedObject('nested too deeply');
    } else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) state.depth--;
  }
}
