import { FrameBuffer } from '../frames/frame-buffer.ts';
import { ByteOrderMark } from './byte-order-mark.ts';
import { CodedError } from '@keelson/apimachinery';
import { wireErrors } from '../errors.ts';
import {
  ByteFrame,
  noPositions,
  type Format,
  type Frame,
  type ListSplitter,
} from '../frames/format.ts';
import {
  asBuffer,
  CLOSE_ARRAY,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  isSpace,
  OPEN_ARRAY,
  OPEN_OBJECT,
  parseRange,
  QUOTE,
  UNFINISHED,
} from './json-bytes.ts';
import { scanWhole } from './json-scanner.ts';
import { JsonValueEnd } from './json-value-end.ts';
import type { ListMeta } from '@keelson/apimachinery';

/** The position of the next byte in the list. */
type Place =
  /** Before the list's opening brace. */
  | 'before'
  /** Before a member's name, a comma or the closing brace. */
  | 'members'
  /** Inside a member's name. */
  | 'name'
  /** Between a name and its colon. */
  | 'colon'
  /** Between a colon and the value. */
  | 'value'
  /** Inside the value of a member other than items. */
  | 'inside value'
  /** Between two items. */
  | 'items'
  /** Inside an item that its chunk did not end. */
  | 'inside item'
  /** After the list. */
  | 'after';

/**
 * Splits a list response into its items as it arrives. An item within one chunk is a range of that chunk; an
 * item that spans chunks is collected in a reused buffer. The list is never in memory as a whole, and any
 * white space and order of members is accepted.
 */
export class JsonListSplitter implements ListSplitter {
  apiVersion: string | undefined;
  kind: string | undefined;
  metadata: ListMeta | undefined;
  hasItems: boolean = false;

  readonly #format: Format;
  readonly #valueEnd = new JsonValueEnd();
  readonly #mark = new ByteOrderMark();
  readonly #carry = new FrameBuffer();
  #place: Place = 'before';
  #name = '';
  #frames: Frame[] = [];

  constructor(format: Format) {
    this.#format = format;
  }

  push(chunk: Uint8Array): readonly Frame[] {
    const bytes = asBuffer(chunk);
    const frames: Frame[] = [];
    this.#frames = frames;
    try {
      this.#carry.reuse();
      let at = this.#mark.skip(bytes, 0);
      while (at < bytes.length) at = this.#step(bytes, at);
    } finally {
      // A frame that is kept here would keep its chunk in memory.
      this.#frames = [];
    }
    return frames;
  }

  end(): void {
    if (this.#place === 'after') return;
    throw new CodedError('TRUNCATED_RESPONSE', wireErrors.TRUNCATED_RESPONSE, {
      response: 'list',
      place: this.#place,
    });
  }

  #step(bytes: Buffer, at: number): number {
    switch (this.#place) {
      case 'name':
      case 'inside value':
      case 'inside item':
        return this.#continue(bytes, at, at);
      default:
        return isSpace(bytes[at] as number) ? at + 1 : this.#token(bytes, at, bytes[at] as number);
    }
  }

  #token(bytes: Buffer, at: number, byte: number): number {
    switch (this.#place) {
      case 'before':
        return this.#expect(byte === OPEN_OBJECT, 'members', at);
      case 'members':
        return this.#member(bytes, at, byte);
      case 'colon':
        return this.#expect(byte === COLON, 'value', at);
      case 'value':
        return this.#value(bytes, at, byte);
      case 'items':
        return this.#item(bytes, at, byte);
      default:
        throw this.#malformed();
    }
  }

  #expect(isThere: boolean, next: Place, at: number): number {
    if (!isThere) throw this.#malformed();
    this.#place = next;
    return at + 1;
  }

  #member(bytes: Buffer, at: number, byte: number): number {
    if (byte === COMMA) return at + 1;
    if (byte === QUOTE) return this.#begin('name', bytes, at);
    return this.#expect(byte === CLOSE_OBJECT, 'after', at);
  }

  #value(bytes: Buffer, at: number, byte: number): number {
    if (this.#name === 'items') this.hasItems = true;
    if (this.#name !== 'items' || byte !== OPEN_ARRAY) {
      return this.#begin('inside value', bytes, at);
    }
    this.#place = 'items';
    return at + 1;
  }

  #item(bytes: Buffer, at: number, byte: number): number {
    if (byte === COMMA) return at + 1;
    if (byte === CLOSE_ARRAY) return this.#expect(true, 'members', at);
    if (byte !== OPEN_OBJECT) throw this.#malformed();
    const positions = noPositions();
    const end = scanWhole(bytes, at, bytes.length, positions);
    if (end === UNFINISHED) return this.#begin('inside item', bytes, at);
    this.#frames.push(new ByteFrame(this.#format, 'ADDED', bytes, at, end, positions));
    return end;
  }

  #begin(place: Place, bytes: Buffer, at: number): number {
    this.#place = place;
    this.#valueEnd.start(bytes[at] as number);
    return this.#continue(bytes, at, at);
  }

  /** Continues a value that may have begun in an earlier chunk. */
  #continue(bytes: Buffer, from: number, at: number): number {
    const end = this.#valueEnd.push(bytes, at, bytes.length);
    const to = end === UNFINISHED ? bytes.length : end;
    if (end === UNFINISHED || this.#carry.length > 0) {
      if (this.#isWanted()) this.#carry.append(bytes, from, to);
    }
    if (end !== UNFINISHED) this.#complete(bytes, from, end);
    return to;
  }

  #complete(bytes: Buffer, from: number, to: number): void {
    if (this.#carry.length === 0) return this.#yieldItem(bytes, from, to);
    const carried = this.#carry.take();
    this.#yieldItem(carried, 0, carried.length);
  }

  #yieldItem(bytes: Buffer, from: number, to: number): void {
    if (this.#place === 'inside item') {
      this.#place = 'items';
      this.#frames.push(new ByteFrame(this.#format, 'ADDED', bytes, from, to));
    } else if (this.#place === 'name') {
      this.#place = 'colon';
      this.#name = parseRange(bytes, from, to) as string;
    } else {
      if (this.#isWanted()) this.#note(parseRange(bytes, from, to));
      this.#place = 'members';
    }
  }

  #note(value: unknown): void {
    if (value === null) return;
    const expected = this.#name === 'metadata' ? 'object' : 'string';
    if (this.#name === 'items' || typeof value !== expected) throw this.#malformed();
    if (this.#name === 'metadata') this.metadata = value as ListMeta;
    if (this.#name === 'kind') this.kind = value as string;
    if (this.#name === 'apiVersion') this.apiVersion = value as string;
  }

  /** False for a member that the splitter skips without collecting its bytes, such as the rows of a Table. */
  #isWanted(): boolean {
    return this.#place !== 'inside value' || WANTED.has(this.#name);
  }

  #malformed(): CodedError {
    return new CodedError('MALFORMED_LIST', wireErrors.MALFORMED_LIST, {
      place: this.#place,
    });
  }
}

const WANTED: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata', 'items']);
