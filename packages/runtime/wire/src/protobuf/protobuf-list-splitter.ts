import { CodedError, type ListMeta } from '@keelson/apimachinery';
import { wireErrors } from '../errors.ts';
import {
  ByteFrame,
  noPositions,
  type Format,
  type Frame,
  type ListSplitter,
} from '../frames/format.ts';
import { FrameBuffer, MAX_FRAME_BYTES } from '../frames/frame-buffer.ts';
import { asBuffer } from '../json/json-bytes.ts';
import { expectNoContent, MAGIC, RAW, readType, TYPE_META } from './object-scanner.ts';
import type { KindTable } from './kind-table.ts';
import { decodeMessage } from './message-decoder.ts';
import { BYTES, ProtobufReader } from './protobuf-reader.ts';

/** The tags of the two fields that every list has. */
const METADATA = 1 * 8 + BYTES;
const ITEMS = 2 * 8 + BYTES;

/** The position of the next byte in the list. */
type Place =
  /** In the bytes that precede the envelope. */
  | 'magic'
  /** Before a field of the envelope. */
  | 'envelope'
  /** Before a field of the list. */
  | 'list'
  /** In an object that is not a list. */
  | 'other object'
  /** After the list, where the envelope may continue. */
  | 'after';

/**
 * Splits a list response into its items as it arrives. A field that spans chunks is collected in a reused buffer, so
 * the list is never in memory as a whole.
 */
export class ProtobufListSplitter implements ListSplitter {
  apiVersion: string | undefined;
  kind: string | undefined;
  metadata: ListMeta | undefined;
  hasItems: boolean = false;

  readonly #format: Format;
  readonly #table: KindTable;
  readonly #reported: (error: unknown) => unknown;
  /** The bytes of a field that earlier chunks have begun. */
  readonly #carry = new FrameBuffer();
  #place: Place = 'magic';
  /** Number of bytes of the list that have not been read. */
  #rest = 0;
  #frames: Frame[] = [];

  /** `reported` receives each error of `push`, and returns the error to throw. */
  constructor(format: Format, table: KindTable, reported: (error: unknown) => unknown) {
    this.#format = format;
    this.#table = table;
    this.#reported = reported;
  }

  push(chunk: Uint8Array): readonly Frame[] {
    try {
      return this.#split(asBuffer(chunk));
    } catch (error) {
      throw this.#reported(error);
    } finally {
      this.#frames = [];
    }
  }

