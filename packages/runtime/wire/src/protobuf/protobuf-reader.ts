import { asBuffer, malformedObject } from '../json/json-bytes.ts';

/** The wire types of protobuf, the lowest three bits of a tag. */
export const VARINT = 0;
const FIXED64 = 1;
export const BYTES = 2;
const FIXED32 = 5;

/** A varint of 64 bits has at most ten bytes. */
const MAX_VARINT_BYTES = 10;
const TWO_32 = 2 ** 32;
/** Strings up to this length are read without a native call, which costs more than the loop. */
const SHORT_STRING_BYTES = 6;

/**
 * The names of entries that were read last, each at a place that its length and two of its bytes decide. Most objects of
 * a list have the same labels, so that a name is rarely read anew. They are ASCII, and longer names are not kept.
 */
const lastNames: string[] = Array.from({ length: 256 }, () => '');
const MAX_KEPT_NAME_BYTES = 63;

/**
 * Reads the parts of a protobuf message in sequence. Every read is checked against `to`, and throws
 * `MALFORMED_OBJECT` if the bytes end first, so invalid bytes cost no more than valid ones.
 */
export class ProtobufReader {
  declare readonly bytes: Buffer;
  declare at: number;
  /**
   * The end of the message. To read a nested message, the caller sets it to the end of that message and restores it
   * afterwards.
   */
  declare to: number;
  /** The number of messages that were decoded. */
  declare messages: number;

  constructor(bytes: Uint8Array, from: number, to: number) {
    this.bytes = Buffer.isBuffer(bytes) ? bytes : asBuffer(bytes);
    this.at = from;
    this.to = to;
    this.messages = 0;
  }

  /** Reads an unsigned number of at most 32 bits, such as a tag or a length. */
  small(): number {
    if (this.at >= this.to) throw cutOff();
    const byte = this.bytes[this.at++] as number;
    return byte < 0x80 ? byte : this.#long(byte & 0x7f);
  }

  /** Reads a length, and returns the position at which the bytes of that length end. */
  end(): number {
    if (this.at >= this.to) throw cutOff();
    const byte = this.bytes[this.at++] as number;
    const length = byte < 0x80 ? byte : this.#long(byte & 0x7f);
    if (length > this.to - this.at) throw cutOff();
    return this.at + length;
  }

  /** Reads a signed integer. Beyond 2⁵³ it is rounded as JSON.parse rounds its digits. */
  integer(): number {
    if (this.at >= this.to) throw cutOff();
    const byte = this.bytes[this.at++] as number;
    if (byte < 0x80) return byte;
    let low = byte & 0x7f;
    let high = 0;
    for (let index = 1; index < MAX_VARINT_BYTES; index++) {
      if (this.at >= this.to) throw cutOff();
      const next = this.bytes[this.at++] as number;
      const bits = next & 0x7f;
      if (index < 4) low += bits * 2 ** (7 * index);
      else if (index === 4) {
        low += (bits & 0x0f) * 2 ** 28;
        high = bits >>> 4;
      } else high += bits * 2 ** (7 * index - 32);
      if (next >= 0x80) continue;
      high %= TWO_32;
      return high < TWO_32 / 2 ? high * TWO_32 + low : negative(low, high);
    }
    throw malformedObject('a number is too long');
  }

  /** Returns the string of a range; `undefined` if it is missing. */
  textAt(from: number, to: number): string | undefined {
    if (from === -1) return undefined;
    this.at = from;
    return this.text(to);
  }

  /** Reads the string up to `end`. */
  text(end: number): string {
    const { bytes, at } = this;
    this.at = end;
    if (end - at > SHORT_STRING_BYTES) return bytes.toString('utf8', at, end);
    let text = '';
    for (let i = at; i < end; i++) {
      const byte = bytes[i] as number;
      if (byte >= 0x80) return bytes.toString('utf8', at, end);
      text += String.fromCharCode(byte);
    }
    return text;
  }

  /** Reads the name of an entry of a map up to `end`, as `text` does. */
  name(end: number): string {
    const { bytes, at } = this;
    const length = end - at;
    if (length === 0 || length > MAX_KEPT_NAME_BYTES) return this.text(end);
    const first = bytes[at] as number;
    const last = bytes[end - 1] as number;
    const place = (length * 31 + first * 7 + last) % lastNames.length;
    const known = lastNames[place] as string;
    let equal = 0;
    if (known.length === length) {
      while (equal < length && bytes[at + equal] === known.charCodeAt(equal)) equal++;
    }
    if (equal === length) {
      this.at = end;
      return known;
    }
    const name = this.text(end);
    // Only ASCII has as many characters as bytes. Invalid bytes may have too, but no byte equals their replacement.
    if (name.length === length) lastNames[place] = name;
    return name;
  }

  /** Skips the value after a tag. Kubernetes has no groups, so their wire types are refused. */
  skip(tag: number): void {
    const wireType = tag & 7;
    if (wireType === BYTES) this.at = this.end();
    else if (wireType === VARINT) this.integer();
    else if (wireType === FIXED64) this.#advance(8);
    else if (wireType === FIXED32) this.#advance(4);
    else throw malformedObject('unknown wire type');
  }

  /** Reads the rest of a number whose lowest bits have been read. */
  #long(lowest: number): number {
    let value = lowest;
    for (let shift = 7; shift < 28; shift += 7) {
      const next = this.#byte();
      value |= (next & 0x7f) << shift;
      if (next < 0x80) return value;
    }
    const last = this.#byte();
    if (last > 0x0f) throw malformedObject('a number is too long');
    return value + last * 2 ** 28;
  }

  #advance(length: number): void {
    if (length > this.to - this.at) throw cutOff();
    this.at += length;
  }

  #byte(): number {
    if (this.at >= this.to) throw cutOff();
    return this.bytes[this.at++] as number;
  }
}

/** Returns the number of a negative two's complement of 64 bits. Both products are exact, so only the sum is rounded. */
function negative(low: number, high: number): number {
  return -((TWO_32 - 1 - high) * TWO_32 + (TWO_32 - low));
}

function cutOff(): Error {
  return malformedObject('the object is cut off');
}