  #split(bytes: Buffer): readonly Frame[] {
    const frames: Frame[] = [];
    this.#frames = frames;
    this.#carry.reuse();
    let at = 0;
    while (at < bytes.length) {
      at = this.#carry.length > 0 ? this.#continue(bytes, at) : this.#step(bytes, at);
    }
    return frames;
  }

  end(): void {
    if (this.#place === 'after' && this.#carry.length === 0) return;
    throw new CodedError('TRUNCATED_RESPONSE', wireErrors.TRUNCATED_RESPONSE, {
      response: 'list',
      place: this.#place,
    });
  }

  /** Reads one part if these bytes contain all of it; otherwise begins to collect it. */
  #step(bytes: Buffer, at: number): number {
    if (this.#place === 'other object') return this.#skip(bytes, at);
    const end = this.#partEnd(bytes, at, bytes.length);
    if (end === UNKNOWN || end > bytes.length) {
      this.#carry.append(bytes, at, bytes.length);
      return bytes.length;
    }
    this.#part(bytes, at, end);
    return end;
  }

  /** Collects no more than one part, so that items do not share bytes. */
  #continue(bytes: Buffer, at: number): number {
    const carry = this.#carry;
    const end = this.#partEnd(carry.bytes, 0, carry.length);
    // A tag and a length have a few bytes. Until both are known, they are collected byte by byte.
    const wanted = end === UNKNOWN ? 1 : end - carry.length;
    const taken = Math.min(wanted, bytes.length - at);
    carry.append(bytes, at, at + taken);
    const completeAt = end === UNKNOWN ? this.#partEnd(carry.bytes, 0, carry.length) : end;
    if (completeAt === carry.length) {
      const carried = carry.take();
      this.#part(carried, 0, carried.length);
    }
    return at + taken;
  }

  /**
   * Returns the end of the part that begins at `from`, or `UNKNOWN` if its length is not within these bytes. The part
   * that begins the list ends after the length of the list, because each field of the list is a part of its own.
   */
  #partEnd(bytes: Buffer, from: number, to: number): number {
    if (this.#place === 'magic') return from + MAGIC.length;
    const reader = new ProtobufReader(bytes, from, to);
    if (!endsVarint(bytes, from, to)) return UNKNOWN;
    const tag = reader.small();
    if ((tag & 7) !== BYTES) throw this.#malformed();
    if (!endsVarint(bytes, reader.at, to)) return UNKNOWN;
    const length = reader.small();
    if (this.#place === 'envelope' && tag === RAW) return reader.at;
    const end = reader.at + length;
    if (this.#place === 'list' && end - from > this.#rest) throw this.#malformed();
    if (length <= MAX_FRAME_BYTES) return end;
    throw new CodedError('FRAME_TOO_LARGE', wireErrors.FRAME_TOO_LARGE, {
      bytes: length,
      most: MAX_FRAME_BYTES,
    });
  }

  #part(bytes: Buffer, from: number, to: number): void {
    if (this.#place === 'magic') {
      if (MAGIC.compare(bytes, from, to) !== 0) throw this.#malformed();
      this.#place = 'envelope';
      return;
    }
    const reader = new ProtobufReader(bytes, from, to);
    const tag = reader.small();
    const length = reader.small();
    if (this.#place === 'list') {
      this.#field(bytes, tag, reader.at, to);
      this.#leave(to - from);
    } else if (this.#place === 'envelope' && tag === RAW) this.#enter(length);
    else if (this.#place === 'envelope' && tag === TYPE_META) this.#note(bytes, reader.at, to);
    else expectNoContent(tag, length);
  }

  #field(bytes: Buffer, tag: number, from: number, to: number): void {
    if (tag === ITEMS) {
      this.#frames.push(new ByteFrame(this.#format, 'ADDED', bytes, from, to));
    } else if (tag === METADATA && this.metadata === undefined) {
      const metadata: ListMeta = {};
      decodeMessage(new ProtobufReader(bytes, from, to), this.#table.listMetadata, metadata);
      this.metadata = metadata;
    } else throw this.#malformed();
  }

  #note(bytes: Buffer, from: number, to: number): void {
    const reader = new ProtobufReader(bytes, from, to);
    const positions = noPositions();
    readType(reader, to, positions);
    const { apiVersionFrom, apiVersionTo, kindFrom, kindTo } = positions;
    this.apiVersion = reader.textAt(apiVersionFrom, apiVersionTo) ?? this.apiVersion;
    this.kind = reader.textAt(kindFrom, kindTo) ?? this.kind;
  }

  /**
   * Begins to read the list or another object. Throws unless the envelope has named the kind before, because only a
   * list has the fields that are read.
   */
  #enter(length: number): void {
    if (this.kind === undefined) throw this.#malformed();
    this.hasItems = this.kind.endsWith('List');
    this.#place = this.hasItems ? 'list' : 'other object';
    this.#rest = length;
    this.#leave(0);
  }

  #skip(bytes: Buffer, at: number): number {
    const skipped = Math.min(this.#rest, bytes.length - at);
    this.#leave(skipped);
    return at + skipped;
  }

  #leave(read: number): void {
    this.#rest -= read;
    if (this.#rest === 0) this.#place = 'after';
  }

  #malformed(): CodedError {
    return new CodedError('MALFORMED_LIST', wireErrors.MALFORMED_LIST, {
      place: this.#place,
    });
  }
}

const UNKNOWN = -1;

/** True if a varint can be read from these bytes: it ends within them, or it is too long and the reader throws. */
function endsVarint(bytes: Buffer, from: number, to: number): boolean {
  const last = Math.min(to, from + 5);
  for (let at = from; at < last; at++) if ((bytes[at] as number) < 0x80) return true;
  return last === from + 5;
}
